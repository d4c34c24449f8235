//! Turns the result of a trait method into a response, and defines the errors on the way.

use std::borrow::Cow;
use std::fmt;

use dropshot::{Body, ErrorStatusCode, HttpError, HttpResponse, HttpResponseError};
use http::Response;
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::{Serialize, Serializer};

use crate::Rejection;
use crate::respond::{ErrorResponse, ResponseResult, json};

/// Why [`Interface::dispatch`](crate::Interface::dispatch) returns no response.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The request does not fit the document; no handler ran.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The operation is in the document but not in the trait.
    #[error("the operation is not implemented")]
    NotImplemented,
    /// The handler's result cannot be written as a response, or the handler returned an [`HttpError`], whose status is
    /// meant for the client.
    #[error("{}", .0.internal_message)]
    Internal(HttpError),
}

/// The error that a handler returns if the body of its errors does not contain their status: status and body.
#[derive(Debug)]
pub enum OperationError<B> {
    /// An error that the document declares.
    Declared {
        /// A status that the document declares for the operation.
        status: ErrorStatusCode,
        /// The body that the document declares for that status.
        body: B,
    },
    /// An error of dropshot itself, which has no declared body.
    Dropshot(HttpError),
}

/// Converts the result of a handler into a response. An error is written as the document declares it.
///
/// # Errors
///
/// [`DispatchError::Internal`] if the result cannot be written as JSON or as headers, or if the error is an
/// [`HttpError`].
pub fn to_response<R, E>(result: Result<R, E>) -> Result<Response<Body>, DispatchError>
where
    R: HttpResponse,
    E: ErrorResponse,
{
    let response = match result {
        Ok(response) => response.to_result(),
        Err(error) => error.respond(),
    };
    response.map_err(DispatchError::Internal)
}

/// It has no declared response.
impl ErrorResponse for HttpError {
    fn respond(self) -> ResponseResult {
        Err(self)
    }
}

impl<B> OperationError<B> {
    /// Creates an error with a status that the operation declares, and its body.
    pub fn new(status: ErrorStatusCode, body: B) -> Self {
        Self::Declared { status, body }
    }
}

impl<B> From<HttpError> for OperationError<B> {
    fn from(error: HttpError) -> Self {
        Self::Dropshot(error)
    }
}

impl<B> fmt::Display for OperationError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared { status, .. } => write!(f, "the operation failed with status {status}"),
            Self::Dropshot(error) => f.write_str(&error.internal_message),
        }
    }
}

/// dropshot demands it, and would send an error as its JSON.
impl<B: Serialize> Serialize for OperationError<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Declared { body, .. } => body.serialize(serializer),
            Self::Dropshot(_) => serializer.serialize_unit(),
        }
    }
}

impl<B: JsonSchema> JsonSchema for OperationError<B> {
    fn schema_name() -> String {
        B::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        B::schema_id()
    }

    fn is_referenceable() -> bool {
        B::is_referenceable()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        B::json_schema(generator)
    }
}

impl<B> HttpResponseError for OperationError<B>
where
    B: JsonSchema + Serialize + Send + Sync + 'static,
{
    fn status_code(&self) -> ErrorStatusCode {
        match self {
            Self::Declared { status, .. } => *status,
            Self::Dropshot(error) => error.status_code,
        }
    }
}

impl<B> ErrorResponse for OperationError<B>
where
    B: JsonSchema + Serialize + Send + Sync + 'static,
{
    fn respond(self) -> ResponseResult {
        match self {
            Self::Declared { status, body } => json(status.as_u16(), &body),
            Self::Dropshot(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use dropshot::{HttpResponseDeleted, HttpResponseHeaders, HttpResponseOk};

    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct TextBody(&'static str);

    #[derive(Serialize, JsonSchema)]
    struct LinkHeader {
        link: &'static str,
    }

    fn status_of<R: HttpResponse, E: ErrorResponse>(result: Result<R, E>) -> Result<u16, String> {
        match to_response(result) {
            Ok(response) => Ok(response.status().as_u16()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn success_becomes_response_unless_a_header_is_not_writable() {
        let deleted: Result<_, HttpError> = Ok(HttpResponseDeleted());
        assert_eq!(status_of(deleted), Ok(204));

        let with_link = |link| -> Result<_, HttpError> {
            let body = HttpResponseOk(TextBody("a"));
            Ok(HttpResponseHeaders::new(body, LinkHeader { link }))
        };
        assert_eq!(status_of(with_link("</pets>")), Ok(200));
        let error = status_of(with_link("a\nb"));
        assert!(error.is_err(), "a line feed would start another header");
    }

    #[test]
    fn declared_error_becomes_response_and_dropshot_error_stays_an_error() {
        let conflict = OperationError::new(ErrorStatusCode::CONFLICT, TextBody("sold"));
        assert_eq!(status_of::<HttpResponseDeleted, _>(Err(conflict)), Ok(409));
        let wrapped = OperationError::<TextBody>::from(HttpError::from(Rejection::too_large(7)));
        let Err(DispatchError::Internal(error)) =
            to_response::<HttpResponseDeleted, _>(Err(wrapped))
        else {
            panic!("it has no response");
        };
        assert_eq!(error.status_code.as_u16(), 413);
        assert_eq!(error.external_message, "the body is larger than 7 bytes");
    }
}
