//! What the limiter asks of whoever keeps its books: usage and bans that outlive the process.

use std::future::Future;

use super::ban::Ban;
use super::window::Window;
use crate::store::StoreError;

/// Keeps what was claimed of each key's windows, and its bans. What it acknowledges survives a crash.
pub trait Ledger: Send + Sync + 'static {
    /// What is kept of a key, read on this thread.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn key_ledger(&self, key_id: i64) -> Result<KeyLedger, StoreError>;

    /// Makes all the adjustments, or none, and says for each what came of it, in the same order. A key that claims is
    /// in use at `now` (Unix seconds).
    ///
    /// # Errors
    ///
    /// When they cannot be kept.
    fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: i64,
    ) -> impl Future<Output = Result<Vec<Adjusted>, StoreError>> + Send;

    /// Keeps a ban, unless the operator has lifted one since the epoch that it names.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    fn record_ban(
        &self,
        key_id: i64,
        ban: Ban,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// What is claimed of one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// When the window began, in Unix seconds.
    pub start: i64,
    /// Requests that were spent in it or are leased.
    pub claimed: u64,
}

/// What is kept of one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyLedger {
    /// The last minute of which something was claimed.
    pub minute: Option<Held>,
    /// The last day of which something was claimed.
    pub day: Option<Held>,
    /// The last ban.
    pub ban: Ban,
}

/// A wish to claim more of a window, or to give some of it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// Whose window.
    pub key_id: i64,
    /// Which of the two.
    pub window: Window,
    /// When it begins, in Unix seconds. If a later one is kept already, nothing is adjusted.
    pub start: i64,
    /// How much more; below 0, how much less.
    pub amount: i64,
    /// Nothing is granted beyond this.
    pub limit: u64,
}

/// What came of an adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjusted {
    /// What is claimed now; of a later window, if there was one.
    pub held: Held,
    /// How much more of it was claimed; 0 if some was given back.
    pub granted: u64,
}
