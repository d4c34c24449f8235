//! How a call ends: in words for people, and in an exit code for scripts.

use std::error::Error as _;

use anyhow::Chain;
use petstore_client::{Answered, CallError, Error};

use crate::plain;

/// The service refused.
const REFUSED: u8 = 1;
/// The call is mistaken.
const MISTAKEN: u8 = 2;
/// Nobody answered as the service does.
const UNREACHED: u8 = 3;

/// The exit code.
pub fn code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<CallError>() {
        Some(Error::ErrorResponse(_)) => REFUSED,
        None | Some(Error::InvalidRequest(_)) => MISTAKEN,
        Some(Error::CommunicationError(error)) if error.is_builder() => MISTAKEN,
        Some(_) => UNREACHED,
    }
}

/// The message, in one line.
pub fn explain(error: &anyhow::Error) -> String {
    plain::line(&match error.downcast_ref::<CallError>() {
        None => format!("{error:#}"),
        Some(error) => of_call(error),
    })
}

fn of_call(error: &CallError) -> String {
    match error {
        Error::ErrorResponse(refusal) => {
            let come_back = refusal
                .retry_after()
                .map(|wait| format!("; come back in {} seconds", wait.as_secs()));
            format!(
                "{} ({}){}",
                refusal.message,
                refusal.code,
                come_back.unwrap_or_default()
            )
        }
        Error::InvalidRequest(reason) | Error::Custom(reason) => reason.clone(),
        Error::CommunicationError(error) if error.is_builder() => {
            let reason = with_causes(error.source().unwrap_or(error));
            format!("the URL cannot be used: {reason}; it looks like http://127.0.0.1:8080")
        }
        Error::CommunicationError(error) | Error::ResponseBodyError(error) => with_causes(error),
        Error::UnexpectedResponse(answer) => {
            let status = answer.status();
            format!("the answer, {status}, is none that the service gives; is the URL right?")
        }
        Error::InvalidResponsePayload(..) => {
            "the answer is none that the service gives; is the URL right?".to_owned()
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

    fn refusal(headers: &[(&'static str, &'static str)]) -> anyhow::Error {
        saying("slow down", headers)
    }

    fn saying(message: &str, headers: &[(&'static str, &'static str)]) -> anyhow::Error {
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
    fn a_refusal_is_told_from_a_mistake() {
        assert_eq!(code(&refusal(&[])), 1);
        assert_eq!(code(&CallError::InvalidRequest("no".into()).into()), 2);
        assert_eq!(code(&anyhow::anyhow!("no such file")), 2);
        assert_eq!(
            code(&CallError::Custom("a link leads nowhere".into()).into()),
            3
        );
    }

    #[test]
    fn a_refusal_says_when_to_come_back() {
        let told = explain(&refusal(&[("retry-after", "20")]));
        assert_eq!(
            told,
            "slow down (rate_limit_exceeded); come back in 20 seconds"
        );
        assert_eq!(explain(&refusal(&[])), "slow down (rate_limit_exceeded)");
    }

    #[test]
    fn a_message_does_not_steer_the_terminal() {
        let told = explain(&saying("slow\u{1b}[2J\ndown", &[]));
        assert_eq!(told, r"slow\u{1b}[2J\ndown (rate_limit_exceeded)");
    }
}
