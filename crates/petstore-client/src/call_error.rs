//! The error of a call. Its text is one line: what the service or the client says, without headers.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use progenitor_client::ResponseValue;
use reqwest::header::HeaderMap;

use crate::service_error::read_service_error;
use crate::{ErrorCode, ResponseMetadata, types};

/// The name that [`Error`] has in signatures beside other errors.
pub type CallError = Error;

/// Why a call has no result.
///
/// Its text is one line: `409 pet_not_available: the pet is sold (request 0198…)`. `Debug` adds the headers and the causes.
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::CallError> {
/// use petstore_client::ErrorCode;
///
/// match client.delete_pet(7).send().await {
///     Err(error) if error.code() == Some(ErrorCode::PetHasOpenOrders) => println!("not yet"),
///     Err(error) => println!("{} (ask about request {:?})", error.message(), error.request_id()),
///     Ok(_) => println!("deleted"),
/// }
/// # Ok(())
/// # }
/// ```
pub enum Error {
    /// Nothing was sent, or every attempt would fail in the same way. The text says what to correct.
    InvalidRequest(String),
    /// There was no response. Only without retries; with retries it is `Custom`.
    CommunicationError(reqwest::Error),
    /// The connection could not be upgraded.
    InvalidUpgrade(reqwest::Error),
    /// An error that the document declares for the operation.
    ErrorResponse(ResponseValue<types::Error>),
    /// The body of a response broke off. Only without retries.
    ResponseBodyError(reqwest::Error),
    /// The body of a success, which is not what the document declares.
    InvalidResponsePayload(Bytes, serde_json::Error),
    /// A response that the document does not declare, such as a proxy's page.
    UnexpectedResponse(reqwest::Response),
    /// The client gave up. The text says why, how often and for how long it tried, and whether a change may have been made.
    Custom(String),
}

impl Error {
    /// The status of the response; `None` if there was none, or if its body is not what the document declares.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Error::ErrorResponse(response) => Some(response.status()),
            Error::UnexpectedResponse(response) => Some(response.status()),
            Error::CommunicationError(error)
            | Error::InvalidUpgrade(error)
            | Error::ResponseBodyError(error) => error.status(),
            Error::InvalidRequest(_) | Error::InvalidResponsePayload(..) | Error::Custom(_) => None,
        }
    }

    /// The error code of the service; `None` if there is no response, or its body is not the service's `Error`.
    pub fn code(&self) -> Option<ErrorCode> {
        let code = |error: &types::Error| ErrorCode::from(error.code.as_str());
        match self {
            Error::ErrorResponse(response) => Some(code(response)),
            // An error that the operation does not declare, such as `route_not_found`.
            Error::UnexpectedResponse(response) => read_service_error(response).as_ref().map(code),
            _ => None,
        }
    }

    /// What went wrong, for people: the message of the service without its code, or what the client says.
    pub fn message(&self) -> String {
        match self {
            Error::ErrorResponse(response) => response.message.clone(),
            Error::UnexpectedResponse(response) => match read_service_error(response) {
                Some(error) => error.message,
                None => format!("unexpected response from {}", response.url()),
            },
            Error::InvalidRequest(text) | Error::Custom(text) => text.clone(),
            Error::CommunicationError(error) | Error::ResponseBodyError(error) => error.to_string(),
            Error::InvalidUpgrade(error) => format!("the connection is not upgraded: {error}"),
            Error::InvalidResponsePayload(_, error) => {
                format!("the response is not what the document declares: {error}")
            }
        }
    }

    /// The `X-Request-Id` under which the service logs the request; `None` if there was no response.
    pub fn request_id(&self) -> Option<&str> {
        ResponseMetadata::request_id(self)
    }

    /// The wait that `Retry-After` asks for.
    pub fn retry_after(&self) -> Option<Duration> {
        ResponseMetadata::retry_after(self)
    }
}

/// One line: status, code, message and request id.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = one_line(&self.message());
        match (self.status(), self.code()) {
            (Some(status), Some(code)) => write!(f, "{} {code}: {message}", status.as_u16())?,
            (Some(status), None) => write!(f, "{status}: {message}")?,
            (None, _) => f.write_str(&message)?,
        }
        match self.request_id() {
            Some(id) => write!(f, " (request {id})"),
            None => Ok(()),
        }
    }
}

/// The text, the headers of the response and the causes.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        if let Some(headers) = self.response_headers() {
            write!(f, "; headers: {headers:?}")?;
        }
        if let Error::InvalidResponsePayload(body, _) = self {
            write!(f, "; body: {body:?}")?;
        }
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl StdError for Error {
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

impl ResponseMetadata for Error {
    fn response_headers(&self) -> Option<&HeaderMap> {
        match self {
            Error::ErrorResponse(response) => Some(response.headers()),
            Error::UnexpectedResponse(response) => Some(response.headers()),
            _ => None,
        }
    }
}

/// The error of the generated requests.
impl From<progenitor_client::Error<types::Error>> for Error {
    fn from(error: progenitor_client::Error<types::Error>) -> Self {
        use progenitor_client::Error as Generated;
        match error {
            Generated::InvalidRequest(text) => Self::InvalidRequest(text),
            Generated::CommunicationError(error) => Self::CommunicationError(error),
            Generated::InvalidUpgrade(error) => Self::InvalidUpgrade(error),
            Generated::ErrorResponse(response) => Self::ErrorResponse(response),
            Generated::ResponseBodyError(error) => Self::ResponseBodyError(error),
            Generated::InvalidResponsePayload(body, error) => {
                Self::InvalidResponsePayload(body, error)
            }
            Generated::UnexpectedResponse(response) => Self::UnexpectedResponse(response),
            Generated::Custom(text) => Self::Custom(text),
        }
    }
}

/// Adds a method to the result of a call with `if_none_match`, which may be that nothing changed.
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::CallError> {
/// use petstore_client::{CallResultExt, ResponseMetadata};
///
/// let pets = client.list_pets().send().await?;
/// let tag = pets.etag().unwrap_or_default();
/// match client.list_pets().if_none_match(tag).send().await.if_modified()? {
///     Some(changed) => println!("now {} pets", changed.len()),
///     None => println!("still {} pets", pets.len()),
/// }
/// # Ok(())
/// # }
/// ```
pub trait CallResultExt<T> {
    /// The response; `None` for a 304, which calls return as `Error::UnexpectedResponse`.
    ///
    /// # Errors
    ///
    /// All other errors of the call.
    #[expect(
        clippy::result_large_err,
        reason = "it is the error of every generated method"
    )]
    fn if_modified(self) -> Result<Option<ResponseValue<T>>, CallError>;
}

impl<T> CallResultExt<T> for Result<ResponseValue<T>, CallError> {
    fn if_modified(self) -> Result<Option<ResponseValue<T>>, CallError> {
        match self {
            Ok(response) => Ok(Some(response)),
            Err(error) if error.status() == Some(StatusCode::NOT_MODIFIED) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A text as one line: control characters, which could also steer a terminal, become spaces.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str, message: &str) -> CallError {
        let body = types::Error {
            code: code.into(),
            message: message.into(),
            status: 409,
        };
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", "0198-7f".parse().expect("a value"));
        headers.insert("x-ratelimit-limit", "60".parse().expect("a value"));
        Error::ErrorResponse(ResponseValue::new(body, StatusCode::CONFLICT, headers))
    }

    #[test]
    fn maps_known_code_to_its_variant_and_keeps_unknown_code() {
        let known = error("pet_has_open_orders", "").code();
        assert_eq!(known, Some(ErrorCode::PetHasOpenOrders));
        let newer = error("pet_is_asleep", "").code().expect("a code");
        assert_eq!(newer, ErrorCode::Unknown("pet_is_asleep".into()));
        assert_eq!(newer.to_string(), "pet_is_asleep");
    }

    #[test]
    fn text_is_one_line_with_status_code_message_and_request() {
        let error = error("pet_not_available", "the pet\nis sold");
        let line = "409 pet_not_available: the pet is sold (request 0198-7f)";
        assert_eq!(error.to_string(), line);
        assert_eq!(error.message(), "the pet\nis sold");
        assert_eq!(error.request_id(), Some("0198-7f"));
    }

    #[test]
    fn only_debug_has_headers() {
        let error = error("pet_not_available", "sold");
        assert!(!error.to_string().contains("x-ratelimit-limit"));
        assert!(format!("{error:?}").contains("\"x-ratelimit-limit\": \"60\""));
    }

    #[test]
    fn text_of_a_proxys_page_names_status_and_address() {
        let response = http::Response::builder().status(502).body("<html>");
        let response = reqwest::Response::from(response.expect("a response"));
        let line = Error::UnexpectedResponse(response).to_string();
        assert!(
            line.starts_with("502 Bad Gateway: unexpected response from "),
            "{line}"
        );
    }
}
