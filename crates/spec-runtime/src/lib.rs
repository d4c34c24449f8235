//! What code generated from an OpenAPI 3.0 document calls: routes, decoding and validation of requests,
//! answers, and schemas. It knows no service of its own and keeps no state between requests.

mod body;
mod decoder;
mod dispatch;
mod document;
#[cfg(test)]
mod example;
mod interface;
mod media_type;
mod message;
mod operation;
mod parameters;
mod rejection;
mod request;
mod response;
mod routes;
pub mod schema;
mod text;
mod text_value;
mod unknown_value;
mod validate;

pub use body::{BodyError, MediaType};
pub use decoder::{Decoder, DecoderError};
pub use dispatch::{DispatchError, OperationError, to_response};
pub use document::Document;
pub use interface::{ErrorCodeInfo, Interface, PlanInfo, RateLimits};
pub use operation::{Deprecation, Method, OperationInfo, Stability};
pub use parameters::{ParameterError, StyleError};
pub use rejection::{Location, MAX_PROBLEMS, Problem, Rejection};
pub use request::{DecodedRequest, Parameters};
pub use response::{ResponseValidator, Violation};
pub use routes::{Allow, PathParameters, Route, RouteError, Routes};
pub use spec_schema::SchemaError;
pub use text_value::as_text;
pub use unknown_value::UnknownValue;
// The macros name it, so that generated code needs no dependency on it.
#[doc(hidden)]
pub use schemars;
