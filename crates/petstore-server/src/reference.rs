//! The description of the interface, served as it was written.

use dropshot::Body;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};

/// A form that the description is served in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// `spec/petstore.yaml`, byte for byte.
    Yaml,
    /// The same as JSON, in the same order.
    Json,
}

impl Document {
    /// Where it is served.
    pub fn path(self) -> &'static str {
        match self {
            Document::Yaml => "/openapi.yaml",
            Document::Json => "/openapi.json",
        }
    }
}

/// The document at a path, if there is one.
pub fn find(path: &str) -> Option<Document> {
    [Document::Yaml, Document::Json]
        .into_iter()
        .find(|document| document.path() == path)
}

/// The answer that holds a document.
pub fn serve(document: Document) -> Response<Body> {
    let (media_type, text) = match document {
        // RFC 9512 registers application/yaml.
        Document::Yaml => ("application/yaml", petstore_api::DOCUMENT_YAML),
        Document::Json => ("application/json", petstore_api::DOCUMENT.text()),
    };
    let mut response = Response::new(Body::from(text));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
