//! A YAML or JSON document.

use std::borrow::Cow;
use std::sync::Arc;

use dropspec_schema::pointer;

use crate::diagnostic::{Diagnostic, Location};
use crate::node::{Node, Position};
use crate::{json, newer, text, yaml};

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

    /// The minor version of OpenAPI: 2 of `3.2.0`. 0 of a document of another major version.
    pub fn minor_version(&self) -> u8 {
        let version = self.root.get("openapi").and_then(Node::as_str);
        let minor = version.and_then(|version| version.strip_prefix("3."));
        match minor.and_then(|minor| minor.split_once('.')) {
            Some(("1", _)) => 1,
            Some(("2", _)) => 2,
            _ => 0,
        }
    }

    /// Whether the schemas of the document are those of JSON Schema 2020-12: it is of OpenAPI 3.1 or 3.2.
    pub fn uses_json_schema(&self) -> bool {
        self.minor_version() > 0
    }

    /// The same document with the schemas of OpenAPI 3.1 or 3.2 in the terms of 3.0, as far as it has them: for instance
    /// `nullable: true` for the type `null`. Other keywords stay, as does the version. Rewritten values have the positions of
    /// what they stand for. A document of another version is returned as it is.
    pub fn in_terms_of_3_0(&self) -> Cow<'_, Document> {
        if self.uses_json_schema() {
            Cow::Owned(self.with_root(newer::rewrite(&self.root)))
        } else {
            Cow::Borrowed(self)
        }
    }

    /// This document in the terms that code is generated from: those of [`Document::in_terms_of_3_0`], with one type in each
    /// schema.
    pub(crate) fn in_terms_of_code(&self) -> Option<Document> {
        let root = newer::rewrite_for_code(&self.root, self.minor_version())?;
        Some(self.with_root(root))
    }

    fn with_root(&self, root: Node) -> Document {
        let names = self.names.clone();
        Document { names, root }
    }

    /// The JSON pointer in this document of a value of [`Document::in_terms_of_3_0`].
    pub fn written_pointer(&self, pointer: &str) -> String {
        if self.uses_json_schema() {
            newer::written_pointer(&self.root, pointer)
        } else {
            pointer.to_owned()
        }
    }

    /// The file name that the document was parsed with; if it is of several files, that of the first.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }

    /// The outermost value.
    pub fn root(&self) -> &Node {
        &self.root
    }

    pub(crate) fn root_mut(&mut self) -> &mut Node {
        &mut self.root
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
    if let Some(problem) = text::find_other_format(name, text) {
        return Err(vec![problem]);
    }
    if text.trim_start().starts_with('{') {
        json::parse(name, text, file)
    } else {
        yaml::parse(name, text, file)
    }
}
