// The README's examples run in `tests/it/readme.rs`, where they need no hidden lines.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]

mod buffered_response;
mod call_error;
mod client;
pub mod clock;
mod connect;
mod error_code;
mod link;
mod lists;
mod no_response;
mod operation_traits;
mod pages;
mod response_metadata;
mod retry;
mod retry_event;
mod shared_backoff;
mod transport;

pub use call_error::{CallError, CallErrorExt, CallResultExt};
pub use client::{Client, ClientInfo, Error, ResponseValue, builder, types};
pub use clock::Clock;
pub use error_code::ErrorCode;
pub use futures::future::BoxFuture;
pub use futures::stream::BoxStream;
pub use pages::AllPages;
pub use response_metadata::{RateLimitInfo, ResponseMetadata};
pub use retry::RetryPolicy;
pub use retry_event::RetryEvent;
pub use transport::Transport;
