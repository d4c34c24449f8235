// The README's examples run in `tests/it/readme.rs`, where they need no hidden lines.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]

mod call_error;
mod client;
mod client_builder;
mod connect;
mod error_code;
mod gave_up;
mod hooks;
mod lists;
mod operation_traits;
mod pages;
mod response_metadata;
mod service_error;
mod transport;

pub use call_error::{CallError, CallResultExt, Error};
pub use client::{Client, ClientInfo, ResponseValue, builder, types};
pub use client_builder::ClientBuilder;
pub use error_code::ErrorCode;
pub use futures::future::BoxFuture;
pub use futures::stream::BoxStream;
pub use pages::AllPages;
pub use reqwest::header::HeaderMap;
pub use response_metadata::{RateLimitInfo, ResponseMetadata};
pub use spec_transport::{Clock, Exchange, RetryEvent, RetryPolicy, clock};
pub use transport::Transport;
