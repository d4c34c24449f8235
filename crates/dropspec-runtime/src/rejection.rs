//! Why a request is rejected before a handler runs. `Display` gives the sentence for the client; the server chooses
//! status and error code.

use dropshot::{ClientErrorStatusCode, HttpError};
use dropspec_schema::pointer;
/// The part of a request that has a parameter (`in`).
pub use dropspec_schema::wire::Location as ParameterLocation;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

/// The text of a rejection for want of a body.
pub(crate) const BODY_MISSING: &str = "a body is required";

/// What a URI does not have in its fragment (RFC 3986, section 3.5).
const NOT_IN_FRAGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Why a request cannot be decoded or is not valid by the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The request cannot be parsed: invalid JSON, an invalid encoding, a missing body.
    #[error("{message}")]
    MalformedRequest {
        /// The problem, with its position if that is known.
        message: String,
    },
    /// A parameter does not fit its schema.
    #[error("{location} \"{name}\" {message}")]
    InvalidParameter {
        /// The name as the document writes it; if the document has no such parameter, as the client wrote it.
        name: String,
        /// The location of the parameter in the request.
        location: ParameterLocation,
        /// The rule that the value breaks, such as `must be at most 100, got 1000`.
        message: String,
    },
    /// The operation does not accept bodies of this media type.
    #[error("{message}")]
    UnsupportedMediaType {
        /// The media type of the request, and those that are accepted.
        message: String,
    },
    /// The body has more bytes than the operation accepts.
    #[error("{message}")]
    BodyTooLarge {
        /// The limit.
        message: String,
    },
    /// The body did not arrive in time.
    #[error("{message}")]
    BodyTimeout {
        /// How long the server waited.
        message: String,
    },
    /// The body can be parsed but does not fit its schema.
    #[error("{}", join_problems(problems))]
    ValidationFailed {
        /// Between 1 and [`MAX_PROBLEMS`] problems.
        problems: Vec<Problem>,
    },
}

/// The largest number of problems that one rejection reports for a body.
pub const MAX_PROBLEMS: usize = 5;

/// One value in a body that is not valid by the schema, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", if pointer.is_empty() { "\"\"" } else { pointer })]
pub struct Problem {
    /// JSON pointer (RFC 6901) into the body; empty for the whole body.
    pub pointer: String,
    /// The rule that the value breaks, such as `must be at most 100 characters long`.
    pub message: String,
}

impl Problem {
    /// The pointer as the fragment of a URI (RFC 6901, section 6), such as `#/name`: so problem details have it (RFC 9457).
    pub fn fragment(&self) -> String {
        format!("#{}", utf8_percent_encode(&self.pointer, NOT_IN_FRAGMENT))
    }

    /// The pointer as a list that begins with `body`, in which the indexes of items are numbers: so FastAPI names places. Empty for the
    /// request as a whole.
    pub fn location(&self) -> Vec<Value> {
        let tokens = pointer::tokens(&self.pointer).unwrap_or_default();
        let body = (!tokens.is_empty()).then(|| json!("body"));
        let tokens = tokens
            .into_iter()
            .map(|token| match pointer::parse_index(&token) {
                Some(index) => json!(index),
                None => json!(token),
            });
        body.into_iter().chain(tokens).collect()
    }
}

impl Rejection {
    /// What is wrong with each value of a body that does not validate; empty for all other rejections.
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::ValidationFailed { problems } => problems,
            _ => &[],
        }
    }

    pub(crate) fn parameter(
        location: ParameterLocation,
        name: &str,
        message: impl Into<String>,
    ) -> Self {
        Self::InvalidParameter {
            name: name.to_owned(),
            location,
            message: message.into(),
        }
    }

    /// The rejection of a body of more than `limit` bytes.
    pub fn too_large(limit: usize) -> Self {
        Self::BodyTooLarge {
            message: format!("the body is larger than {limit} bytes"),
        }
    }

    /// The rejection of a part of a body, by its JSON pointer.
    pub(crate) fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let (pointer, message) = (pointer.into(), message.into());
        Self::ValidationFailed {
            problems: vec![Problem { pointer, message }],
        }
    }

    /// The status of the response to the request.
    fn status(&self) -> ClientErrorStatusCode {
        match self {
            Self::MalformedRequest { .. } | Self::InvalidParameter { .. } => {
                ClientErrorStatusCode::BAD_REQUEST
            }
            Self::BodyTimeout { .. } => ClientErrorStatusCode::REQUEST_TIMEOUT,
            Self::BodyTooLarge { .. } => ClientErrorStatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType { .. } => ClientErrorStatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::ValidationFailed { .. } => ClientErrorStatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::MalformedRequest {
            message: message.into(),
        }
    }
}

/// For a handler that reads a stream: its `?` converts a rejection to the error of the operation.
impl From<Rejection> for HttpError {
    fn from(rejection: Rejection) -> Self {
        Self::for_client_error(None, rejection.status(), rejection.to_string())
    }
}

fn join_problems(problems: &[Problem]) -> String {
    let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
    problems.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_of_a_problem_is_written_as_a_fragment_and_as_a_list() {
        for (pointer, fragment, location) in [
            ("", "#", json!([])),
            (
                "/items/0/name",
                "#/items/0/name",
                json!(["body", "items", 0, "name"]),
            ),
            (
                "/a~1b/x y%",
                "#/a~1b/x%20y%25",
                json!(["body", "a/b", "x y%"]),
            ),
        ] {
            let problem = Problem {
                pointer: pointer.to_owned(),
                message: String::new(),
            };
            assert_eq!(problem.fragment(), fragment);
            assert_eq!(Value::from(problem.location()), location);
        }
    }
}
