//! The toolchain for one repository: what the command `dropspec` does, as functions. `cargo xtask` calls them too.

mod add;
mod bundle;
pub mod bundling;
mod changelog;
mod check;
mod choice;
pub mod cli;
pub mod config;
pub mod diff;
mod generate;
mod git;
mod letters;
mod lint;
pub mod linting;
mod losses;
mod mock;
mod new;
pub mod output;
pub mod package;
mod policy;
pub mod project;
mod release;
mod releases;
mod repair;
mod settings;
mod sources;
pub mod toolchain;
