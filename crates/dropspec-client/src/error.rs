//! The error of a call. Its text says what the service answered: the status, the text and code of its error, and the id
//! of the request.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::fmt;

use bytes::Bytes;
use reqwest::StatusCode;
use serde::Serialize;

use crate::answer::{Answer, excerpt, redact_url};
use crate::error_response::{ErrorResponse, UnexpectedResponse};
use crate::sending::body_of;
use crate::settings::SettingsError;

/// Why a call has no result. `E` is the error that the document declares for the operation.
pub enum Error<E = ()> {
    /// Nothing was sent, or every attempt would fail in the same way. The text says what to correct.
    InvalidRequest(String),
    /// There was no response. Only without retries; with retries it is `GaveUp`.
    CommunicationError(reqwest::Error),
    /// The client gave up. The text says why, how often and for how long it tried, and whether a change may have been made.
    GaveUp(String),
    /// The connection could not be upgraded.
    InvalidUpgrade(reqwest::Error),
    /// An error that the document declares.
    ErrorResponse(ErrorResponse<E>),
    /// The body of a response breaks off.
    ResponseBodyError(reqwest::Error),
    /// The body of a response, which is not what the document declares.
    InvalidResponsePayload(Bytes, serde_json::Error),
    /// A response that the document does not declare, of whatever status.
    UnexpectedResponse(UnexpectedResponse),
    /// An error of a hook. Those of a client by progenitor also say by it that they gave up.
    Custom(String),
}

impl<E> Error<E> {
    /// What the service answered, if that is an error.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match self {
            Error::ErrorResponse(response) => Some(&response.answer),
            Error::UnexpectedResponse(response) => Some(&response.answer),
            _ => None,
        }
    }

    /// The status of the response; `None` if there was none, or if its body is not what the document declares.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Error::CommunicationError(error)
            | Error::InvalidUpgrade(error)
            | Error::ResponseBodyError(error) => error.status(),
            other => other.answer().map(|answer| answer.status),
        }
    }

    /// What went wrong, for people: the text of the service, or what the client says.
    pub fn message(&self) -> String {
        match self.answer() {
            Some(answer) => answer.message.clone(),
            None => self.to_string(),
        }
    }

    /// The code of the service's error, for programs.
    pub fn code(&self) -> Option<&str> {
        self.answer()?.code.as_deref()
    }

    /// The id under which the service knows the request, such as its `X-Request-Id`.
    pub fn request_id(&self) -> Option<&str> {
        self.answer()?.request_id.as_deref()
    }

    /// The error without the body of the document's type, so that errors of all operations have one type. Its text stays.
    pub fn into_untyped(self) -> Error {
        self.map_response(|response| Error::ErrorResponse(response.into_untyped()))
    }

    /// The error with another type of the body that the document declares.
    pub(crate) fn map_response<F>(
        self,
        map: impl FnOnce(ErrorResponse<E>) -> Error<F>,
    ) -> Error<F> {
        match self {
            Error::ErrorResponse(response) => map(response),
            Error::InvalidRequest(text) => Error::InvalidRequest(text),
            Error::CommunicationError(error) => Error::CommunicationError(error),
            Error::InvalidUpgrade(error) => Error::InvalidUpgrade(error),
            Error::ResponseBodyError(error) => Error::ResponseBodyError(error),
            Error::InvalidResponsePayload(bytes, error) => {
                Error::InvalidResponsePayload(bytes, error)
            }
            Error::UnexpectedResponse(response) => Error::UnexpectedResponse(response),
            Error::GaveUp(text) => Error::GaveUp(text),
            Error::Custom(text) => Error::Custom(text),
        }
    }
}

impl<E> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::InvalidRequest(text) => write!(f, "the request is invalid: {text}"),
            Error::CommunicationError(error) => error.fmt(f),
            Error::InvalidUpgrade(error) => write!(f, "the connection is not upgraded: {error}"),
            Error::ErrorResponse(response) => f.write_str(&response.summary()),
            Error::ResponseBodyError(error) => {
                write!(f, "the body of the response breaks off: {error}")
            }
            Error::InvalidResponsePayload(body, error) => {
                let body = excerpt(body);
                write!(f, "the response is not what is declared: {error}: {body}")
            }
            Error::UnexpectedResponse(response) => {
                write!(f, "unexpected response {}", response.summary())
            }
            Error::GaveUp(text) | Error::Custom(text) => f.write_str(text),
        }
    }
}

/// The line that a program prints which ends with the error: the text and the causes. `{:#?}` has the headers, too, without
/// credentials.
impl<E> fmt::Debug for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        if let Error::UnexpectedResponse(response) = self {
            write!(f, "; url: {}", response.url())?;
        }
        if let Some(answer) = self.answer().filter(|_| f.alternate()) {
            answer.write_headers(f)?;
        }
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl<E> StdError for Error<E> {
    // The text contains that of the error itself.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Error::CommunicationError(error)
            | Error::InvalidUpgrade(error)
            | Error::ResponseBodyError(error) => error.source(),
            _ => None,
        }
    }
}

impl<E> From<reqwest::Error> for Error<E> {
    fn from(error: reqwest::Error) -> Self {
        if error.is_body() || error.is_decode() {
            Error::ResponseBodyError(error)
        } else {
            Error::CommunicationError(error)
        }
    }
}

/// The settings of the client are wrong, so that it sends nothing.
impl<E> From<SettingsError> for Error<E> {
    fn from(error: SettingsError) -> Self {
        Error::InvalidRequest(error.to_string())
    }
}

impl<E> From<Infallible> for Error<E> {
    fn from(error: Infallible) -> Self {
        match error {}
    }
}

/// The error of a call of a client by progenitor, or of a hook. The body of an unexpected response is known if
/// [`Hooks`](crate::Hooks) received it.
impl<E: Serialize> From<progenitor_client::Error<E>> for Error<E> {
    fn from(error: progenitor_client::Error<E>) -> Self {
        use progenitor_client::Error as Generated;
        match error {
            Generated::InvalidRequest(text) => Error::InvalidRequest(text),
            Generated::CommunicationError(error) => Error::CommunicationError(error),
            Generated::InvalidUpgrade(error) => Error::InvalidUpgrade(error),
            Generated::ResponseBodyError(error) => Error::ResponseBodyError(error),
            Generated::InvalidResponsePayload(bytes, error) => {
                Error::InvalidResponsePayload(bytes, error)
            }
            Generated::UnexpectedResponse(response) => {
                let body = body_of(&response).cloned().unwrap_or_default();
                Error::UnexpectedResponse(UnexpectedResponse::from_response(&response, body))
            }
            Generated::Custom(text) => Error::Custom(text),
            Generated::ErrorResponse(response) => {
                let (status, headers) = (response.status(), response.headers().clone());
                let value = response.into_inner();
                let body = serde_json::to_vec(&value).unwrap_or_default();
                Error::ErrorResponse(ErrorResponse::new(value, status, headers, &body))
            }
        }
    }
}

/// The error without what may be secret in its URL. Its text still says where the request went.
pub(crate) fn redact<E>(error: Error<E>) -> Error<E> {
    match error {
        Error::CommunicationError(error) => Error::CommunicationError(redact_cause(error)),
        Error::InvalidUpgrade(error) => Error::InvalidUpgrade(redact_cause(error)),
        Error::ResponseBodyError(error) => Error::ResponseBodyError(redact_cause(error)),
        other => other,
    }
}

pub(crate) fn redact_cause(mut error: reqwest::Error) -> reqwest::Error {
    if let Some(url) = error.url_mut() {
        redact_url(url);
    }
    error
}

#[cfg(test)]
mod tests {
    use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

    use super::*;

    #[test]
    fn debug_is_one_line_and_its_long_form_has_the_headers() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let body = br#"{"code": "pet_not_found", "message": "pet 9 does not exist"}"#;
        let response = ErrorResponse::new((), StatusCode::NOT_FOUND, headers, body);
        let error: Error = Error::ErrorResponse(response);
        assert_eq!(
            format!("{error:?}"),
            "404 pet_not_found: pet 9 does not exist"
        );
        let long = format!("{error:#?}");
        assert!(
            long.contains("headers: ") && long.contains("application/json"),
            "{long}"
        );
    }
}
