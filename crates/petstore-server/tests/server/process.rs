//! The real binary: how it starts, refuses to start, stops, and what a kill leaves.

mod crash;
mod refusals;
mod running;
mod start;
mod stop;
