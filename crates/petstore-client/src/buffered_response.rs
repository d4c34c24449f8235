//! A response read to its end. Only then is it certain that the connection held, and only then can the error code in the
//! body decide about a retry.

use bytes::Bytes;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Response, ResponseBuilderExt, StatusCode};

use crate::no_response::classify_error;
use crate::response_metadata::parse_retry_after;
use crate::retry::AttemptOutcome;
use crate::{ErrorCode, types};

/// A response that was received completely: status, headers and the whole body in memory.
#[derive(Clone, Debug)]
pub(crate) struct BufferedResponse {
    status: StatusCode,
    headers: HeaderMap,
    url: reqwest::Url,
    version: http::Version,
    body: Bytes,
}

/// The body of a response, stored as an extension of it so that it can be read without consuming the response.
#[derive(Clone)]
struct BodyExtension(Bytes);

impl BufferedResponse {
    /// Reads the body of a response to its end.
    pub(crate) async fn read(response: Response) -> reqwest::Result<Self> {
        let head = Self::from_parts(&response, Bytes::new());
        let body = response.bytes().await?;
        Ok(Self { body, ..head })
    }

    fn from_parts(response: &Response, body: Bytes) -> Self {
        Self {
            status: response.status(),
            headers: response.headers().clone(),
            url: response.url().clone(),
            version: response.version(),
            body,
        }
    }

    /// Converts this back into a `reqwest::Response`, with the same status, headers and body.
    pub(crate) fn into_response(self) -> Response {
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

    /// Status and headers.
    pub(crate) fn head(&self) -> (StatusCode, &HeaderMap) {
        (self.status, &self.headers)
    }

    /// Status and error code, such as `503 unavailable`.
    pub(crate) fn summary(&self) -> String {
        let status = self.status.as_u16();
        match parse_error_code(&self.body) {
            Some(code) => format!("{status} {code}"),
            None => status.to_string(),
        }
    }

    /// Sets the header `Retry-After` of the response to this number of seconds.
    pub(crate) fn with_retry_after(mut self, seconds: u64) -> Self {
        self.headers.insert(RETRY_AFTER, seconds.into());
        self
    }

    /// Replaces the 404 of a repeated `DELETE` by an empty 204: an earlier attempt had deleted the record.
    pub(crate) fn into_deleted(mut self) -> Response {
        self.status = StatusCode::NO_CONTENT;
        self.headers.remove(CONTENT_LENGTH);
        self.headers.remove(CONTENT_TYPE);
        self.body = Bytes::new();
        self.into_response()
    }

    /// Replaces the 412 of a repeated request by the error `outcome_unknown`, as the service itself would report it.
    pub(crate) fn into_outcome_unknown(mut self) -> Response {
        self.status = StatusCode::INTERNAL_SERVER_ERROR;
        self.headers.remove(CONTENT_LENGTH);
        let error = types::Error {
            code: ErrorCode::OutcomeUnknown.to_string(),
            message: "the record changed, perhaps by an earlier attempt of this request whose response was lost; \
                      read it to find out"
                .to_owned(),
            status: self.status.as_u16().into(),
        };
        let body = serde_json::to_vec(&error).expect("an error is JSON");
        self.body = body.into();
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
            code: (!response.status.is_success())
                .then(|| parse_error_code(&response.body))
                .flatten(),
            retry_after: parse_retry_after(&response.headers),
        },
        Err(error) => AttemptOutcome::NoResponse(classify_error(error, url)),
    }
}

/// The service's error in the body of a response that [`BufferedResponse::into_response`] returned.
pub(crate) fn read_service_error(response: &Response) -> Option<types::Error> {
    let BodyExtension(body) = response.extensions().get()?;
    serde_json::from_slice(body).ok()
}

/// If a response is an error whose body is not an `Error` object of the service (for example a proxy's page), returns a
/// copy of it with its body; otherwise `None`.
pub(crate) fn copy_foreign_error(response: &Response) -> Option<Response> {
    let BodyExtension(body) = response.extensions().get()?;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let is_foreign = is_error && serde_json::from_slice::<types::Error>(body).is_err();
    is_foreign.then(|| BufferedResponse::from_parts(response, body.clone()).into_response())
}

fn parse_error_code(body: &[u8]) -> Option<ErrorCode> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    body.get("code")?.as_str().map(ErrorCode::from)
}
