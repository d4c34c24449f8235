//! The server as an operator meets it: the real binary, real sockets, its panel and its log.
#![allow(clippy::unwrap_used)]

mod browser;
mod panel;
mod process;
mod reference;
mod tools;
mod wire;
