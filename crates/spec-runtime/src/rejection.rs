//! Why a request was refused before a handler saw it. The Display of each is the sentence for the client;
//! statuses and error codes are the server's.

use std::fmt;

/// A request that does not fit the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The request cannot be read: bad JSON, a bad encoding, a missing body.
    #[error("{message}")]
    MalformedRequest {
        /// What is wrong, with the place where it can be told.
        message: String,
    },
    /// A parameter does not fit its schema.
    #[error("{location} \"{name}\" {message}")]
    InvalidParameter {
        /// The parameter, as the document (or, if it is not known there, the client) spells it.
        name: String,
        /// Where it stands in the request.
        location: Location,
        /// The bound that it misses, such as `must be at most 100, got 1000`.
        message: String,
    },
    /// The body is of a type that the operation does not take.
    #[error("{message}")]
    UnsupportedMediaType {
        /// What was sent, and what is taken.
        message: String,
    },
    /// The body is JSON, but does not fit its schema.
    #[error("{}", Joined(problems))]
    ValidationFailed {
        /// What is wrong, at most [`MAX_PROBLEMS`] of them; never empty.
        problems: Vec<Problem>,
    },
}

/// So many problems of one body are told at once.
pub const MAX_PROBLEMS: usize = 5;

/// One thing wrong with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer (RFC 6901) into the body; empty for the whole of it.
    pub pointer: String,
    /// The bound that is missed, such as `must be at most 100 characters long`.
    pub message: String,
}

/// Where a parameter stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// A segment of the path.
    Path,
    /// The query string.
    Query,
    /// A header.
    Header,
}

impl Rejection {
    pub(crate) fn parameter(location: Location, name: &str, message: impl Into<String>) -> Self {
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

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::UnsupportedMediaType {
            message: message.into(),
        }
    }
}

impl Location {
    /// The location as the document's `in` spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path parameter",
            Self::Query => "query parameter",
            Self::Header => "header",
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.pointer.as_str() {
            "" => "\"\"",
            pointer => pointer,
        };
        write!(f, "{place}: {}", self.message)
    }
}

struct Joined<'a>(&'a [Problem]);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}
