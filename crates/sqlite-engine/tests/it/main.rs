//! The engine over real database files: opening, backup and restore, idempotency, crashes.
#![allow(clippy::unwrap_used)]

mod backup;
mod crash;
mod fixture;
mod idempotency;
mod opening;
mod restore;
