//! The real binary: how it starts, refuses to start, stops, obeys the operator, what it logs, and what a kill leaves.

mod crash;
pub mod keys;
mod limits;
mod refusals;
mod running;
mod secrecy;
mod start;
mod stop;
