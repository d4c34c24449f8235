//! As whom the request of a scene is sent.

use petstore_server::auth::ApiKey;
use test_support::{Caller, TestApp, TestKey};

/// The free plan's requests a minute, which callers without a key have too.
const FREE: usize = 60;

/// The sender of a request, and what it did before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    Owner,
    /// Someone with a key that was never used.
    Newcomer,
    /// Someone with a key that may only read.
    Reader,
    /// Someone whose key has nothing left.
    Exhausted,
    /// Someone who sent on and on nevertheless.
    Banned,
    Anonymous,
    /// Someone without a key, who has been trying for a while.
    AnonymousTooOften,
    /// Someone who made a key up.
    Inventor,
    /// Someone whose key was revoked.
    Revoked,
}

impl Sender {
    /// Makes the sender's key, and lets the sender do what it did before.
    pub async fn appear(self, app: &TestApp) -> Caller<'_> {
        match self {
            Sender::Owner => app.owner(),
            Sender::Newcomer => app.caller(&app.key_for(1000, 1000).await),
            Sender::Reader => app.caller(&app.read_key().await),
            Sender::Exhausted => after(1, app.caller(&app.key_for(1, 1000).await)).await,
            // One that is admitted, and one more than the 30 that are forgiven.
            Sender::Banned => after(1 + 31, app.caller(&app.key_for(1, 1000).await)).await,
            Sender::Anonymous => app.anonymous(),
            Sender::AnonymousTooOften => after(FREE, app.anonymous()).await,
            Sender::Inventor => {
                let secret = ApiKey::generate().unwrap();
                app.caller(&TestKey { id: 0, secret })
            }
            Sender::Revoked => {
                let key = app.free_key().await;
                let now = chrono::Utc::now();
                app.store().revoke_key(key.id, now).await.unwrap();
                app.caller(&key)
            }
        }
    }
}

/// The caller after so many requests. What they ask for does not matter.
async fn after(requests: usize, caller: Caller<'_>) -> Caller<'_> {
    for _ in 0..requests {
        caller.get("/pets").await;
    }
    caller
}
