//! The binary against a real server. What all command lines do is tested in `dropspec-cli`.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;
mod operations;
mod settings;
