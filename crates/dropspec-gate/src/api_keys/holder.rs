//! The name under which a process holds leases in a ledger that several servers share.

use std::hash::{BuildHasher, RandomState};

/// Makes a name that no other process has: 64 random bits, as the standard library takes them from the system.
pub(crate) fn new_holder() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}
