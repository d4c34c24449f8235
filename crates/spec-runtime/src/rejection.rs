//! Why a request is rejected before a handler runs. `Display` gives the sentence for the client; the server chooses
//! status and error code.

use std::fmt;

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
    /// The body is JSON but does not fit its schema.
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

/// The part of a request that carries a parameter (`in`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterLocation {
    /// A segment of the path.
    Path,
    /// The query string.
    Query,
    /// A header.
    Header,
}

impl Rejection {
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

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::MalformedRequest {
            message: message.into(),
        }
    }
}

impl fmt::Display for ParameterLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path parameter",
            Self::Query => "query parameter",
            Self::Header => "header",
        })
    }
}

fn join_problems(problems: &[Problem]) -> String {
    let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
    problems.join("; ")
}
