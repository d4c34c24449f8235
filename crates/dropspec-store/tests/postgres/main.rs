//! The engine on a real server.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod fixture;
mod idempotency;
mod migrations;
mod opening;
mod outages;
mod side;
mod transactions;
