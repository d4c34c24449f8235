//! An error of the service in one line, with the options of the command instead of the names of the interface.

use std::fmt;
use std::time::Duration;

use heck::ToKebabCase;
use reqwest::StatusCode;
use serde_json::Value;

/// An error of the service. Displayed in one line: its message, and in parentheses what identifies it.
#[derive(Debug, Clone, Default)]
pub struct ServiceError {
    /// What it says to people.
    pub message: String,
    /// Its error code, or else its status.
    pub code: String,
    /// The wait that `Retry-After` asks for.
    pub retry_after: Option<Duration>,
    /// The id under which the service logs the request.
    pub request_id: Option<String>,
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wait = self
            .retry_after
            .map(|wait| format!("{} seconds", wait.as_secs()));
        let wait = wait.filter(|wait| !self.message.contains(wait));
        let notes = [
            Some(self.code.clone()).filter(|code| !code.is_empty() && !self.message.is_empty()),
            wait.map(|wait| format!("retry after {wait}")),
            self.request_id.as_ref().map(|id| format!("request {id}")),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        f.write_str(if self.message.is_empty() {
            &self.code
        } else {
            &self.message
        })?;
        if notes.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", notes.join(", "))
        }
    }
}

/// Reads the body of an error: its text for people with its code, or all of it.
pub(crate) fn read(status: StatusCode, body: &[u8], request_id: Option<String>) -> ServiceError {
    let text = String::from_utf8_lossy(body).trim().to_owned();
    let error = |message: Option<String>, code: Option<String>| ServiceError {
        message: message.unwrap_or(text.clone()),
        code: code.unwrap_or(status.to_string()),
        retry_after: None,
        request_id: request_id.clone(),
    };
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return error(None, None);
    };
    let first = |body: &Value, keys: &[&str]| {
        let mut found = keys.iter().filter_map(|key| body[*key].as_str());
        found.next().map(str::to_owned)
    };
    let inner = match &body["error"] {
        Value::Object(_) => &body["error"],
        _ => &body,
    };
    const MESSAGES: [&str; 5] = ["message", "detail", "title", "error_description", "error"];
    let message = first(inner, &MESSAGES);
    let code = first(inner, &["code", "error_code", "type"]).filter(|_| message.is_some());
    let code = code.filter(|code| Some(code) != message.as_ref());
    error(message, code)
}

/// A place in a request, as messages of a service name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPlace<'a> {
    /// A property of the body.
    Property(&'a str),
    /// A parameter, wherever it is.
    Parameter(&'a str),
}

impl RequestPlace<'_> {
    /// The option for it, without `--`, unless two have one name.
    pub fn option(&self) -> String {
        match self {
            RequestPlace::Property(name) | RequestPlace::Parameter(name) => name.to_kebab_case(),
        }
    }
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
pub fn replace_places_by_arguments(
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
    let mut tokens = pointer.split('/').map(spec_schema::pointer::unescape);
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
        let error = ServiceError {
            message: "slow down".to_owned(),
            code: "limited".to_owned(),
            retry_after: Some(Duration::from_secs(20)),
            request_id: Some("r1".to_owned()),
        };
        let line = "slow down (limited, retry after 20 seconds, request r1)";
        assert_eq!(error.to_string(), line);
        let known = ServiceError {
            message: "slow down for 20 seconds".to_owned(),
            ..error.clone()
        };
        let line = "slow down for 20 seconds (limited, request r1)";
        assert_eq!(known.to_string(), line);
        let silent = ServiceError {
            message: String::new(),
            code: "404 Not Found".to_owned(),
            ..ServiceError::default()
        };
        assert_eq!(silent.to_string(), "404 Not Found");
    }

    #[test]
    fn places_become_arguments_where_they_are_known() {
        let argument = |place: RequestPlace<'_>| match place {
            RequestPlace::Parameter("petId") => Some("<PET-ID>".to_owned()),
            RequestPlace::Parameter("limit") | RequestPlace::Property("name" | "tags") => {
                Some(format!("--{}", place.option()))
            }
            _ => None,
        };
        for (message, expected) in [
            (
                "/name: is required; /tags/0: must be text; /other: is wrong",
                "--name: is required; --tags, item 1: must be text; /other: is wrong",
            ),
            (
                "query parameter \"limit\" must be at most 100, got 500",
                "--limit: must be at most 100, got 500",
            ),
            (
                "path parameter \"petId\" must be at least 1",
                "<PET-ID>: must be at least 1",
            ),
            ("header \"X-A\" is wrong", "header \"X-A\" is wrong"),
            ("pet 9 does not exist", "pet 9 does not exist"),
        ] {
            assert_eq!(replace_places_by_arguments(message, argument), expected);
        }
    }
}
