//! A request body after it was decoded, or before the handler reads it.

use std::sync::{Arc, Mutex};

use dropshot::Body;
use serde_json::Value;

use crate::multipart::MultipartDecoder;

/// The body of a request: decoded, or to be read by the handler.
#[derive(Debug, Default)]
pub struct IncomingBody {
    pub(crate) media_type: usize,
    pub(crate) content: Content,
}

#[derive(Debug, Default)]
pub(crate) enum Content {
    #[default]
    None,
    Value(Value),
    Text(String),
    Stream(Box<BodyStream>),
}

/// A body that the handler reads. It is taken once.
#[derive(Debug)]
pub(crate) struct BodyStream {
    pub(crate) body: Mutex<Option<Body>>,
    pub(crate) content_type: Option<String>,
    pub(crate) multipart: Option<(String, Arc<MultipartDecoder>)>,
}

impl IncomingBody {
    /// The decoded value of a JSON body or form.
    pub fn value(&self) -> Option<&Value> {
        match &self.content {
            Content::Value(value) => Some(value),
            _ => None,
        }
    }
}
