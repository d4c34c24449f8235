//! The server from the outside: its store over a real file, and its binary as a process.
#![allow(clippy::unwrap_used)]

mod folder;
mod process;
mod store;
