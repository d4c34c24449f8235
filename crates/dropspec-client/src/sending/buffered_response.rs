//! A response read to its end. Only then is it certain that the connection held, and only then can the error code in the
//! body decide about a retry.

use bytes::Bytes;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Response, ResponseBuilderExt, StatusCode};

use crate::sending::headers::parse_retry_after;
use crate::sending::no_response::classify_error;
use crate::sending::retry::AttemptOutcome;

/// A response that was received completely: status, headers and the whole body in memory.
#[derive(Clone, Debug)]
pub struct BufferedResponse {
    status: StatusCode,
    headers: HeaderMap,
    url: reqwest::Url,
    version: http::Version,
    body: Bytes,
    /// The code in the body of an error.
    code: Option<String>,
}

/// The body of a response, stored as an extension of it so that it can be read without consuming the response.
#[derive(Clone)]
struct BodyExtension(Bytes);

/// The body of a response that [`BufferedResponse::into_response`] returned.
pub fn body_of(response: &Response) -> Option<&Bytes> {
    response.extensions().get().map(|BodyExtension(body)| body)
}

impl BufferedResponse {
    /// Reads the body of a response to its end.
    pub(crate) async fn read(
        response: Response,
        read_code: impl Fn(StatusCode, &[u8]) -> Option<String>,
    ) -> reqwest::Result<Self> {
        let head = Self::from_parts(&response, Bytes::new());
        let body = response.bytes().await?;
        let is_error = !head.status.is_success();
        let code = is_error.then(|| read_code(head.status, &body)).flatten();
        Ok(Self { body, code, ..head })
    }

    /// A copy of a response that [`Self::into_response`] returned.
    pub fn copy(response: &Response) -> Option<Self> {
        let body = body_of(response)?;
        Some(Self::from_parts(response, body.clone()))
    }

    fn from_parts(response: &Response, body: Bytes) -> Self {
        Self {
            status: response.status(),
            headers: response.headers().clone(),
            url: response.url().clone(),
            version: response.version(),
            body,
            code: None,
        }
    }

    /// Converts this back into a `reqwest::Response`, with the same status, headers and body.
    pub fn into_response(self) -> Response {
        let mut builder = http::Response::builder()
            .status(self.status)
            .version(self.version)
            .extension(BodyExtension(self.body.clone()))
            .url(self.url);
        if let Some(headers) = builder.headers_mut() {
            *headers = self.headers;
        }
        let response = builder.body(self.body);
        Response::from(response.expect("all parts come from a valid response"))
    }

    pub(crate) fn head(&self) -> (StatusCode, &HeaderMap) {
        (self.status, &self.headers)
    }

    /// Status and error code, such as `503 unavailable`.
    pub(crate) fn summary(&self) -> String {
        let status = self.status.as_u16();
        match &self.code {
            Some(code) => format!("{status} {code}"),
            None => status.to_string(),
        }
    }

    /// Sets the header `Retry-After` of the response to this number of seconds.
    pub(crate) fn with_retry_after(mut self, seconds: u64) -> Self {
        self.headers.insert(RETRY_AFTER, seconds.into());
        self
    }

    /// Replaces an error by an empty success.
    pub fn into_success(mut self, status: StatusCode) -> Response {
        self.status = status;
        self.headers.remove(CONTENT_LENGTH);
        self.headers.remove(CONTENT_TYPE);
        self.body = Bytes::new();
        self.into_response()
    }

    /// Replaces status and body.
    pub fn into_error(mut self, status: StatusCode, body: Bytes) -> Response {
        self.status = status;
        self.headers.remove(CONTENT_LENGTH);
        self.body = body;
        self.into_response()
    }
}

/// Classifies the result of sending a request once to a URL: a response, or how the connection failed.
pub(crate) fn classify_attempt(
    attempt: &reqwest::Result<BufferedResponse>,
    url: &reqwest::Url,
) -> AttemptOutcome {
    match attempt {
        Ok(response) => AttemptOutcome::Response {
            status: response.status,
            code: response.code.clone(),
            retry_after: parse_retry_after(&response.headers),
        },
        Err(error) => AttemptOutcome::NoResponse(classify_error(error, url)),
    }
}

/// Whether a response is an error of the client or of the server.
pub(crate) fn is_error(response: &Response) -> bool {
    response.status().is_client_error() || response.status().is_server_error()
}
