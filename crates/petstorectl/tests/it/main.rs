//! The binary against a real server.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;
mod exit_codes;
mod lists;
mod operations;
