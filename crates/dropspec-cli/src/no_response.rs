//! Why there was no response, in the words of people.

use dropspec_client::sending::{RetryEvent, root_cause};

/// What happened, such as `no connection to http://127.0.0.1:8080 (connection refused)`. `origin`: where the request went.
pub(crate) fn describe(error: &reqwest::Error, origin: &str) -> String {
    let what = if error.is_connect() {
        "connection to"
    } else {
        "response from"
    };
    let cause = plain_cause(&root_cause(error));
    format!("no {what} {origin} ({cause})")
}

/// What is said while a request waits because there was no connection or no response.
pub(crate) fn describe_retry(
    event: &RetryEvent,
    origin: &str,
    give_up_after_seconds: u64,
) -> String {
    let cause = plain_cause(&event.reason);
    if cause.contains("refused") {
        format!(
            "no connection to {origin} ({cause}); trying again for at most {give_up_after_seconds} seconds"
        )
    } else {
        format!("no response from {origin} ({cause}); trying again")
    }
}

/// The text of the operating system without its number: `connection refused` of `Connection refused (os error 111)`.
fn plain_cause(cause: &str) -> String {
    let text = cause.split(" (os error").next().unwrap_or(cause);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !letters.clone().next().is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// The text with where the base URL comes from, which may be wrong, and with the option for certificates.
pub(crate) fn with_source(text: &str, source: &str) -> String {
    let of_machine = "trusted certificates of this machine";
    let text = text.replace(
        of_machine,
        &format!("{of_machine}, or to a file for --cacert"),
    );
    format!("{text}; the base URL is from {source}")
}
