//! The service from the outside: a real server, and every operation over HTTP.
#![allow(clippy::unwrap_used)]

mod walk;
