//! A YAML or JSON document.

use std::sync::Arc;

use spec_schema::pointer;

use crate::diagnostic::{Diagnostic, Location};
use crate::node::{Node, Position};
use crate::{json, yaml};

/// A parsed JSON or YAML document: the tree of its values, and the names of the files that they are written in.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// By [`Position::file`]; at least one.
    names: Vec<Arc<str>>,
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
        let root = parse_file(&name, text, 0)?;
        let names = vec![name];
        Ok(Document { names, root })
    }

    /// Puts a document together from values of several files.
    ///
    /// `names` are the names of the files in diagnostics, by [`Position::file`]. The first is that of the document.
    pub fn from_files(names: Vec<Arc<str>>, root: Node) -> Document {
        Document { names, root }
    }

    /// The file name that the document was parsed with; if it is of several files, that of the first.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }

    /// The outermost value.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Node> {
        self.root.pointer(pointer)
    }

    /// Adds the name of its file to a position in this document.
    pub fn location(&self, position: Position) -> Location {
        let name = self.names.get(position.file as usize);
        Location {
            file: name.cloned().unwrap_or_default(),
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

/// Reads the text of one file of a document, as [`Document::parse`] does. All its values get the file `file`.
///
/// # Errors
/// As [`Document::parse`].
pub fn parse_file(name: &Arc<str>, text: &str, file: u32) -> Result<Node, Vec<Diagnostic>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut root = if text.trim_start().starts_with('{') {
        json::parse(name, text)?
    } else {
        yaml::parse(name, text)?
    };
    if file != 0 {
        root.set_file(file);
    }
    Ok(root)
}
