//! Keys and limits over a real database file. Time is an argument throughout, so nothing waits for it.

mod addresses;
mod bans;
mod bootstrap;
mod commands;
mod concurrency;
mod crash;
mod fixture;
mod identity;
mod model;
mod schedule;
