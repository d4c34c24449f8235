// The README's examples run in `tests/it/readme.rs`, where they need no hidden lines.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]

mod client;
mod client_builder;
mod error;
mod error_code;
mod hooks;
mod lists;
mod operation_table;

pub use client::{Client, ClientInfo, ResponseValue, builder, types};
pub use client_builder::ClientBuilder;
pub use dropspec_client::futures::future::BoxFuture;
pub use dropspec_client::{
    Clock, ErrorResponse, Exchange, Hooks, RateLimitInfo, ResponseMetadata, RetryEvent,
    RetryPolicy, SettingsError, clock,
};
pub use error::{CallResultExt, Error, ErrorCodeExt, RequestError};
pub use error_code::ErrorCode;
pub use reqwest::header::HeaderMap;

/// A stream of all records of a list.
pub type AllPages<'a, T> = dropspec_client::futures::stream::BoxStream<'a, Result<T, Error>>;
