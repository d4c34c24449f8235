//! The toolchain for one repository: what the command `dropspec` does, as functions.

pub mod cargo;
pub mod package;
pub mod panics;
pub mod toolchain;
