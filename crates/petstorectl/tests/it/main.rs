//! The binary against a real server.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;
mod entity_tags;
mod exit_codes;
mod lists;
mod operations;
mod options;
mod tail;
