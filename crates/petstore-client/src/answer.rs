//! One attempt's answer, read to its end: only then is it certain that the connection held, and only then can its error
//! code be looked at before the caller gets it.

use reqwest::Response;
#[cfg(not(target_arch = "wasm32"))]
use reqwest::{ResponseBuilderExt, StatusCode, header};

use crate::ErrorCode;
use crate::quota::retry_after;
use crate::retry::Outcome;
#[cfg(not(target_arch = "wasm32"))]
use crate::types;

/// What an attempt that ended this way means for the next one.
pub(crate) fn outcome(attempt: &reqwest::Result<Answer>) -> Outcome {
    match attempt {
        Ok(answer) => Outcome::Answered {
            status: answer.status(),
            code: answer.code(),
            retry_after: retry_after(answer.headers()),
        },
        Err(error) if error.is_builder() || error.is_redirect() => Outcome::Hopeless,
        Err(error) if is_connect(error) => Outcome::Unsent,
        Err(_) => Outcome::Lost,
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn is_connect(error: &reqwest::Error) -> bool {
    error.is_connect()
}

/// A browser does not tell.
#[cfg(target_arch = "wasm32")]
fn is_connect(_: &reqwest::Error) -> bool {
    false
}

/// The code in the body of an answer that was read as none of the operation's own.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn code(response: &Response) -> Option<ErrorCode> {
    let Body(body) = response.extensions().get()?;
    code_in(body)
}

/// The same answer again, if it is an error whose body is not that of the service's errors.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn foreign_error(response: &Response) -> Option<Response> {
    let Body(body) = response.extensions().get()?;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let is_foreign = is_error && serde_json::from_slice::<types::Error>(body).is_err();
    is_foreign.then(|| Answer::of(response, body.clone()).into_response())
}

#[cfg(not(target_arch = "wasm32"))]
fn code_in(body: &[u8]) -> Option<ErrorCode> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    body.get("code")?.as_str().map(ErrorCode::from)
}

/// A browser does not tell.
#[cfg(target_arch = "wasm32")]
pub(crate) fn code(_: &Response) -> Option<ErrorCode> {
    None
}

/// A browser does not tell.
#[cfg(target_arch = "wasm32")]
pub(crate) fn foreign_error(_: &Response) -> Option<Response> {
    None
}

/// The body of an answer, for whoever may look at the answer but not take it.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone)]
struct Body(bytes::Bytes);

/// An answer that can still be handed on.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    headers: header::HeaderMap,
    url: reqwest::Url,
    version: http::Version,
    body: bytes::Bytes,
}

#[cfg(not(target_arch = "wasm32"))]
impl Answer {
    /// Reads the answer to its end.
    pub(crate) async fn read(response: Response) -> reqwest::Result<Self> {
        let head = Self::of(&response, bytes::Bytes::new());
        let body = response.bytes().await?;
        Ok(Self { body, ..head })
    }

    fn of(response: &Response, body: bytes::Bytes) -> Self {
        Self {
            status: response.status(),
            headers: response.headers().clone(),
            url: response.url().clone(),
            version: response.version(),
            body,
        }
    }

    fn status(&self) -> StatusCode {
        self.status
    }

    fn headers(&self) -> &header::HeaderMap {
        &self.headers
    }

    fn code(&self) -> Option<ErrorCode> {
        if self.status.is_success() {
            return None;
        }
        code_in(&self.body)
    }

    /// The answer as it came.
    pub(crate) fn into_response(self) -> Response {
        let mut builder = http::Response::builder()
            .status(self.status)
            .version(self.version)
            .extension(Body(self.body.clone()))
            .url(self.url);
        if let Some(headers) = builder.headers_mut() {
            *headers = self.headers;
        }
        let response = builder.body(self.body);
        Response::from(response.expect("every part was valid in the answer it comes from"))
    }

    /// The same answer, for another call.
    pub(crate) fn copy(&self) -> Option<Self> {
        Some(self.clone())
    }

    /// The answer with so many seconds to wait.
    pub(crate) fn with_retry_after(mut self, seconds: u64) -> Self {
        self.headers.insert(header::RETRY_AFTER, seconds.into());
        self
    }

    /// The answer as if this very attempt had deleted what is gone.
    pub(crate) fn into_deleted(mut self) -> Response {
        self.status = StatusCode::NO_CONTENT;
        self.headers.remove(header::CONTENT_LENGTH);
        self.headers.remove(header::CONTENT_TYPE);
        self.body = bytes::Bytes::new();
        self.into_response()
    }
}

/// A browser's answer. It cannot be put together again, so it is handed on unread: its error code stays unknown here.
#[cfg(target_arch = "wasm32")]
#[derive(Debug)]
pub(crate) struct Answer(Response);

#[cfg(target_arch = "wasm32")]
impl Answer {
    pub(crate) async fn read(response: Response) -> reqwest::Result<Self> {
        Ok(Self(response))
    }

    fn status(&self) -> reqwest::StatusCode {
        self.0.status()
    }

    fn headers(&self) -> &reqwest::header::HeaderMap {
        self.0.headers()
    }

    fn code(&self) -> Option<ErrorCode> {
        None
    }

    pub(crate) fn into_response(self) -> Response {
        self.0
    }

    pub(crate) fn into_deleted(self) -> Response {
        self.0
    }

    pub(crate) fn copy(&self) -> Option<Self> {
        None
    }

    pub(crate) fn with_retry_after(self, _: u64) -> Self {
        self
    }
}
