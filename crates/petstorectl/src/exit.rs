//! The message and the exit code of a failed command.

use anyhow::Chain;
use petstore_client::{CallError, Error, ResponseMetadata};

use spec_cli::{Failure, sanitize};

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
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.exit_code();
    }
    match error.downcast_ref::<CallError>() {
        Some(Error::ErrorResponse(_)) => SERVICE_ERROR,
        None | Some(Error::InvalidRequest(_)) => USAGE_ERROR,
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
            let (message, code) = (&response.message, &response.code);
            let wait = response.retry_after();
            let wait = wait.map(|wait| format!("{} seconds", wait.as_secs()));
            match wait.filter(|wait| !message.contains(wait)) {
                Some(wait) => format!("{message} ({code}; retry after {wait})"),
                None => format!("{message} ({code})"),
            }
        }
        Error::InvalidRequest(reason) | Error::Custom(reason) => reason.clone(),
        Error::CommunicationError(error) | Error::ResponseBodyError(error) => with_causes(error),
        Error::UnexpectedResponse(response) => {
            let (status, url) = (response.status(), response.url());
            format!("unexpected response {status} from {url}; check the base URL")
        }
        Error::InvalidResponsePayload(_, reason) => {
            format!("unexpected response body ({reason}); check the base URL")
        }
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
    fn message_of_429_contains_retry_after_once() {
        let with_wait = error_response("slow down", &[("retry-after", "20")]);
        assert_eq!(
            error_message(&with_wait),
            "slow down (rate_limit_exceeded; retry after 20 seconds)"
        );
        let said = error_response("slow down for 20 seconds", &[("retry-after", "20")]);
        assert_eq!(
            error_message(&said),
            "slow down for 20 seconds (rate_limit_exceeded)"
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
