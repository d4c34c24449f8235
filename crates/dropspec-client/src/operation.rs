//! What the document says about an operation, as a constant that generated code contains.

use dropspec_schema::wire::{Location, Parameter};

/// An operation of the document.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The name of its method.
    pub id: &'static str,
    /// `GET`, …
    pub method: &'static str,
    /// The path template.
    pub path: &'static str,
    /// Its parameters; a request refers to them by their positions.
    pub parameters: &'static [Parameter<'static>],
    /// Whether requests without a body are refused.
    pub body_required: bool,
    /// The successful responses. [`Payload::response_index`](crate::Payload::response_index) is one in this list.
    pub success: &'static [DeclaredResponse],
    /// The errors. [`Payload::response_index`](crate::Payload::response_index) is one in this list.
    pub errors: &'static [DeclaredResponse],
    /// The alternatives of security schemes that a request satisfies, as positions in the list of schemes. If requests may
    /// be anonymous, the last one is empty.
    pub security: &'static [&'static [usize]],
    /// Whether it upgrades the connection to a WebSocket.
    pub channel: bool,
    /// Whether it costs nothing, so that it also succeeds when a rate limit is used up.
    pub free: bool,
}

/// A response that an operation declares: a status with a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredResponse {
    /// The statuses.
    pub status: Status,
    /// The media type, which may be a range such as `image/*`. `None` if there is no body.
    pub media_type: Option<&'static str>,
    /// How the body is read.
    pub content: Content,
}

/// The statuses of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// One status.
    Exact(u16),
    /// The statuses with this first digit.
    Class(u8),
    /// Every status that is not declared otherwise.
    Default,
}

/// How the body of a response is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// It is ignored.
    Empty,
    /// As JSON.
    Json,
    /// As text.
    Text,
    /// As a stream of bytes.
    Bytes,
    /// As a stream of items.
    Items,
}

impl Operation {
    /// What most operations share: no parameters, responses and credentials. A table names its fields before it.
    pub const EMPTY: Self = Self {
        id: "",
        method: "GET",
        path: "",
        parameters: &[],
        body_required: false,
        success: &[],
        errors: &[],
        security: &[],
        channel: false,
        free: false,
    };

    /// Whether a parameter is the header of this name in lower case.
    pub(crate) fn has_header(&self, name: &str) -> bool {
        let is_header =
            |of: &Parameter| of.location == Location::Header && of.name.eq_ignore_ascii_case(name);
        self.parameters.iter().any(is_header)
    }
}

impl DeclaredResponse {
    /// A response whose body is JSON.
    pub const fn json(status: Status, media_type: &'static str) -> Self {
        Self::new(status, media_type, Content::Json)
    }

    /// A response whose body is text.
    pub const fn text(status: Status, media_type: &'static str) -> Self {
        Self::new(status, media_type, Content::Text)
    }

    /// A response whose body is bytes.
    pub const fn bytes(status: Status, media_type: &'static str) -> Self {
        Self::new(status, media_type, Content::Bytes)
    }

    /// A response whose body is a stream of items.
    pub const fn items(status: Status, media_type: &'static str) -> Self {
        Self::new(status, media_type, Content::Items)
    }

    /// A response without a body.
    pub const fn empty(status: Status) -> Self {
        Self {
            status,
            media_type: None,
            content: Content::Empty,
        }
    }

    const fn new(status: Status, media_type: &'static str, content: Content) -> Self {
        Self {
            status,
            media_type: Some(media_type),
            content,
        }
    }
}
