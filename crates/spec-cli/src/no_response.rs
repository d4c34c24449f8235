//! Why there was no response, in the words of people, and what to check.

use std::error::Error;

use crate::failure::Failure;

/// What happened, such as `no connection to http://127.0.0.1:8080 (connection refused)`. The text has no credentials.
pub(crate) fn describe(error: &reqwest::Error, url: &str) -> String {
    let origin = reqwest::Url::parse(url);
    let origin = origin.map_or(url.to_owned(), |url| url.origin().ascii_serialization());
    let mut cause: &dyn Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    match (error.is_connect(), error.is_timeout()) {
        (true, _) => format!(
            "no connection to {origin} ({})",
            plain_cause(&cause.to_string())
        ),
        (false, true) => format!("no response from {origin} in time"),
        _ => format!(
            "no response from {origin} ({})",
            plain_cause(&cause.to_string())
        ),
    }
}

/// The text of the operating system without its number: `connection refused` of `Connection refused (os error 111)`.
pub fn plain_cause(cause: &str) -> String {
    let text = cause.split(" (os error").next().unwrap_or(cause);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !letters.clone().next().is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// The failure with what to check if there was no response. `source`: where the base URL comes from.
pub(crate) fn with_advice(failure: Failure, source: &str) -> Failure {
    match failure {
        Failure::NoResponse(text) => Failure::NoResponse(format!("{text}; {}", advice(source))),
        other => other,
    }
}

/// What to check if there was no response. `source`: where the base URL comes from, such as `--url`.
pub fn advice(source: &str) -> String {
    format!("is the server running, and is the URL right? It is from {source}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_phrases_without_numbers_of_errors() {
        for (cause, expected) in [
            ("Connection refused (os error 111)", "connection refused"),
            ("DNS failed", "DNS failed"),
            ("", ""),
        ] {
            assert_eq!(plain_cause(cause), expected);
        }
    }
}
