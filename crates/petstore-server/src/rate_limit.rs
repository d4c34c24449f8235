//! The limiter: how much each caller may still send, and who is shut out for sending on regardless.
//!
//! [`decide`] is the pure core. [`Limiter`] puts it to work for keys, under concurrency and across restarts: what is
//! admitted was leased from the [`Ledger`] before, so nothing is granted twice whenever the process ends. Callers
//! without a valid key are counted by their address, in memory alone. It knows no HTTP, and reads no clock.

mod addresses;
mod ban;
mod client_address;
mod clock;
mod decide;
mod lease;
mod ledger;
mod limiter;
mod policy;
mod standing;
mod tally;
mod window;

pub use self::ban::{Ban, BanPolicy, Refusals};
pub use self::client_address::client_address;
pub use self::decide::{Decision, KeyState, decide};
pub use self::ledger::{Adjusted, Adjustment, Held, KeyLedger, Ledger};
pub use self::limiter::{Account, KeyStatus, Limiter, WindowStatus};
pub use self::policy::Policy;
pub use self::standing::{Outcome, Standing, Verdict};
pub use self::tally::Tally;
pub use self::window::{Limits, Usage, Window, Windows};
