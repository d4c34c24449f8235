// Its examples run in `tests/it/readme.rs`, where they need no lines that a reader should not see.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]

mod answer;
#[rustfmt::skip]
mod client;
pub mod clock;
mod connect;
#[rustfmt::skip]
mod error_code;
mod link;
#[rustfmt::skip]
mod lists;
#[cfg(feature = "mock")]
#[allow(clippy::all, reason = "progenitor's code")]
#[rustfmt::skip]
pub mod mock;
#[rustfmt::skip]
mod operation_traits;
mod pages;
mod pause;
mod portable;
mod quota;
mod refused;
mod retry;
mod transport;

pub use client::{Client, ClientInfo, Error, ResponseValue, builder, types};
pub use clock::Clock;
pub use error_code::ErrorCode;
pub use pages::AllPages;
pub use portable::{BoxFuture, BoxStream};
pub use quota::{Answered, Quota};
pub use refused::{CallError, Refused};
pub use retry::RetryPolicy;
pub use transport::Transport;
