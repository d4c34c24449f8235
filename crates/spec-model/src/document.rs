//! A YAML or JSON document.

use std::sync::Arc;

use spec_schema::pointer;

use crate::diagnostic::{Diagnostic, Location};
use crate::node::{Node, Position};
use crate::{json, yaml};

/// A parsed JSON or YAML file: its name and the tree of its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    name: Arc<str>,
    root: Node,
}

impl Document {
    /// Reads `text` as JSON if its first character is `{`, as YAML 1.2 (core schema) otherwise.
    ///
    /// `name` is the file name in diagnostics. A byte order mark and CRLF line ends are accepted.
    ///
    /// # Errors
    /// The first syntax error or too deep nesting, and all duplicate keys, merge keys and unknown tags.
    pub fn parse(name: &str, text: &str) -> Result<Document, Vec<Diagnostic>> {
        let name: Arc<str> = Arc::from(name);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root = if text.trim_start().starts_with('{') {
            json::parse(&name, text)?
        } else {
            yaml::parse(&name, text)?
        };
        Ok(Document { name, root })
    }

    /// The file name that the document was parsed with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The outermost value of the file.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Node> {
        self.root.pointer(pointer)
    }

    /// Adds the file name of this document to a position.
    pub fn location(&self, position: Position) -> Location {
        Location {
            file: Arc::clone(&self.name),
            line: position.line,
            column: position.column,
        }
    }

    /// Finds a value as [`Document::pointer`] does, and the position of its key if it is a member of an object.
    pub fn member(&self, pointer: &str) -> Option<(Option<Position>, &Node)> {
        let mut found = (None, &self.root);
        for token in pointer::tokens(pointer)? {
            found = found.1.child(&token)?;
        }
        Some(found)
    }
}
