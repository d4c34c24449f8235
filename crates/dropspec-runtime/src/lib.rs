//! The library that code generated from an OpenAPI document calls: routing, decoding and validation of requests,
//! responses, webhooks, and schemas. It contains nothing about any one service and keeps no state between requests.

mod body;
mod channel;
mod decoder;
mod definition_error;
mod deserialize;
mod dispatch;
mod document;
mod extract;
mod interface;
mod item_stream;
mod media_type;
mod message;
mod multipart;
mod operation;
mod parameters;
mod raw_body;
mod rejection;
mod request;
pub mod respond;
mod response;
mod routes;
pub mod schema;
pub mod security;
#[cfg(test)]
mod tests;
mod types;
mod union;
mod validate;
pub mod webhook;

pub use body::{IncomingBody, MediaType};
pub use channel::{Channel, ChannelFuture, ChannelScope};
pub use decoder::Decoder;
pub use definition_error::DocumentError;
pub use dispatch::{DispatchError, OperationError, to_response};
pub use document::Document;
pub use dropspec_rate_limit::RateLimits;
pub use dropspec_schema::wire::{Union, UnionVariant, UnknownValue};
pub use dropspec_schema::{Method, SecurityScheme, Stability, tags};
pub use extract::{Body, Cookies, Text};
pub use interface::{Dispatched, ErrorCodeInfo, Interface, PlanInfo};
pub use item_stream::{ItemStream, break_off_at};
pub use multipart::{File, FromPart, Multipart, Part};
pub use operation::{Deprecation, OperationInfo};
pub use raw_body::RawBody;
pub use rejection::{MAX_PROBLEMS, ParameterLocation, Problem, Rejection};
pub use request::{DecodedRequest, Parameters};
pub use response::{ResponseMismatch, ResponseValidator};
pub use routes::{PathParameters, Route, RouteError, Routes};
// Used by the macros, so that generated code does not need to depend on schemars.
#[doc(hidden)]
pub use schemars;
pub use security::{Permit, SchemeUse, SecuritySchemeInfo};
#[doc(hidden)]
pub use serde;
pub use types::{as_exploded_text, as_json_text, as_text};
pub use union::UnionSchemas;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
