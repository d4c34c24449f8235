//! The durable side of the limiter: usage and bans of keys, as they survive the process.

use std::future::{pending, ready};

pub use super::adjustment::{Adjusted, Adjustment, Claim};
use super::ban::Ban;
use super::now::{Carried, Now};
use super::usage::Windows;
use super::window::Window;
use crate::clock::Time;
use crate::storage_error::StorageError;

/// Durable storage of the usage and bans of keys. What a ledger acknowledges survives a crash.
///
/// A read may end on the calling thread without waiting: then its future is ready at once.
pub trait Ledger: Send + Sync + 'static {
    /// Whether several servers use the ledger at the same time. Then nothing is admitted before the ledger knows of it, so
    /// no credit is given: each server would give its own.
    fn is_shared(&self) -> bool {
        false
    }

    /// The time of the ledger's clock, with its steps; `None` if the servers' own clocks count, or as long as it is not known. If
    /// a ledger has a clock, its windows begin and end by it, however the clocks of the servers differ or are set.
    fn now(&self) -> Option<Time> {
        None
    }

    /// The windows that go on after the last step of the ledger's clock, as other servers have recorded it before this one started;
    /// `None` if there was none, or the ledger moves what it stores.
    fn last_step(&self) -> Option<[Carried; 2]> {
        None
    }

    /// Waits for the next notice of another server; without other servers for ever.
    fn next_notice(&self) -> impl Future<Output = Notice> + Send {
        pending()
    }

    /// How the engine of the ledger is doing; `None` if it has none of its own.
    fn health(&self) -> Option<LedgerHealth> {
        None
    }

    /// Reads the usage and the ban of a key.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn read_entry(
        &self,
        key_id: i64,
    ) -> impl Future<Output = Result<LedgerEntry, StorageError>> + Send;

    /// Makes all adjustments of the current windows or none, and returns their results in the same order. Those of a key follow
    /// each other, at most one for each window. It stores the time of last use of each key that claims requests or has
    /// [`Adjustment::last_seen`]. If it fails, a ledger that is shared may have made those of some keys: what was claimed is then
    /// lost, and what was returned counts as used.
    ///
    /// If the rest of a window does not suffice for [`Adjustment::least`] while other servers hold leases of it, it asks them
    /// to give back what they have not used, and waits for that a short time.
    ///
    /// It reads `now` in the transaction that stores the adjustments. So the windows of a key are stored in their order,
    /// however long the transaction waits for others.
    ///
    /// # Errors
    ///
    /// If they cannot be stored.
    fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> impl Future<Output = Result<Vec<Adjusted>, StorageError>> + Send;

    /// Reads what is known of requests on credit. A ledger that is shared, or that loses everything in a crash, stores
    /// nothing of it.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn read_credit(&self) -> impl Future<Output = Result<CreditRecord, StorageError>> + Send {
        ready(Ok(CreditRecord::default()))
    }

    /// Replaces what is known of requests on credit.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    fn store_credit(
        &self,
        record: CreditRecord,
    ) -> impl Future<Output = Result<(), StorageError>> + Send {
        let _ = record;
        ready(Ok(()))
    }

    /// Stores that windows go on after a clock step: each of the windows [`Now::current`] now starts at [`Now::start_of`],
    /// and later ones have ended, those of the [`CreditRecord`] as well. It reads `now` in its transaction, as [`Ledger::adjust`] does.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> impl Future<Output = Result<(), StorageError>> + Send;

    /// Reads the ids of the keys with a ban that ends after `time` (Unix seconds).
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn read_banned(&self, time: i64)
    -> impl Future<Output = Result<Vec<i64>, StorageError>> + Send;

    /// Stores a ban of a key, unless the operator has lifted a ban since the epoch in `ban`.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    fn record_ban(
        &self,
        key_id: i64,
        ban: Ban,
    ) -> impl Future<Output = Result<(), StorageError>> + Send;

    /// Adds requests to the usage of operations, all or none, and deletes that of the days before `oldest`. A ledger without a
    /// database stores nothing of it.
    ///
    /// # Errors
    ///
    /// If they cannot be stored.
    fn add_operation_usage(
        &self,
        counts: Vec<OperationCount>,
        oldest: i64,
    ) -> impl Future<Output = Result<(), StorageError>> + Send {
        let _ = (counts, oldest);
        ready(Ok(()))
    }
}

/// The requests of a key to an operation on a day (UTC).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationCount {
    /// The number of the day, from 1970-01-01.
    pub day: i64,
    /// The `operationId`.
    pub operation: String,
    /// The deprecated parameter or property that the requests used; empty if all requests are counted.
    pub input: String,
    /// The key, or what stands for requests without one.
    pub key_id: i64,
    /// How many there were.
    pub requests: u64,
}

/// What a ledger stores of one key: its usage of both windows and its ban.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The last minute in which the key claimed requests.
    pub minute: Option<Claim>,
    /// The last day on which the key claimed requests.
    pub day: Option<Claim>,
    /// Requests claimed of that minute and of that day which servers may not have used yet.
    pub leased: [u64; 2],
    /// The last ban.
    pub ban: Ban,
}

/// What a ledger stores of the requests on credit of all keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreditRecord {
    /// Whether a server gives credit, or gave it and was not stopped properly.
    pub is_open: bool,
    /// The minute of the last start after a crash; [`Claim::claimed`] is the number of crashes that count in it.
    pub minute: Option<Claim>,
    /// The day of the last start after a crash, likewise.
    pub day: Option<Claim>,
}

impl LedgerEntry {
    pub(super) fn claim_mut(&mut self, window: Window) -> &mut Option<Claim> {
        match window {
            Window::Minute => &mut self.minute,
            Window::Day => &mut self.day,
        }
    }

    /// Returns the usage of the windows that are current at `now`, as a server starts with it: what others may not have used is
    /// used.
    pub fn windows_at(&self, now: &Now) -> Windows {
        let mut windows = Windows::unused_at(now.wall);
        for (window, claim) in [(Window::Minute, self.minute), (Window::Day, self.day)] {
            if let Some(claim) = claim
                && now.current(window).contains(&claim.start)
            {
                windows.get_mut(window).used = claim.claimed;
            }
        }
        windows
    }

    /// Returns the usage of the windows that are current at `now`, and what servers may not have used yet as leased.
    pub fn known_at(&self, now: &Now) -> Windows {
        let mut windows = self.windows_at(now);
        for (window, leased) in Window::ALL.into_iter().zip(self.leased) {
            let usage = windows.get_mut(window);
            usage.leased = leased.min(usage.used);
            usage.used -= usage.leased;
        }
        windows
    }
}

/// What another server makes known to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A server needs requests of a window: give back what is leased and not used.
    GiveBack {
        /// The id of the key.
        key_id: i64,
        /// The window.
        window: Window,
    },
    /// A key was banned.
    Banned {
        /// The id of the key.
        key_id: i64,
        /// The ban.
        ban: Ban,
    },
    /// Notices may have been lost.
    Missed,
}

/// How the engine of a ledger is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerHealth {
    /// Whether it can be used, as far as known.
    pub is_available: bool,
    /// The connections made to it since the start.
    pub connections: u64,
}
