//! The limiter: rate limits of keys and addresses, and bans of keys that keep sending after their limit.
//!
//! [`decide`] is the pure core. [`Limiter`] applies it to keys concurrently and across restarts: requests are leased
//! from the [`Ledger`] before they are admitted, so that none is granted twice whenever the process ends. Requests
//! without a valid key are counted by address, in memory only. The limiter knows no HTTP and does not read the time of
//! day; it only measures how long it waits for the ledger.

mod addresses;
mod ban;
mod client_address;
mod credit;
mod decide;
mod decision;
mod latest_time;
mod lease;
mod ledger;
mod limiter;
mod memory_ledger;
mod now;
mod policy;
mod usage;
mod window;

pub use spec_runtime::RateLimits;

pub use self::ban::{Ban, RecentRefusals};
pub use self::client_address::find_client_address;
pub(crate) use self::credit::full_credit;
pub use self::decide::{Account, KeyDecision, KeyState, Terms, decide};
pub use self::decision::{Decision, Outcome};
pub use self::ledger::{
    Adjusted, Adjustment, Claim, CreditRecord, Ledger, LedgerEntry, LedgerHealth, Notice,
};
pub use self::limiter::{KeyStatus, Limiter, LimiterStats};
pub use self::memory_ledger::MemoryLedger;
pub use self::now::Now;
pub use self::policy::{LimiterPolicy, WithoutLedger};
pub use self::usage::{RateLimitInfo, WindowUsage, Windows};
pub use self::window::Window;
