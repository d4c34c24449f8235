//! What a handler can know of its call besides its typed arguments. dropshot's `RequestContext` cannot be extended, so
//! the gate stores it in a task-local.

use tokio::task_local;

use crate::auth::Principal;
use crate::clock::Time;

task_local! {
    static CALL: Call;
}

/// The request that the current task serves: its sender, its time and the hash of its body, for handlers of operations.
#[derive(Clone, Debug)]
pub struct Call {
    /// The sender of the request.
    pub principal: Principal,
    /// The time when the request arrived.
    pub time: Time,
    /// SHA-256 over the canonical JSON of the body (`null` without one), and over the path if it has parameters; set if
    /// the request has an `Idempotency-Key`.
    pub body_hash: Option<[u8; 32]>,
}

impl Call {
    /// Runs the future `operation` so that [`Call::current`] returns this call inside of it.
    pub fn scope<F: Future>(self, operation: F) -> impl Future<Output = F::Output> {
        CALL.scope(self, operation)
    }

    /// The call that the current task serves, or `None` outside of [`Call::scope`].
    pub fn current() -> Option<Call> {
        CALL.try_with(Clone::clone).ok()
    }
}
