//! The sender of a case's request.

use dropspec_gate::clock::Clock;
use test_support::{Caller, TestApp, TestKey};

/// The requests a minute of the free plan, and of an address without a key.
pub const FREE_LIMIT: usize = 60;

/// The sender of a request: its key, and the requests that it has sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    Owner,
    /// Of the plan `free`.
    FreeKey,
    UnusedKey,
    ReadKey,
    ExhaustedKey,
    BannedKey,
    Anonymous,
    ExhaustedAddress,
    UnknownKey,
    RevokedKey,
}

impl Sender {
    /// Creates the sender's key, and sends its earlier requests.
    pub async fn prepare(self, app: &TestApp) -> Caller<'_> {
        let limited = async || app.caller(&app.create_key_with_limits(1, 1000).await);
        match self {
            Sender::Owner => app.owner(),
            Sender::FreeKey => app.caller(&app.create_free_key().await),
            Sender::UnusedKey => app.caller(&app.create_key_with_limits(50, 100).await),
            Sender::ReadKey => app.caller(&app.create_read_key().await),
            Sender::ExhaustedKey => send_requests(1, limited().await).await,
            // One is admitted, 30 are rate limited, and the next one bans the key.
            Sender::BannedKey => send_requests(1 + 31, limited().await).await,
            Sender::Anonymous => app.anonymous(),
            Sender::ExhaustedAddress => send_requests(FREE_LIMIT, app.anonymous()).await,
            Sender::UnknownKey => {
                let secret = app.keys().generate_secret().unwrap();
                app.caller(&TestKey { id: 0, secret })
            }
            Sender::RevokedKey => {
                let key = app.create_free_key().await;
                let now = app.clock.now();
                app.keys().revoke(key.id, now).await.unwrap();
                app.caller(&key)
            }
        }
    }
}

/// Sends `count` requests, and returns the caller.
async fn send_requests(count: usize, caller: Caller<'_>) -> Caller<'_> {
    for _ in 0..count {
        caller.get("/pets").await;
    }
    caller
}
