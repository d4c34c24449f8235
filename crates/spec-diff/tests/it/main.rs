//! What the comparison promises, seen from outside.

mod common;
mod identities;
mod mutations;
