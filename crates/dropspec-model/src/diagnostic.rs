//! Diagnostics: problems of a document with location and help. They have no levels.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// A file name with line and column, as diagnostics show it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Location {
    /// The file name that the document was parsed with.
    #[serde(serialize_with = "write_text")]
    pub file: Arc<str>,
    /// The line, from 1; 0 if the file as a whole is meant, for example because it is missing.
    pub line: u32,
    /// The column in characters, from 1; 0 if the file as a whole is meant.
    pub column: u32,
}

fn write_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

/// An error or warning about a document.
///
/// Displayed as `file:line:column: message (pointer)`, with a second line `  help: …` if there is help.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub struct Diagnostic {
    /// The location in the file.
    pub location: Location,
    /// The JSON pointer (RFC 6901) of the element; empty for the root.
    pub pointer: String,
    /// The problem, in one line.
    pub message: String,
    /// How to correct it.
    pub help: Option<String>,
    /// The id of the rule that found it; empty if no rule did.
    pub rule: &'static str,
}

impl Diagnostic {
    /// Creates a diagnostic without help.
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
            rule: "",
        }
    }

    /// Names the rule that found it.
    #[must_use]
    pub fn of_rule(mut self, rule: &'static str) -> Diagnostic {
        self.rule = rule;
        self
    }

    /// Adds help to the diagnostic: how to correct the problem. None if it is empty.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into()).filter(|help| !help.is_empty());
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
