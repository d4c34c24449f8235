//! The bodies of requests: their media types, and the parts of multipart bodies.

use super::types::Type;

#[derive(Debug, Clone)]
pub(crate) struct RequestBody {
    /// Without it the argument is an `Option`.
    pub(crate) required: bool,
    /// The media types that the operation accepts, in the order of the document; at least one.
    pub(crate) forms: Vec<BodyForm>,
    /// The name of the enum with a variant for each form, if there are several.
    pub(crate) choice: Option<String>,
}

impl RequestBody {
    /// The form of the body; `None` if there are several.
    pub(crate) fn only(&self) -> Option<&BodyForm> {
        match self.forms.as_slice() {
            [form] => Some(form),
            _ => None,
        }
    }

    /// The parts of its multipart forms.
    pub(crate) fn multiparts(&self) -> impl Iterator<Item = &MultipartParts> {
        self.forms.iter().filter_map(|form| match &form.content {
            BodyContent::Multipart(parts) => Some(parts),
            _ => None,
        })
    }
}

/// A media type of a request body.
#[derive(Debug, Clone)]
pub(crate) struct BodyForm {
    /// Its variant in the enum of all forms.
    pub(crate) variant: String,
    /// The media type, as the document has it.
    pub(crate) media_type: String,
    pub(crate) content: BodyContent,
}

#[derive(Debug, Clone)]
pub(crate) enum BodyContent {
    /// `application/json` and other types whose essence ends in `json`.
    Json(Type),
    /// `application/x-www-form-urlencoded`
    Form(Type),
    /// `multipart/form-data`
    Multipart(MultipartParts),
    /// Text, such as `text/plain` and XML.
    Text,
    /// All else, as a stream.
    Bytes,
}

/// The enum of the parts of a multipart body.
#[derive(Debug, Clone)]
pub(crate) struct MultipartParts {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) parts: Vec<Part>,
    /// The variant of parts that the schema does not name; `None` if it allows none.
    pub(crate) other: Option<String>,
}

/// A part of a multipart body: a property of its schema.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) variant: String,
    pub(crate) wire: String,
    pub(crate) docs: String,
    pub(crate) content: PartContent,
    /// What it is sent as, if the document declares that.
    pub(crate) media_type: Option<String>,
    pub(crate) required: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum PartContent {
    /// A scalar, as text.
    Text(Type),
    Json(Type),
    File,
}
