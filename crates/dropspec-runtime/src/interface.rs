//! What a server kit needs of a generated interface: the document as data, and dispatch to the implementation.

use std::pin::Pin;

use dropshot::{Body, RequestContext, ServerContext};
use dropspec_rate_limit::RateLimits;
use http::Response;

use crate::security::{Permit, SecuritySchemeInfo};
use crate::{DecodedRequest, DispatchError, Document, OperationInfo};

/// A generated HTTP interface. The generator implements it for each implementation of the interface's API trait.
pub trait Interface: Sized + Send + Sync + 'static {
    /// The state that every handler can reach: dropshot's server context.
    type Context: ServerContext;

    /// The operations, in the order of the document. Other functions name an operation by its index in this list.
    fn operations() -> &'static [OperationInfo];

    /// The security schemes of the document, in its order. Operations name one by its index in this list.
    fn security_schemes() -> &'static [SecuritySchemeInfo];

    /// The document as JSON, in the terms that the generated code reads.
    fn document() -> &'static Document;

    /// The text of the document in JSON, as its author wrote it.
    fn document_json() -> &'static str {
        Self::document().text()
    }

    /// The document as it was written, in YAML or JSON, comments included.
    fn document_source() -> &'static str;

    /// The plans of `x-rate-limits`; empty if the document has none.
    fn plans() -> &'static [PlanInfo];

    /// The codes of `x-error-codes`; empty if the document has none.
    fn error_codes() -> &'static [ErrorCodeInfo];

    /// Calls the handler of the operation that `permit` is for, a method of the API trait, and writes its result as a
    /// response. Without a permit no operation can be called: see [`Security`](crate::security::Security).
    ///
    /// # Errors
    ///
    /// If the request does not fit the types of the operation, or its result cannot be written.
    fn dispatch(
        permit: Permit<Self>,
        rqctx: RequestContext<Self::Context>,
        request: DecodedRequest,
    ) -> impl Future<Output = Result<Response<Body>, DispatchError>> + Send;
}

/// The future of an operation's response, as the functions return it that generated code has for each of many operations.
pub type Dispatched = Pin<Box<dyn Future<Output = Result<Response<Body>, DispatchError>> + Send>>;

/// A plan of the document's `x-rate-limits`: its name and limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlanInfo {
    /// The plan's name, as the document writes it.
    pub name: &'static str,
    /// The limits of the plan; `None` if each customer has limits of its own (`custom: true`).
    pub limits: Option<RateLimits>,
}

/// An error code of the document's `x-error-codes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCodeInfo {
    /// The code, as error bodies carry it.
    pub name: &'static str,
    /// The HTTP status of responses with this code.
    pub status: u16,
}
