//! End-to-end tests: a server, and every operation over HTTP.
#![allow(clippy::unwrap_used)]
#![allow(deprecated, reason = "deprecated operations are tested, too")]

mod access;
mod charges;
mod client;
mod declared_outcomes;
mod deprecation;
mod document;
mod entity_tags;
mod failures;
mod hosts;
mod idempotency;
mod keys;
mod limits;
mod lists;
mod records;
mod rejections;
mod routing;
