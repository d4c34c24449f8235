//! The service from the outside: a real server, and every operation over HTTP.
#![allow(clippy::unwrap_used)]

mod categories;
mod cuts;
mod failures;
mod gate;
mod idempotency;
mod inventory;
mod lifecycle;
mod lists;
mod orders;
mod pets;
mod races;
mod reference;
mod requests;
mod walk;
