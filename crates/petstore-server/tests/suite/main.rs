//! The server from the outside: its store, keys and limits over a real file, and its binary as a process.
#![allow(clippy::unwrap_used)]

mod folder;
mod limits;
mod process;
mod store;
