//! The limiter over a real database. Time is an argument.

mod bans;
mod concurrency;
mod crash;
pub mod fixture;
mod identity;
mod model;
mod schedule;
