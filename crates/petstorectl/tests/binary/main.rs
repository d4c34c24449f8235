//! The binary, run as a person runs it, against a real server.
#![allow(clippy::unwrap_used, missing_docs)]

mod ctl;
mod endings;
mod listings;
mod operations;
