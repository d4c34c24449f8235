//! The kit over real database files and real sockets: keys and limits, and a small service of its own.
#![allow(clippy::unwrap_used)]

mod any_body;
mod bans;
mod clock_steps;
mod commands;
mod concurrency;
mod crash;
mod crash_steps;
mod cross_origin;
mod disconnects;
mod fixture;
mod identity;
mod key_schemes;
mod ledger_rules;
mod model;
mod operation_usage;
mod pages;
mod postgres_keys;
mod random_steps;
mod schedule;
mod servers;
mod tables;
mod tiny;
mod tiny_service;
mod tokens;
