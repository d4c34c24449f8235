//! The toolchain for one repository: what the command `dropspec` does, as functions. `cargo xtask` calls them too.

mod bundle;
pub mod cargo;
pub mod cli;
pub mod config;
mod diff;
mod generate;
mod lint;
mod new;
pub mod operations;
pub mod output;
pub mod package;
pub mod panics;
pub mod project;
mod release;
mod releases;
pub mod roundtrip;
pub mod toolchain;
