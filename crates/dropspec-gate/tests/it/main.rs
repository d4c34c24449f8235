//! Keys and limits over real databases.
#![allow(clippy::unwrap_used)]

mod bans;
mod clock_steps;
mod commands;
mod concurrency;
mod crash;
#[macro_use]
mod engines;
mod fixture;
mod identity;
mod key_changes;
mod key_ledger;
mod ledger_rules;
mod model;
mod operation_usage;
mod postgres_keys;
mod schedule;
mod servers;
