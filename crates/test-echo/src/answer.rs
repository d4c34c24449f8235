//! What the implementation of a trait must answer: generated code builds the value of a variant from it.

use dropshot::{ErrorStatusCode, HttpError};
use http::{Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::body::{Body, read};
use crate::declared::DeclaredResponse;

/// The response that a call must get.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The position of the variant among those of the operation.
    pub variant: usize,
    /// The status.
    pub status: StatusCode,
    /// The media type of the body; `None` without a body.
    pub media_type: Option<String>,
    /// The values of the headers by their names in the document.
    pub headers: Map<String, Value>,
    /// The body.
    pub body: Body,
    /// What the document declares.
    pub(crate) declared: DeclaredResponse,
}

impl Answer {
    /// The status of an error.
    pub fn error_status(&self) -> Result<ErrorStatusCode, String> {
        ErrorStatusCode::from_status(self.status).map_err(|error| error.to_string())
    }

    /// An error that the server itself writes.
    pub fn http_error(&self) -> Result<HttpError, String> {
        Ok(HttpError {
            status_code: self.error_status()?,
            ..HttpError::for_internal_error("a sample of an error".to_owned())
        })
    }

    /// The media type of the body.
    #[must_use]
    pub fn media_type(&self) -> String {
        self.media_type.clone().unwrap_or_default()
    }

    /// The value of a header; null without one.
    pub fn header<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        read(self.headers.get(name).unwrap_or(&Value::Null))
    }

    /// The URL of a redirection.
    #[must_use]
    pub fn location(&self) -> String {
        let mut headers = self.headers.iter();
        let location = headers.find(|(name, _)| name.eq_ignore_ascii_case("location"));
        let location = location.and_then(|(_, value)| value.as_str());
        location.unwrap_or("/elsewhere").to_owned()
    }

    /// The response as it is.
    pub fn response(&self) -> Result<Response<dropshot::Body>, String> {
        let response = Response::builder().status(self.status);
        let response = match &self.media_type {
            Some(media_type) => response.header(http::header::CONTENT_TYPE, media_type),
            None => response,
        };
        let body = match self.body {
            Body::Empty => dropshot::Body::empty(),
            _ => self.body.bytes()?.into(),
        };
        response.body(body).map_err(|error| error.to_string())
    }

    /// The error for a variant that the generated code does not have.
    #[must_use]
    pub fn unknown_variant(&self) -> String {
        format!("the operation has no variant {}", self.variant)
    }
}
