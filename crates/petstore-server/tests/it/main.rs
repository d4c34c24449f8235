//! The store over a real database, and the binary as a process.
#![allow(clippy::unwrap_used)]

mod layers;
mod process;
mod store;
