//! What a handler can know of its call besides its typed arguments. dropshot's `RequestContext` cannot be extended, so
//! the gate stores it in a task-local.

use tokio::task_local;

use crate::auth::Principal;

task_local! {
    static CALL: Call;
}

/// The call that the current task serves.
#[derive(Clone, Debug)]
pub struct Call {
    /// The sender of the request.
    pub principal: Principal,
    /// SHA-256 over the canonical JSON of the body; set if the request has an `Idempotency-Key`.
    pub body_hash: Option<[u8; 32]>,
}

impl Call {
    /// Runs `operation` with this call as the current one.
    pub async fn scope<F: Future>(self, operation: F) -> F::Output {
        CALL.scope(self, operation).await
    }

    /// The current call, or `None` outside of one.
    pub fn current() -> Option<Call> {
        CALL.try_with(Clone::clone).ok()
    }
}
