//! What a generated program says about an operation, and how it calls it.

use std::pin::Pin;

use crate::called::Called;
use crate::given::Given;

/// The result of a call: what the client returned, or why it has no response that the document declares.
pub type Calling<'a> = Pin<Box<dyn Future<Output = Result<Called, String>> + Send + 'a>>;

/// An operation of a generated client `C`, and of the trait that implements it.
pub struct Operation<C> {
    /// `GET`, …
    pub method: &'static str,
    /// The path template.
    pub path: &'static str,
    /// The responses that the method of the trait can return, by their index in [`crate::Answer`].
    pub variants: &'static [Variant],
    /// Calls it through the client.
    pub call: for<'a> fn(&'a C, &'a Given) -> Calling<'a>,
}

/// A response that a method of a trait can return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Which of the declared responses it is.
    pub kind: VariantKind,
    /// Whether it is an `Err`.
    pub is_error: bool,
    /// The status; `None` if the value carries it.
    pub status: Option<u16>,
    /// The media type of the body; `None` without a body, or if the value carries it.
    pub media_type: Option<&'static str>,
    /// What the body is.
    pub content: Content,
}

/// The declared responses that a variant stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantKind {
    /// One.
    One,
    /// All errors, with a body that the document declares for them.
    AnyError,
    /// All errors, written by the server itself.
    ServerError,
    /// All successes: the method returns an HTTP response.
    Free,
    /// The upgrade to a WebSocket.
    Channel,
}

/// What the body of a response is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Empty,
    /// One JSON value.
    Json,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
    /// A stream of items, planned as a JSON array.
    Items,
}
