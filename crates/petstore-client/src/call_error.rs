//! The error of a call, the service's error code in it, and the result of a call with `if_none_match`.

use http::StatusCode;
use progenitor_client::{Error, ResponseValue};

use crate::buffered_response::read_error_code;
use crate::{ErrorCode, types};

/// The error that a call of the client returns.
///
/// [`code`](CallErrorExt::code) is the service's error code, [`retry_after`](crate::ResponseMetadata::retry_after) the
/// wait that it asks for, and [`rate_limit`](crate::ResponseMetadata::rate_limit) what is left of the limit.
pub type CallError = Error<types::Error>;

/// Adds a method to [`CallError`] that returns the error code of the service.
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::CallError> {
/// use petstore_client::{CallErrorExt, ErrorCode};
///
/// match client.delete_pet().pet_id(7).send().await {
///     Err(error) if error.code() == Some(ErrorCode::PetHasOpenOrders) => println!("not yet"),
///     other => drop(other?),
/// }
/// # Ok(())
/// # }
/// ```
pub trait CallErrorExt {
    /// The code in the response body; `None` if there is no response, or its body is not the service's `Error`.
    fn code(&self) -> Option<ErrorCode>;
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
    /// The response; `None` for a 304, which progenitor returns as `Error::UnexpectedResponse`.
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

impl CallErrorExt for CallError {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Error::ErrorResponse(response) => Some(ErrorCode::from(response.code.as_str())),
            // An error that the operation does not declare, such as `route_not_found`.
            Error::UnexpectedResponse(response) => read_error_code(response),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_with_code(code: &str) -> CallError {
        let body = types::Error {
            code: code.into(),
            message: String::new(),
            status: 409,
        };
        let status = reqwest::StatusCode::CONFLICT;
        Error::ErrorResponse(ResponseValue::new(body, status, Default::default()))
    }

    #[test]
    fn maps_known_code_to_its_variant_and_keeps_unknown_code() {
        let known = error_with_code("pet_has_open_orders").code();
        assert_eq!(known, Some(ErrorCode::PetHasOpenOrders));
        let newer = error_with_code("pet_is_asleep").code().expect("a code");
        assert_eq!(newer, ErrorCode::Unknown("pet_is_asleep".into()));
        assert_eq!(newer.to_string(), "pet_is_asleep");
    }
}
