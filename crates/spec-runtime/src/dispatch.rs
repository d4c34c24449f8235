//! Turns the result of a trait method into a response, and defines the errors on the way.

use std::borrow::Cow;
use std::fmt;

use dropshot::{Body, ErrorStatusCode, HttpError, HttpResponse, HttpResponseError};
use http::Response;
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::{Serialize, Serializer, ser};

use crate::Rejection;

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

/// Converts the result of a handler into a response, as dropshot itself would.
///
/// # Errors
///
/// [`DispatchError::Internal`] if the result cannot be written as JSON or as headers, or if the error is an
/// [`HttpError`].
pub fn to_response<R, E>(result: Result<R, E>) -> Result<Response<Body>, DispatchError>
where
    R: HttpResponse,
    E: HttpResponseError,
{
    let response = match result {
        Ok(response) => response.to_result(),
        Err(error) => {
            let status = error.status_code();
            let response = error.to_response(Response::builder().status(status.as_status()));
            response.map_err(|failure| restore_error(status, failure))
        }
    };
    response.map_err(DispatchError::Internal)
}

/// What the serialization of an [`OperationError::Dropshot`] fails with begins with this, and its message follows.
const DROPSHOT: &str = "an error of dropshot: ";

/// Restores status and message of an [`OperationError::Dropshot`], which is not serialized because the document declares
/// no body for it.
fn restore_error(status: ErrorStatusCode, failure: HttpError) -> HttpError {
    let Some(message) = failure.internal_message.strip_prefix(DROPSHOT) else {
        return failure;
    };
    let message = message.to_owned();
    match status.as_client_error() {
        Ok(status) => HttpError::for_client_error(None, status, message),
        Err(_) => HttpError {
            status_code: status,
            internal_message: message,
            ..failure
        },
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

/// dropshot sends an error as its JSON, so a declared error is serialized as its body alone.
impl<B: Serialize> Serialize for OperationError<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Declared { body, .. } => body.serialize(serializer),
            // The document declares no body for it: `to_response` returns the error itself.
            Self::Dropshot(error) => {
                let message = match error.status_code.as_client_error() {
                    Ok(_) => &error.external_message,
                    Err(_) => &error.internal_message,
                };
                Err(ser::Error::custom(format_args!("{DROPSHOT}{message}")))
            }
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

    fn status_of<R: HttpResponse, E: HttpResponseError>(
        result: Result<R, E>,
    ) -> Result<u16, String> {
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

        let disk_error = || HttpError::for_internal_error("disk gone".to_owned());
        let wrapped: OperationError<TextBody> = disk_error().into();
        let expected = Err("disk gone".to_owned());
        assert_eq!(status_of::<HttpResponseDeleted, _>(Err(wrapped)), expected);
        let restored = |error: HttpError| {
            let wrapped: OperationError<TextBody> = error.into();
            match to_response::<HttpResponseDeleted, _>(Err(wrapped)) {
                Err(DispatchError::Internal(error)) => error,
                other => panic!("{other:?}"),
            }
        };
        let not_implemented = restored(HttpError {
            status_code: ErrorStatusCode::NOT_IMPLEMENTED,
            ..disk_error()
        });
        assert_eq!(not_implemented.status_code.as_u16(), 501);
        let secret = "no row 7".to_owned();
        let not_found = restored(HttpError::for_not_found(None, secret));
        assert_eq!(not_found.status_code.as_u16(), 404);
        assert_eq!(not_found.external_message, "Not Found");
        let too_large = restored(crate::Rejection::too_large(7).into());
        assert_eq!(too_large.status_code.as_u16(), 413);
        assert_eq!(
            too_large.external_message,
            "the body is larger than 7 bytes"
        );
        let bare: Result<HttpResponseDeleted, _> = Err(disk_error());
        assert_eq!(status_of(bare), expected);
    }
}
