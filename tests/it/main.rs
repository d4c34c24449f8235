//! The service from the outside: a real server, and every operation over HTTP.
#![allow(clippy::unwrap_used)]

mod access;
mod categories;
mod cuts;
mod failures;
mod gate;
mod idempotency;
mod inventory;
mod keys;
mod lifecycle;
mod limits;
mod lists;
mod orders;
mod pace;
mod pets;
mod races;
mod reference;
mod requests;
mod sweep;
mod walk;
