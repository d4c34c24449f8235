//! Other ends of connections for tests: a server that answers as a test says ([`Server`]).
//!
//! A failure here is a failed test, so these functions panic instead of returning errors.
#![allow(clippy::unwrap_used)]

mod request;
mod server;

pub use self::request::Request;
pub use self::server::{Server, response};
