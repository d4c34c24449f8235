//! The responses that errors contain.

use std::fmt;
use std::ops::Deref;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode, Url};

use crate::answer::{Answer, excerpt, redact_url};

/// The bytes of an undeclared response that are read.
const MAX_BODY: usize = 64 * 1024;

/// A response that is an error: one that the document declares, with a body of its type, or an [`UnexpectedResponse`].
#[derive(Clone)]
pub struct ErrorResponse<E> {
    value: E,
    pub(crate) answer: Answer,
}

/// A response that the document does not declare.
pub type UnexpectedResponse = ErrorResponse<Undeclared>;

/// The URL and the body of a response that the document does not declare.
#[derive(Clone)]
pub struct Undeclared {
    url: Url,
    body: Bytes,
}

impl<E> ErrorResponse<E> {
    /// An error that was read from this body.
    pub fn new(value: E, status: StatusCode, headers: HeaderMap, body: &[u8]) -> Self {
        let answer = Answer::new(status, headers, body);
        Self { value, answer }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.answer.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.answer.headers
    }

    /// The body as the type of the document.
    pub fn into_inner(self) -> E {
        self.value
    }

    /// Status, code, text and id of the request, in a line.
    pub fn summary(&self) -> String {
        self.answer.to_string()
    }

    /// The text for people in the body, or the beginning of the body.
    pub fn message(&self) -> &str {
        &self.answer.message
    }

    /// The code for programs in the body.
    pub fn code(&self) -> Option<&str> {
        self.answer.code.as_deref()
    }

    /// The id under which the service knows the request, such as its `X-Request-Id`.
    pub fn request_id(&self) -> Option<&str> {
        self.answer.request_id.as_deref()
    }

    pub(crate) fn into_untyped(self) -> ErrorResponse<()> {
        ErrorResponse {
            value: (),
            answer: self.answer,
        }
    }
}

impl<E> Deref for ErrorResponse<E> {
    type Target = E;

    fn deref(&self) -> &E {
        &self.value
    }
}

impl<E: fmt::Debug> fmt::Debug for ErrorResponse<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.answer)?;
        self.answer.write_headers(f)?;
        write!(f, "; body: {:?}", self.value)
    }
}

impl UnexpectedResponse {
    pub(crate) fn from_response(response: &Response, body: Bytes) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut url = response.url().clone();
        redact_url(&mut url);
        let value = Undeclared {
            url,
            body: body.clone(),
        };
        Self::new(value, status, headers, &body)
    }

    /// Reads the beginning of the body.
    pub(crate) async fn read(mut response: Response) -> Self {
        let mut body = Vec::new();
        // If the body breaks off, what came before still says something.
        while body.len() < MAX_BODY
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(MAX_BODY);
        Self::from_response(&response, body.into())
    }
}

impl Undeclared {
    /// The URL of the response, without query, user and password.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The first 64 KiB of the body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The beginning of the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Its text, and from where it came.
impl fmt::Debug for Undeclared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} from {}", excerpt(&self.body), self.url)
    }
}
