//! The engine over real database files: opening, backup and restore, idempotency, crashes.
#![allow(clippy::unwrap_used)]

mod fixture;
mod opening;
