//! The message and the exit code of a failed command.

use std::error::Error as _;

use anyhow::Chain;
use petstore_client::{CallError, Error, ResponseMetadata};

use crate::sanitize;

/// Exit code: the service returned an error.
const SERVICE_ERROR: u8 = 1;
/// Exit code: the command line is wrong (arguments, a file, the URL or the key).
const USAGE_ERROR: u8 = 2;
/// Exit code: there was no response, or it was not one of this service.
const NO_RESPONSE: u8 = 3;

/// Whether a command failed only because nothing changed since the entity tag in `--if-none-match`.
pub fn is_not_modified(error: &anyhow::Error) -> bool {
    let status = error
        .downcast_ref::<CallError>()
        .and_then(CallError::status);
    status.is_some_and(|status| status == 304)
}

/// The exit code for the error of a command.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<CallError>() {
        Some(Error::ErrorResponse(_)) => SERVICE_ERROR,
        None | Some(Error::InvalidRequest(_)) => USAGE_ERROR,
        Some(Error::CommunicationError(error)) if error.is_builder() => USAGE_ERROR,
        Some(_) => NO_RESPONSE,
    }
}

/// The message for the error of a command, in one line.
pub fn error_message(error: &anyhow::Error) -> String {
    sanitize::escape_line(&match error.downcast_ref::<CallError>() {
        None => format!("{error:#}"),
        Some(error) => describe_call_error(error),
    })
}

fn describe_call_error(error: &CallError) -> String {
    match error {
        Error::ErrorResponse(response) => {
            let retry = response
                .retry_after()
                .map(|wait| format!("; retry in {} seconds", wait.as_secs()))
                .unwrap_or_default();
            format!("{} ({}){retry}", response.message, response.code)
        }
        Error::InvalidRequest(reason) | Error::Custom(reason) => reason.clone(),
        Error::CommunicationError(error) if error.is_builder() => {
            let reason = with_causes(error.source().unwrap_or(error));
            format!("invalid URL: {reason}; a valid one is http://127.0.0.1:8080")
        }
        Error::CommunicationError(error) | Error::ResponseBodyError(error) => with_causes(error),
        Error::UnexpectedResponse(response) => {
            let status = response.status();
            format!("unexpected response {status}; check the URL")
        }
        Error::InvalidResponsePayload(..) => "unexpected response body; check the URL".to_owned(),
        other => other.to_string(),
    }
}

fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let messages: Vec<String> = Chain::new(error).map(ToString::to_string).collect();
    messages.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use petstore_client::{ResponseValue, types};

    fn error_response(message: &str, headers: &[(&'static str, &'static str)]) -> anyhow::Error {
        let body = types::Error {
            code: "rate_limit_exceeded".into(),
            message: message.into(),
            status: 429,
        };
        let headers = headers.iter().map(|(name, value)| {
            (
                name.parse().expect("a name"),
                value.parse().expect("a value"),
            )
        });
        let status = 429.try_into().expect("a status");
        CallError::ErrorResponse(ResponseValue::new(body, status, headers.collect())).into()
    }

    #[test]
    fn exit_code_tells_service_error_from_usage_error_and_no_response() {
        assert_eq!(exit_code(&error_response("slow down", &[])), 1);
        assert_eq!(exit_code(&CallError::InvalidRequest("no".into()).into()), 2);
        assert_eq!(exit_code(&anyhow::anyhow!("no such file")), 2);
        assert_eq!(exit_code(&CallError::Custom("no query".into()).into()), 3);
    }

    #[test]
    fn message_of_429_contains_retry_after() {
        let with_wait = error_response("slow down", &[("retry-after", "20")]);
        assert_eq!(
            error_message(&with_wait),
            "slow down (rate_limit_exceeded); retry in 20 seconds"
        );
        let without = error_response("slow down", &[]);
        assert_eq!(error_message(&without), "slow down (rate_limit_exceeded)");
    }

    #[test]
    fn message_escapes_control_characters() {
        let escaped = error_message(&error_response("slow\u{1b}[2J\ndown", &[]));
        assert_eq!(escaped, r"slow\u{1b}[2J\ndown (rate_limit_exceeded)");
    }
}
