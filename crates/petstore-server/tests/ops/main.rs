//! The server as an operator meets it: the real binary, real sockets, its panel and its log.
#![allow(clippy::unwrap_used)]

mod backup;
mod browser;
mod panel;
mod process;
mod proxy;
mod reference;
mod robustness;
mod storage;
mod tls;
mod tools;
mod wire;
