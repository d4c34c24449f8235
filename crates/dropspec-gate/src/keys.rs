//! API keys as credentials of requests, and the commands that manage them.

mod authenticate;
pub mod commands;

pub use crate::api_keys::*;
