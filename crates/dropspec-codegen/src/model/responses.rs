//! What operations respond with: successes and errors.

use super::types::Type;

/// What an operation that succeeds returns.
#[derive(Debug, Clone)]
pub enum Success {
    /// One of dropshot's response types.
    Dropshot(SuccessResponse),
    /// A generated enum: no body, several statuses, several media types, or a status that dropshot has no type for.
    Responses(ResponseEnum),
    /// A `default` response that may be anything: `http::Response<dropshot::Body>`.
    Freeform,
}

impl Success {
    /// The responses that it stands for.
    pub fn forms(&self) -> Vec<ResponseForm> {
        match self {
            Success::Dropshot(success) => vec![success.form.clone()],
            Success::Responses(of) => of.forms(),
            Success::Freeform => vec![ResponseForm {
                status: StatusSet::Default,
                media_type: Some("*/*".to_owned()),
                content: ResponseContent::Bytes,
            }],
        }
    }
}

/// dropshot's response type, and the struct of its headers.
#[derive(Debug, Clone)]
pub struct SuccessResponse {
    /// `HttpResponseOk`, …
    pub wrapper: &'static str,
    /// Its content is empty, JSON or bytes.
    pub form: ResponseForm,
    /// The struct of its headers.
    pub headers: Option<String>,
}

#[derive(Debug, Clone)]
pub enum ErrorType {
    /// A type that knows its own status.
    Itself(String),
    /// dropshot's own error.
    HttpError,
    /// Any other type: `OperationError<T>` carries the status.
    Failure(Type),
    /// A generated enum: errors without a body, not JSON, or of several shapes.
    Responses(ResponseEnum),
}

/// An enum of the responses of an operation, in `responses.rs`: `GetPetResponse` or `GetPetError`.
#[derive(Debug, Clone)]
pub struct ResponseEnum {
    pub name: String,
    pub docs: String,
    pub is_error: bool,
    pub variants: Vec<ResponseVariant>,
}

impl ResponseEnum {
    pub fn forms(&self) -> Vec<ResponseForm> {
        let forms = self.variants.iter().map(|variant| &variant.form);
        forms.cloned().collect()
    }
}

/// A response by status and media type.
#[derive(Debug, Clone)]
pub struct ResponseVariant {
    pub name: String,
    pub docs: String,
    pub form: ResponseForm,
    /// The struct of its headers.
    pub headers: Option<String>,
}

/// A status with a media type.
#[derive(Debug, Clone)]
pub struct ResponseForm {
    pub status: StatusSet,
    /// `None` if there is no body.
    pub media_type: Option<String>,
    pub content: ResponseContent,
}

/// The statuses that a response is declared for. The variant of a class or of `default` carries the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusSet {
    Exact(u16),
    /// `4` for `4XX`
    Class(u8),
    Default,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ResponseContent {
    Empty,
    Json(Type),
    Text,
    Bytes,
    /// A stream of items of this type.
    Items(Type),
}
