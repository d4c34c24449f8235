//! The error of calls, and the code in it.

use dropspec_client::sending::body_of;
use dropspec_client::{HookError, ResponseValue};
use http::StatusCode;

use crate::{ErrorCode, types};

/// Why a call has no result.
///
/// Its text is one line: `409 pet_not_available: the pet is sold (request 0198…)`. `Debug` adds the causes, and `{:#?}` the headers, too.
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
/// use petstore_client::{Error, ErrorCode, ErrorCodeExt};
///
/// match client.delete_pet().pet_id(7).send().await.map_err(Error::from) {
///     Err(error) if error.error_code() == Some(ErrorCode::PetHasOpenOrders) => println!("not yet"),
///     Err(error) => println!("{} (ask about request {:?})", error.message(), error.request_id()),
///     Ok(_) => println!("deleted"),
/// }
/// # Ok(())
/// # }
/// ```
pub type Error = dropspec_client::Error<types::Error>;

/// The error of a generated request. `?` makes an [`Error`] of it, whose text is one line.
pub type RequestError = HookError<types::Error>;

/// Reads the code of the service's error, whichever type the error of the call has.
pub trait ErrorCodeExt {
    /// The code; `None` if there is no response, or its body is not the service's `Error`.
    fn error_code(&self) -> Option<ErrorCode>;
}

impl ErrorCodeExt for Error {
    fn error_code(&self) -> Option<ErrorCode> {
        self.code().map(ErrorCode::from)
    }
}

impl ErrorCodeExt for RequestError {
    fn error_code(&self) -> Option<ErrorCode> {
        match self {
            Self::ErrorResponse(response) => Some(ErrorCode::from(response.code.as_str())),
            // An error that the operation does not declare, such as `route_not_found`.
            Self::UnexpectedResponse(response) => {
                let error: types::Error = serde_json::from_slice(body_of(response)?).ok()?;
                Some(ErrorCode::from(error.code.as_str()))
            }
            _ => None,
        }
    }
}

/// Adds a method to the result of a call with `if_none_match`, which may be that nothing changed.
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
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
    /// The response; `None` for a 304, which calls return as an unexpected response.
    ///
    /// # Errors
    ///
    /// All other errors of the call.
    #[expect(
        clippy::result_large_err,
        reason = "it is the error of every generated method"
    )]
    fn if_modified(self) -> Result<Option<ResponseValue<T>>, RequestError>;
}

impl<T> CallResultExt<T> for Result<ResponseValue<T>, RequestError> {
    fn if_modified(self) -> Result<Option<ResponseValue<T>>, RequestError> {
        match self {
            Ok(response) => Ok(Some(response)),
            Err(error) if error.status() == Some(StatusCode::NOT_MODIFIED) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
