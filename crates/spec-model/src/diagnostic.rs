//! What is wrong with a document, where, and what to write instead. It does not decide how bad that is.

use std::fmt;
use std::sync::Arc;

/// A place in a file, as people count it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The name the document was parsed under.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One mistake in a document.
///
/// Displayed as `file:line:column: message (pointer)`, with a second line `  help: …` if there is a way out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub struct Diagnostic {
    /// Where a person should look.
    pub location: Location,
    /// The JSON pointer (RFC 6901) of the element; empty for the whole document.
    pub pointer: String,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A mistake without a way out to name.
    pub fn new(
        location: Location,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            location,
            pointer: pointer.into(),
            message: message.into(),
            help: None,
        }
    }

    /// The same mistake, with what to write instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)?;
        if !self.pointer.is_empty() {
            write!(f, " ({})", self.pointer)?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}
