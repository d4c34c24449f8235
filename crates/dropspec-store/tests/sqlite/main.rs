//! The engine over real database files: opening, backup and restore, lists, idempotency, crashes.
#![allow(clippy::unwrap_used)]

mod backup;
mod crash;
mod data_version;
mod fixture;
mod idempotency;
mod lists;
mod opening;
mod restore;
mod side;
mod standing_read;
