//! Servers over real sockets: small services of their own, whose requests pass the gate.
#![allow(clippy::unwrap_used)]

mod any_body;
mod cross_origin;
mod disconnects;
mod key_schemes;
mod operation_usage;
mod pages;
mod tables;
mod tiny;
mod tiny_service;
