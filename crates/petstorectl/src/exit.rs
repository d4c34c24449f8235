//! The message and the exit code of a failed command.

use anyhow::Chain;
use clap::ArgMatches;
use petstore_client::{Error, ErrorResponse, RequestError, ResponseMetadata, types};

use spec_cli::{
    Failure, RequestPlace, ServiceError, Sources, no_response, replace_places_by_arguments,
    sanitize,
};

/// What the client says of a failed connection, which this command says with the setting.
const URL_ADVICE: &str = "; check the base URL, and that the service runs";

/// Exit code: the service returned an error.
const SERVICE_ERROR: u8 = 1;
/// Exit code: the command line is wrong (arguments, a file, the URL or the key).
const USAGE_ERROR: u8 = 2;
/// Exit code: there was no response, or it was not one of this service.
const NO_RESPONSE: u8 = 3;

/// Whether a command failed only because nothing changed since the entity tag in `--if-none-match`.
pub fn is_not_modified(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<Error>().and_then(Error::status);
    status.is_some_and(|status| status == 304)
}

/// The error of a command, in which that of a request is an [`Error`].
pub fn from_request(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<RequestError>() {
        Ok(error) => Error::from(error).into(),
        Err(error) => error,
    }
}

/// The exit code for the error of a command.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.exit_code();
    }
    match error.downcast_ref::<Error>() {
        Some(Error::ErrorResponse(_)) => SERVICE_ERROR,
        None | Some(Error::InvalidRequest(_)) => USAGE_ERROR,
        Some(_) => NO_RESPONSE,
    }
}

/// The error in terms of the command line: with its options, and with where the base URL comes from if that may be wrong.
pub fn explain(error: anyhow::Error, matches: &ArgMatches, sources: &Sources) -> anyhow::Error {
    let source = || sources.of(matches, "url");
    let failure = match (
        error.downcast_ref::<Error>(),
        error.downcast_ref::<Failure>(),
    ) {
        (Some(Error::ErrorResponse(response)), _) => {
            let line = describe_error_response(response);
            Failure::Service(replace_places_by_arguments(&line, |place| {
                argument_for(matches, place)
            }))
        }
        (Some(Error::InvalidRequest(reason)), _) if reason.contains("URL") => {
            Failure::Usage(format!("{reason} (it is from {})", source()))
        }
        (Some(error @ Error::InvalidRequest(_)), _) => Failure::Usage(describe_call_error(error)),
        (Some(error @ Error::Custom(_)), _) => {
            let (text, advice) = (describe_call_error(error), no_response::advice(&source()));
            let text = text.replace(URL_ADVICE, "");
            Failure::NoResponse(format!("{text}; {advice}"))
        }
        (Some(error @ (Error::UnexpectedResponse(_) | Error::InvalidResponsePayload(..))), _) => {
            Failure::NoResponse(format!(
                "{}, which is from {}",
                describe_call_error(error),
                source()
            ))
        }
        (_, Some(Failure::NoResponse(text))) => {
            Failure::NoResponse(format!("{text}; {}", no_response::advice(&source())))
        }
        _ => return error,
    };
    failure.into()
}

/// The argument of the command for a place in its request: the one that was given, or else the option for it. `None` if there is none,
/// or the place is in the file of `--json-body`.
fn argument_for(matches: &ArgMatches, place: RequestPlace<'_>) -> Option<String> {
    let option = place.option();
    let position = option.to_uppercase();
    let is_given = |id: &str| matches.try_contains_id(id).unwrap_or(false);
    let is_known = matches.try_contains_id(&option).is_ok();
    let is_property = matches!(place, RequestPlace::Property(_));
    if is_given(&position) && !is_property {
        return Some(format!("<{position}>"));
    }
    let is_in_file = is_property && is_given("json-body") && !is_given(&option);
    (is_known && !is_in_file).then(|| format!("--{option}"))
}

/// The message for the error of a command, in one line.
pub fn error_message(error: &anyhow::Error) -> String {
    sanitize::escape_line(&format!("{error:#}"))
}

fn describe_error_response(response: &ErrorResponse<types::Error>) -> String {
    let error = ServiceError {
        message: response.message.clone(),
        code: response.code.to_string(),
        retry_after: response.retry_after(),
        request_id: response.request_id().map(str::to_owned),
    };
    error.to_string()
}

fn describe_call_error(error: &Error) -> String {
    match error {
        Error::ErrorResponse(response) => describe_error_response(response),
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

    fn message(message: &str, headers: &[(&'static str, &'static str)]) -> (u8, String) {
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
        let error =
            Error::ErrorResponse(ErrorResponse::new(body, status, headers.collect(), &[])).into();
        explained(error)
    }

    fn explained(error: anyhow::Error) -> (u8, String) {
        let error = explain(error, &ArgMatches::default(), &Sources::default());
        (exit_code(&error), error_message(&error))
    }

    #[test]
    fn exit_code_tells_service_error_from_usage_error_and_no_response() {
        assert_eq!(message("slow down", &[]).0, 1);
        let code = |error: anyhow::Error| explained(error).0;
        assert_eq!(code(Error::InvalidRequest("no".into()).into()), 2);
        assert_eq!(code(anyhow::anyhow!("no such file")), 2);
        assert_eq!(code(Error::Custom("no query".into()).into()), 3);
    }

    #[test]
    fn message_of_429_contains_retry_after_once() {
        let wait = ("retry-after", "20");
        assert_eq!(
            message("slow down", &[wait, ("x-request-id", "r1")]).1,
            "slow down (rate_limit_exceeded, retry after 20 seconds, request r1)"
        );
        assert_eq!(
            message("slow down for 20 seconds", &[wait]).1,
            "slow down for 20 seconds (rate_limit_exceeded)"
        );
    }

    #[test]
    fn message_escapes_control_characters() {
        let (_, escaped) = message("slow\u{1b}[2J\ndown", &[]);
        assert_eq!(escaped, r"slow\u{1b}[2J\ndown (rate_limit_exceeded)");
    }
}
