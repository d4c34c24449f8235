//! The store over a real database, and the binary as a process.
#![allow(clippy::unwrap_used)]

mod faults;
mod layers;
mod process;
mod store;
