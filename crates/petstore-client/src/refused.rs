//! Why the service refused, as a type.

use progenitor_client::Error;

use crate::{ErrorCode, answer, types};

/// What a call ends with when it does not succeed.
///
/// Its [`code`](Refused::code) says why the service refused, its [`retry_after`](crate::Answered::retry_after) when to
/// come back, and its [`quota`](crate::Answered::quota) what is left.
pub type CallError = Error<types::Error>;

/// The reason that a refusal gives.
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::CallError> {
/// use petstore_client::{ErrorCode, Refused};
///
/// match client.delete_pet().pet_id(7).send().await {
///     Err(error) if error.code() == Some(ErrorCode::PetHasOpenOrders) => println!("not yet"),
///     other => drop(other?),
/// }
/// # Ok(())
/// # }
/// ```
pub trait Refused {
    /// The code in the body of the answer, or `None` where the service did not answer with an error of its own.
    fn code(&self) -> Option<ErrorCode>;
}

impl Refused for CallError {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Error::ErrorResponse(answer) => Some(ErrorCode::from(answer.code.as_str())),
            // An error that the operation does not declare, such as `route_not_found`.
            Error::UnexpectedResponse(response) => answer::code(response),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use progenitor_client::ResponseValue;

    fn refusal(code: &str) -> CallError {
        let body = types::Error {
            code: code.into(),
            message: String::new(),
            status: 409,
        };
        let status = reqwest::StatusCode::CONFLICT;
        Error::ErrorResponse(ResponseValue::new(body, status, Default::default()))
    }

    #[test]
    fn codes_are_typed() {
        let known = refusal("pet_has_open_orders").code();
        assert_eq!(known, Some(ErrorCode::PetHasOpenOrders));
    }

    #[test]
    fn codes_to_come_are_kept() {
        let newer = refusal("pet_is_asleep").code().expect("a code");
        assert_eq!(newer, ErrorCode::Unknown("pet_is_asleep".into()));
        assert_eq!(newer.to_string(), "pet_is_asleep");
    }
}
