// The README's examples run in `tests/it/readme.rs`, where they need no hidden lines.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]

mod buffered_response;
mod call_error;
mod client;
mod client_builder;
pub mod clock;
mod connect;
mod error_code;
mod exchange;
mod hooks;
mod link;
mod lists;
mod no_response;
mod operation_traits;
mod pages;
mod response_metadata;
mod retry;
mod retry_event;
mod shared_backoff;
mod trace_context;
mod transport;

pub use call_error::{CallError, CallResultExt, Error};
pub use client::{Client, ClientInfo, ResponseValue, builder, types};
pub use client_builder::ClientBuilder;
pub use clock::Clock;
pub use error_code::ErrorCode;
pub use exchange::Exchange;
pub use futures::future::BoxFuture;
pub use futures::stream::BoxStream;
pub use pages::AllPages;
pub use reqwest::header::HeaderMap;
pub use response_metadata::{RateLimitInfo, ResponseMetadata};
pub use retry::RetryPolicy;
pub use retry_event::RetryEvent;
pub use transport::Transport;
