//! What an operation must know of the call that it serves beyond its typed
//! arguments. dropshot's `RequestContext` cannot be extended, so the gate puts
//! it into a task-local.

use tokio::task_local;

use crate::auth::Caller;

task_local! {
    static CALL: Call;
}

/// The call that the present task serves.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who makes the call.
    pub caller: Caller,
    /// The body as it was sent, as a SHA-256 over its canonical JSON; present where an
    /// `Idempotency-Key` came with it.
    pub body: Option<[u8; 32]>,
}

impl Call {
    /// Runs an operation as part of this call.
    pub async fn scope<F: Future>(self, operation: F) -> F::Output {
        CALL.scope(self, operation).await
    }

    /// The call that the present task serves, or `None` outside of one.
    pub fn current() -> Option<Call> {
        CALL.try_with(Clone::clone).ok()
    }
}
