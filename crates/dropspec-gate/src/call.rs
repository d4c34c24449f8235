//! What a handler can know of its call besides its typed arguments. dropshot's `RequestContext` cannot be extended, so
//! the gate stores it in a task-local.

use std::any::Any;

use dropspec_runtime::security::Identities;
use tokio::task_local;

use crate::auth::Principal;
use crate::clock::Time;

task_local! {
    static CALL: Call<dyn Any + Send + Sync>;
}

/// The request that the current task serves: its sender, its time and the hash of its body, for handlers of operations.
/// They get it from [`Gate::current_call`](crate::Gate::current_call), with the type of the service's identities.
#[derive(Debug)]
pub struct Call<T: ?Sized> {
    /// The verified senders of the request, by the indexes of their security schemes. None if it is anonymous, which only
    /// public operations allow.
    pub principals: Identities<Principal<T>>,
    /// The time when the request arrived.
    pub time: Time,
    /// SHA-256 over the canonical JSON of the body (`null` without one), and over the path if it has parameters; set if
    /// the request has an `Idempotency-Key`.
    pub body_hash: Option<[u8; 32]>,
}

impl<T: Any + Send + Sync> Call<T> {
    /// The sender of the request; `None` if it is anonymous. Of several, the one of the first scheme that the operation
    /// requires, whose limits apply.
    pub fn principal(&self) -> Option<&Principal<T>> {
        self.principals.first()
    }

    /// Runs the future `operation` so that [`Gate::current_call`](crate::Gate::current_call) returns this call inside of it.
    pub fn scope<F: Future>(self, operation: F) -> impl Future<Output = F::Output> {
        let call = Call {
            principals: self.principals.map(|it| Some(it.erase())),
            time: self.time,
            body_hash: self.body_hash,
        };
        CALL.scope(call, operation)
    }

    /// The call that the current task serves, or `None` outside of [`Call::scope`]. Identities of another type are left out.
    pub(crate) fn current() -> Option<Call<T>> {
        CALL.try_with(|call| Call {
            principals: call.principals.clone().map(Principal::downcast),
            time: call.time,
            body_hash: call.body_hash,
        })
        .ok()
    }
}

// Derived, it would demand that identities can be cloned.
impl<T: ?Sized> Clone for Call<T> {
    fn clone(&self) -> Self {
        Call {
            principals: self.principals.clone(),
            ..*self
        }
    }
}
