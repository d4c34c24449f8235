//! The operations.

use chrono::NaiveDate;
use spec_model::{Diagnostic, Stability};

use super::bodies::RequestBody;
use super::parameters::{ParameterField, ParameterKind};
use super::responses::{ErrorType, ResponseForm, Success};

#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// The `operationId`, or one that is derived from method and path.
    pub(crate) id: String,
    /// The trait's method.
    pub(crate) method_name: String,
    /// The variant of `enum Operation`.
    pub(crate) variant: String,
    /// `GET`, …
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) deprecated: bool,
    /// The structs of its path, query, header and cookie parameters, in this order.
    pub(crate) parameters: Vec<(ParameterKind, String)>,
    /// The request headers that the server handles, so that only clients have them.
    pub(crate) handled: Vec<ParameterField>,
    pub(crate) body: Option<RequestBody>,
    pub(crate) success: Success,
    pub(crate) error: ErrorType,
    /// The responses that become `error`.
    pub(crate) errors: Vec<ResponseForm>,
    /// Whether it opens a WebSocket (`x-dropshot-websocket`).
    pub(crate) channel: bool,
    /// Whether dropshot can register the method. If not, it stands in the trait without `#[endpoint]`.
    pub(crate) registered: bool,
    pub(crate) extensions: OperationExtensions,
    /// Why it is left out. Only the operation table lists it then.
    pub(crate) problems: Vec<Diagnostic>,
}

impl Operation {
    /// Whether code is generated for it.
    pub(crate) fn is_generated(&self) -> bool {
        self.problems.is_empty()
    }

    /// Its method and path, as in `GET /pets`.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// The values of an operation's `x-…` extensions that code is generated from.
#[derive(Debug, Clone)]
pub(crate) struct OperationExtensions {
    pub(crate) stability: Stability,
    pub(crate) deprecation: Option<Deprecation>,
    pub(crate) required_access: Option<String>,
    pub(crate) rate_limit_cost: u32,
    /// The alternatives of schemes that must all be satisfied.
    pub(crate) security: Vec<Vec<SchemeUse>>,
}

/// A security scheme that an operation requires.
#[derive(Debug, Clone)]
pub(crate) struct SchemeUse {
    /// Its position among the schemes of the document.
    pub(crate) scheme: usize,
    pub(crate) scopes: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Deprecation {
    pub(crate) since: Option<NaiveDate>,
    pub(crate) sunset: Option<NaiveDate>,
    pub(crate) successor: Option<String>,
}
