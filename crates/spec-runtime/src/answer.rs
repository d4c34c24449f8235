//! A handler's result turned into a response, and the error type for operations whose errors are not one
//! self-describing object.

use std::borrow::Cow;
use std::fmt;

use dropshot::{Body, ErrorStatusCode, HttpError, HttpResponse, HttpResponseError};
use http::Response;
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::{Serialize, Serializer, ser};

use crate::Rejection;

/// Why `dispatch` has no response to give.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The request does not fit the document; no handler ran.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The handler's answer could not be written down, or the handler's error is dropshot's own,
    /// which tells its status.
    #[error("{}", .0.internal_message)]
    Internal(HttpError),
}

/// An error with the status and the body that the document declares for it.
#[derive(Debug)]
pub enum Failure<B> {
    /// An error that the handler chose.
    Declared {
        /// A status that the document declares for the operation.
        status: ErrorStatusCode,
        /// The body that the document declares for that status.
        body: B,
    },
    /// An error of dropshot's, which has no body of this kind.
    Dropshot(HttpError),
}

/// The response to what a handler returned, by the rules by which dropshot itself would answer.
///
/// # Errors
///
/// [`DispatchError::Internal`] if the answer cannot be written as JSON or as a header, or if the
/// error is an [`HttpError`].
pub fn answer<R, E>(result: Result<R, E>) -> Result<Response<Body>, DispatchError>
where
    R: HttpResponse,
    E: HttpResponseError,
{
    let response = match result {
        Ok(response) => response.to_result(),
        Err(error) => {
            let status = error.status_code().as_status();
            error.to_response(Response::builder().status(status))
        }
    };
    response.map_err(DispatchError::Internal)
}

impl<B> Failure<B> {
    /// An error with a declared status and its body.
    pub fn new(status: ErrorStatusCode, body: B) -> Self {
        Self::Declared { status, body }
    }
}

impl<B> From<HttpError> for Failure<B> {
    fn from(error: HttpError) -> Self {
        Self::Dropshot(error)
    }
}

impl<B> fmt::Display for Failure<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared { status, .. } => write!(f, "answered with {status}"),
            Self::Dropshot(error) => f.write_str(&error.internal_message),
        }
    }
}

/// dropshot writes every error of a type as that type's JSON, so a failure is written as its body.
impl<B: Serialize> Serialize for Failure<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Declared { body, .. } => body.serialize(serializer),
            // The document declares no such body: this becomes an internal error.
            Self::Dropshot(error) => Err(ser::Error::custom(&error.internal_message)),
        }
    }
}

impl<B: JsonSchema> JsonSchema for Failure<B> {
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

impl<B> HttpResponseError for Failure<B>
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

    #[derive(Serialize)]
    struct Line(&'static str);

    /// A header's value may turn out to be none: a line feed would begin another header.
    #[derive(Serialize)]
    struct LinkHeader {
        link: &'static str,
    }

    impl JsonSchema for Line {
        fn schema_name() -> String {
            "Line".to_owned()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            String::json_schema(generator)
        }
    }

    impl JsonSchema for LinkHeader {
        fn schema_name() -> String {
            "LinkHeader".to_owned()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            String::json_schema(generator)
        }
    }

    fn status<R: HttpResponse, E: HttpResponseError>(result: Result<R, E>) -> Result<u16, String> {
        match answer(result) {
            Ok(response) => Ok(response.status().as_u16()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn results_become_responses() {
        let deleted: Result<_, HttpError> = Ok(HttpResponseDeleted());
        assert_eq!(status(deleted), Ok(204));

        let headers =
            |link| HttpResponseHeaders::new(HttpResponseOk(Line("a")), LinkHeader { link });
        let good: Result<_, HttpError> = Ok(headers("</pets>"));
        assert_eq!(status(good), Ok(200));
        let bad: Result<_, HttpError> = Ok(headers("a\nb"));
        assert!(
            status(bad).is_err(),
            "a header that cannot be written is no answer"
        );
    }

    #[test]
    fn failures_keep_their_status_unless_they_are_dropshots() {
        let conflict = Failure::new(ErrorStatusCode::CONFLICT, Line("sold"));
        assert_eq!(status::<HttpResponseDeleted, _>(Err(conflict)), Ok(409));

        let gone = || HttpError::for_internal_error("disk gone".to_owned());
        let wrapped: Failure<Line> = gone().into();
        let message = status::<HttpResponseDeleted, _>(Err(wrapped));
        assert_eq!(
            message,
            Err("disk gone".to_owned()),
            "the document has no body for it"
        );
        let bare = status::<HttpResponseDeleted, HttpError>(Err(gone()));
        assert_eq!(
            bare,
            Err("disk gone".to_owned()),
            "the caller decides what is told"
        );
    }
}
