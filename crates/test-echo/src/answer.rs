//! What the implementation of a trait must answer: generated code builds the value of a variant from it.

use dropshot::{Body, ErrorStatusCode, HttpError};
use http::{Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::declared::DeclaredHeader;
use crate::given::read;

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
    pub body: AnswerBody,
    /// What the document declares.
    pub(crate) declared: DeclaredAnswer,
}

/// What the document declares for a response.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredAnswer {
    /// The schema of the body.
    pub(crate) schema: Value,
    pub(crate) headers: Vec<DeclaredHeader>,
}

/// The body of a response.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerBody {
    /// None.
    Empty,
    /// One JSON value.
    Json(Value),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(&'static [u8]),
}

impl Answer {
    /// The body as a type of the interface.
    ///
    /// # Errors
    ///
    /// The type does not take the sample, or the body is not JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, String> {
        match &self.body {
            AnswerBody::Json(value) => read(value),
            other => Err(format!(
                "the interface answers with JSON, not with {other:?}"
            )),
        }
    }

    /// The body as text.
    ///
    /// # Errors
    ///
    /// The body is not text.
    pub fn text(&self) -> Result<String, String> {
        match &self.body {
            AnswerBody::Text(text) => Ok(text.clone()),
            other => Err(format!(
                "the interface answers with text, not with {other:?}"
            )),
        }
    }

    /// The body as bytes.
    ///
    /// # Errors
    ///
    /// There is no body.
    pub fn bytes(&self) -> Result<Body, String> {
        Ok(match &self.body {
            AnswerBody::Empty => return Err("the interface answers with a body".to_owned()),
            AnswerBody::Json(value) => value.to_string().into(),
            AnswerBody::Text(text) => text.clone().into(),
            AnswerBody::Bytes(bytes) => bytes.to_vec().into(),
        })
    }

    /// The status of an error.
    ///
    /// # Errors
    ///
    /// It is not one of an error.
    pub fn error_status(&self) -> Result<ErrorStatusCode, String> {
        ErrorStatusCode::from_status(self.status).map_err(|error| error.to_string())
    }

    /// An error that the server itself writes.
    ///
    /// # Errors
    ///
    /// The status is not one of an error.
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
    ///
    /// # Errors
    ///
    /// The type does not take the sample.
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
    ///
    /// # Errors
    ///
    /// The media type or a header cannot be written.
    pub fn response(&self) -> Result<Response<Body>, String> {
        let response = Response::builder().status(self.status);
        let response = match &self.media_type {
            Some(media_type) => response.header(http::header::CONTENT_TYPE, media_type),
            None => response,
        };
        let body = match self.body {
            AnswerBody::Empty => Body::empty(),
            _ => self.bytes()?,
        };
        response.body(body).map_err(|error| error.to_string())
    }

    /// The error for a variant that the generated code does not have.
    #[must_use]
    pub fn unknown_variant(&self) -> String {
        format!("the operation has no variant {}", self.variant)
    }
}
