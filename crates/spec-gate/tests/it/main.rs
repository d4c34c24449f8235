//! Keys and limits over real databases.
#![allow(clippy::unwrap_used)]

mod bans;
mod clock_steps;
mod commands;
mod concurrency;
mod crash;
mod crash_steps;
mod fixture;
mod identity;
mod ledger_rules;
mod model;
mod operation_usage;
mod postgres_keys;
mod random_steps;
mod schedule;
mod servers;
