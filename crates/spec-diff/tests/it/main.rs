//! What the comparison promises, seen from outside.

mod acknowledged;
mod common;
mod docs;
mod findings;
mod identities;
mod mutations;
mod policy;
mod reports;
mod versions;
