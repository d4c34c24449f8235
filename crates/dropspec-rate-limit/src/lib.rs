//! The limiter: rate limits of keys and addresses, and bans of keys that keep sending after their limit.
//!
//! `decide` is the pure core. [`Limiter`] applies it to keys concurrently and across restarts: requests are leased
//! from the [`Ledger`] before they are admitted, so that none is granted twice whenever the process ends. Requests
//! without a valid key are counted by address, in memory only. The limiter knows no HTTP and does not read the time of
//! day; it only measures how long it waits for the ledger.

mod addresses;
mod adjustment;
mod ban;
mod client_address;
pub mod clock;
mod credit;
mod decide;
mod decision;
mod engine_clock;
mod give_back;
mod lease;
mod ledger;
mod limiter;
mod memory_ledger;
mod notice;
mod now;
mod policy;
pub mod storage_error;
mod usage;
mod window;

pub use self::addresses::{AddressWindows, find_sender_address};
pub use self::ban::{Ban, describe_bans};
pub use self::client_address::find_client_address;
pub use self::credit::full_credit;
pub use self::decide::Account;
pub use self::decision::{Decision, Outcome};
pub use self::engine_clock::{EngineClock, EngineTime, TimeSource};
pub use self::give_back::{HeldByOthers, LAST_WAIT, OtherServers, adjust_after_waits, grant};
pub use self::ledger::{
    Adjusted, Adjustment, Claim, CreditRecord, Ledger, LedgerEntry, LedgerHealth, Notice,
    OperationCount,
};
pub use self::limiter::{KeyStatus, Limiter, LimiterStats};
pub use self::memory_ledger::MemoryLedger;
pub use self::notice::{ban_notice, give_back_notice, number_of, parse_notice};
pub use self::now::{Carried, Now};
pub use self::policy::{LimiterPolicy, WithoutLedger};
pub use self::usage::{RateLimitInfo, Windows};
pub use self::window::{RateLimits, Window};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
