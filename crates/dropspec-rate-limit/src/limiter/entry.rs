//! A key in memory, and its call to the ledger.
//!
//! It is small, as there may be a million keys in memory (benchmark `parts`, `bytes of memory for a key`).

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Duration, Instant, timeout_at};

use crate::decide::KeyState;
use crate::lease;
use crate::ledger::Adjustment;
use crate::now::Now;
use crate::storage_error::StorageError;
use crate::window::Window;

/// A key in memory: its state, its last request, and its call to the ledger. There may be a million, so what few keys have is
/// boxed.
#[derive(Debug)]
pub(super) struct KeyEntry {
    pub(super) state: KeyState,
    /// The time of the last request, in seconds of a clock without steps.
    pub(super) last_seen: i64,
    /// The call to the ledger about this key that has not returned; there is never more than one.
    pub(super) call: Option<Arc<LedgerCall>>,
    /// The last call to the ledger if it failed.
    pub(super) failed: Option<Box<FailedCall>>,
    /// Whether its leases are being returned so that it can leave memory, and no request has come since.
    pub(super) is_leaving: bool,
    /// Whether a request waits for the call to the ledger, or waited for the last one and was not decided on yet. What it needs
    /// counts as used in the ledger, so it must not be given back: other servers would go on counting it as used.
    pub(super) is_awaited: bool,
    /// The windows of which another server needs requests, while a call to the ledger is under way or awaited.
    pub(super) wanted: Vec<Window>,
}

/// A call to the ledger that failed.
#[derive(Debug)]
pub(super) struct FailedCall {
    /// When it failed, in seconds of a clock without steps.
    pub(super) at: i64,
    /// Why, until a decision has reported it.
    pub(super) unreported: Option<StorageError>,
}

/// A call to the ledger that may be under way.
#[derive(Debug)]
pub(super) struct LedgerCall {
    /// `None` until the call returns.
    result: watch::Receiver<Option<Result<(), StorageError>>>,
    /// Requests wait for the call until then.
    deadline: Instant,
}

/// The sender that completes a [`LedgerCall`].
pub(super) type CallResult = watch::Sender<Option<Result<(), StorageError>>>;

impl KeyEntry {
    /// A key that is loaded.
    pub(super) fn new(state: KeyState, now: &Now) -> KeyEntry {
        KeyEntry {
            last_seen: now.steady(),
            call: None,
            failed: None,
            is_leaving: false,
            is_awaited: false,
            wanted: Vec::new(),
            state,
        }
    }

    /// Takes back the leases of the key, and returns the adjustments for the ledger.
    pub(super) fn return_all(&mut self, key_id: i64, now: &Now) -> [Adjustment; 2] {
        self.state.advance_windows(now);
        let last_seen = self.last_seen.saturating_add(now.stepped);
        lease::return_all(key_id, &mut self.state.windows, last_seen)
    }

    /// The call to the ledger that has not returned yet.
    pub(super) fn pending_call(&self) -> Option<&Arc<LedgerCall>> {
        let call = self.call.as_ref();
        call.filter(|call| call.result.has_changed().is_ok())
    }
}

impl LedgerCall {
    /// Creates a call that requests wait for as long as `timeout`, and the sender that completes it.
    pub(super) fn start(timeout: Duration) -> (Arc<LedgerCall>, CallResult) {
        let (sender, result) = watch::channel(None);
        let deadline = Instant::now() + timeout;
        (Arc::new(LedgerCall { result, deadline }), sender)
    }

    /// Whether the ledger has not answered within the timeout.
    pub(super) fn is_overdue(&self) -> bool {
        self.deadline <= Instant::now()
    }

    /// Waits until the call returns, but not after `deadline` or that of the call.
    pub(super) async fn wait_until(&self, deadline: Instant) -> Result<(), StorageError> {
        timeout_at(deadline.min(self.deadline), self.wait())
            .await
            .unwrap_or_else(|_| Err(timed_out()))
    }

    /// Waits until the call returns.
    pub(super) async fn wait(&self) -> Result<(), StorageError> {
        let mut result = self.result.clone();
        match result.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(result)) => result.clone(),
            Ok(None) | Err(_) => Err(StorageError::unavailable("the lease was given up")),
        }
    }
}

/// The error of a request that has waited for the ledger as long as it may.
pub(super) fn timed_out() -> StorageError {
    StorageError::unavailable("the ledger did not answer in time")
}
