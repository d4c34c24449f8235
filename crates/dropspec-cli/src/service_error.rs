//! An error of the service in one line, with the options of the command instead of the names of the interface.

use dropspec_client::ErrorResponse;
use dropspec_client::sending::parse_retry_after;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

/// An error of the service: its message, and in parentheses what identifies it. What says nothing is left out.
pub(crate) fn describe(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> String {
    let error = ErrorResponse::new((), status, headers.clone(), body);
    let status = status.to_string();
    let (message, code) = (error.message(), error.code().unwrap_or(&status));
    let wait = parse_retry_after(headers).map(|wait| format!("{} seconds", wait.as_secs()));
    let wait = wait.filter(|wait| !message.contains(wait));
    let notes = [
        Some(code.to_owned()).filter(|_| !message.is_empty()),
        wait.map(|wait| format!("retry after {wait}")),
        error.request_id().map(|id| format!("request {id}")),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    let text = Some(message).filter(|it| !it.is_empty()).unwrap_or(code);
    if notes.is_empty() {
        text.to_owned()
    } else {
        format!("{text} ({})", notes.join(", "))
    }
}

/// A place in a request, as messages of a service name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestPlace<'a> {
    /// A property of the body.
    Property(&'a str),
    /// A parameter, wherever it is.
    Parameter(&'a str),
}

/// What the parameters of each location are called in messages.
const PARAMETERS: [&str; 5] = [
    "path parameter \"",
    "query parameter \"",
    "header \"",
    "cookie \"",
    "parameter \"",
];

/// Replaces the places of the request in a message by the arguments for them: `/name: is required` becomes
/// `--name: is required`. `argument` knows them; places without one stay.
pub(crate) fn replace_places_by_arguments(
    message: &str,
    argument: impl Fn(RequestPlace<'_>) -> Option<String>,
) -> String {
    let parts = message.split("; ").map(|part| {
        let replaced = match part.strip_prefix('/') {
            Some(rest) => replace_pointer(rest, &argument),
            None => replace_parameter(part, &argument),
        };
        replaced.unwrap_or_else(|| part.to_owned())
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// `rest`: a JSON pointer without its first slash, and what is wrong there.
fn replace_pointer(
    rest: &str,
    argument: &impl Fn(RequestPlace<'_>) -> Option<String>,
) -> Option<String> {
    let (pointer, problem) = rest.split_once(": ")?;
    let mut tokens = pointer.split('/').map(dropspec_schema::pointer::unescape);
    let name = argument(RequestPlace::Property(&tokens.next()?))?;
    let inner = tokens.map(|token| match token.parse::<usize>() {
        Ok(index) => format!(", item {}", index + 1),
        Err(_) => format!(", {token}"),
    });
    Some(format!("{name}{}: {problem}", inner.collect::<String>()))
}

fn replace_parameter(
    part: &str,
    argument: &impl Fn(RequestPlace<'_>) -> Option<String>,
) -> Option<String> {
    let rest = PARAMETERS
        .iter()
        .find_map(|start| part.strip_prefix(start))?;
    let (name, problem) = rest.split_once("\" ")?;
    let name = argument(RequestPlace::Parameter(name))?;
    Some(format!("{name}: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_message_code_wait_and_request() {
        let limited = StatusCode::TOO_MANY_REQUESTS;
        for (message, headers, expected) in [
            (
                "slow down",
                &[("retry-after", "20"), ("x-request-id", "r1")][..],
                "slow down (limited, retry after 20 seconds, request r1)",
            ),
            (
                "slow down for 20 seconds",
                &[("retry-after", "20")],
                "slow down for 20 seconds (limited)",
            ),
        ] {
            let headers = headers.iter().map(|(name, value)| {
                let name = name.parse().expect("a name");
                (name, value.parse().expect("a value"))
            });
            let body = format!(r#"{{"code": "limited", "message": "{message}"}}"#);
            let line = describe(limited, &headers.collect(), body.as_bytes());
            assert_eq!(line, expected);
        }
        let silent = describe(StatusCode::NOT_FOUND, &HeaderMap::new(), b"");
        assert_eq!(silent, "404 Not Found");
    }

    #[test]
    fn places_become_arguments_where_they_are_known() {
        let argument = |place: RequestPlace<'_>| match place {
            RequestPlace::Parameter("petId") => Some("<PET-ID>".to_owned()),
            RequestPlace::Parameter(name @ "limit")
            | RequestPlace::Property(name @ ("name" | "tags")) => Some(format!("--{name}")),
            _ => None,
        };
        const TABLE: &str = r#"
            /name: is required; /tags/0: must be text; /other: is wrong => --name: is required; --tags, item 1: must be text; /other: is wrong
            query parameter "limit" must be at most 100, got 500        => --limit: must be at most 100, got 500
            path parameter "petId" must be at least 1                   => <PET-ID>: must be at least 1
            header "X-A" is wrong                                       => header "X-A" is wrong
            pet 9 does not exist                                        => pet 9 does not exist
        "#;
        for (message, expected) in TABLE.lines().filter_map(|row| row.split_once("=>")) {
            let (message, expected) = (message.trim(), expected.trim());
            assert_eq!(replace_places_by_arguments(message, argument), expected);
        }
    }
}
