//! The operations: those that code is generated for, and those that are left out.

use chrono::NaiveDate;
use spec_model::{Diagnostic, Stability};

use super::bodies::RequestBody;
use super::parameters::ParameterKind;
use super::responses::{ErrorType, Success};

#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// The place among all operations of the document, those that are left out included.
    pub(crate) index: usize,
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
    pub(crate) body: Option<RequestBody>,
    pub(crate) success: Success,
    pub(crate) error: ErrorType,
    /// Whether it opens a WebSocket (`x-dropshot-websocket`).
    pub(crate) channel: bool,
    /// Whether dropshot can register the method. If not, it stands in the trait without `#[endpoint]`.
    pub(crate) registered: bool,
    pub(crate) extensions: OperationExtensions,
}

/// An operation without generated code.
#[derive(Debug, Clone)]
pub(crate) struct UnsupportedOperation {
    /// The place among all operations of the document.
    pub(crate) index: usize,
    pub(crate) id: String,
    /// The variant of `enum Operation`.
    pub(crate) variant: String,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) tags: Vec<String>,
    pub(crate) extensions: OperationExtensions,
    /// Why it is left out.
    pub(crate) problems: Vec<Diagnostic>,
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
