//! The operations and webhooks.

use chrono::NaiveDate;
use dropspec_model::{Diagnostic, Stability};

use super::bodies::RequestBody;
use super::parameters::{ParameterField, ParameterKind};
use super::responses::{ErrorType, ResponseForm, Success};
use super::types::Type;

#[derive(Debug, Clone)]
pub struct Operation {
    /// The `operationId`, or one that is derived from method and path.
    pub id: String,
    /// The trait's method.
    pub method_name: String,
    /// The variant of `enum Operation`.
    pub variant: String,
    /// `GET`, …
    pub method: &'static str,
    pub path: String,
    pub summary: String,
    pub description: String,
    pub tags: Vec<String>,
    pub deprecated: bool,
    /// The structs of its path, query, header and cookie parameters, in this order.
    pub parameters: Vec<(ParameterKind, String)>,
    /// The request headers that the server handles, so that only clients have them.
    pub handled: Vec<ParameterField>,
    pub body: Option<RequestBody>,
    pub success: Success,
    pub error: ErrorType,
    /// The responses that become `error`.
    pub errors: Vec<ResponseForm>,
    /// Whether it opens a WebSocket (`x-dropshot-websocket`).
    pub channel: bool,
    /// Whether dropshot can register the method. If not, it stands in the trait without `#[endpoint]`.
    pub registered: bool,
    pub extensions: OperationExtensions,
    /// Why it is left out. Only the operation table lists it then.
    pub problems: Vec<Diagnostic>,
}

impl Operation {
    /// Whether code is generated for it.
    pub fn is_generated(&self) -> bool {
        self.problems.is_empty()
    }

    /// Its method and path, as in `GET /pets`.
    pub fn method_and_path(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// A request that the service sends, and the function that makes it.
#[derive(Debug, Clone)]
pub struct Webhook {
    pub function: String,
    pub docs: String,
    /// `POST`, …
    pub method: &'static str,
    pub payload: Payload,
}

/// What a webhook sends.
#[derive(Debug, Clone)]
pub enum Payload {
    Empty,
    /// A media type of JSON, and the type of the value.
    Json(String, Type),
    /// Text or bytes of this media type; `None` if the caller chooses it.
    Bytes(Option<String>),
}

/// The values of an operation's `x-…` extensions that code is generated from.
#[derive(Debug, Clone)]
pub struct OperationExtensions {
    pub stability: Stability,
    pub deprecation: Option<Deprecation>,
    pub required_access: Option<String>,
    pub rate_limit_cost: u32,
    /// The alternatives of schemes that must all be satisfied.
    pub security: Vec<Vec<SchemeUse>>,
}

/// A security scheme that an operation requires.
#[derive(Debug, Clone)]
pub struct SchemeUse {
    /// Its position among the schemes of the document.
    pub scheme: usize,
    pub scopes: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Deprecation {
    pub since: Option<NaiveDate>,
    pub sunset: Option<NaiveDate>,
    pub successor: Option<String>,
}
