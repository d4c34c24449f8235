//! The bodies of requests: their media types, and the parts of multipart bodies.

use super::types::Type;

#[derive(Debug, Clone)]
pub struct RequestBody {
    /// Without it the argument is an `Option`.
    pub required: bool,
    /// The media types that the operation accepts, in the order of the document; at least one.
    pub forms: Vec<BodyForm>,
    /// The name of the enum with a variant for each form, if there are several.
    pub choice: Option<String>,
}

impl RequestBody {
    /// The form of the body; `None` if there are several.
    pub fn only(&self) -> Option<&BodyForm> {
        match self.forms.as_slice() {
            [form] => Some(form),
            _ => None,
        }
    }

    /// The parts of its multipart forms.
    pub fn multiparts(&self) -> impl Iterator<Item = &MultipartParts> {
        self.forms.iter().filter_map(|form| match &form.content {
            BodyContent::Multipart(parts) => Some(parts),
            _ => None,
        })
    }
}

/// A media type of a request body.
#[derive(Debug, Clone)]
pub struct BodyForm {
    /// Its variant in the enum of all forms.
    pub variant: String,
    /// The media type, as the document has it.
    pub media_type: String,
    pub content: BodyContent,
}

#[derive(Debug, Clone)]
pub enum BodyContent {
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
pub struct MultipartParts {
    pub name: String,
    pub docs: String,
    pub parts: Vec<Part>,
    /// The variant of parts that the schema does not name; `None` if it allows none.
    pub other: Option<String>,
}

/// A part of a multipart body: a property of its schema.
#[derive(Debug, Clone)]
pub struct Part {
    pub variant: String,
    pub wire: String,
    pub docs: String,
    pub content: PartContent,
    /// What it is sent as, if the document declares that.
    pub media_type: Option<String>,
    pub required: bool,
}

#[derive(Debug, Clone)]
pub enum PartContent {
    /// A scalar, as text.
    Text(Type),
    Json(Type),
    File,
}
