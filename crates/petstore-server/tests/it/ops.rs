//! The server as an operator meets it: panel and log, TLS and a proxy, backups, full disks, and clients of every kind
//! (slow, broken, many, a browser, a fuzzer).

mod backup;
mod browser;
mod figures;
mod panel;
mod proxy;
mod reference;
mod restore;
mod robustness;
mod schemathesis;
mod server;
mod storage;
mod tls;
