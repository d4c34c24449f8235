//! The server from the outside: its store, keys and limits over a real file, its binary as a process, and that process
//! as an operator and the open internet meet it.
#![allow(clippy::unwrap_used)]

mod binary;
mod folder;
mod layers;
mod limits;
mod ops;
mod process;
mod store;
mod tools;
mod wire;
