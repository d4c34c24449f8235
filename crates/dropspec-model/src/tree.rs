//! Builds the tree of a document from the parts that a parser finds, in the order of the text.

use std::sync::Arc;

use dropspec_schema::pointer;

use crate::diagnostic::{Diagnostic, Location};
use crate::node::{MAX_DEPTH, Member, Node, Position, Value};

/// Why the rest of a text cannot be read.
pub(crate) type Fatal = Box<Diagnostic>;

pub(crate) struct Tree<'t> {
    /// The name of the file.
    name: &'t Arc<str>,
    open: Vec<Collection>,
    root: Option<Node>,
    /// What is wrong, although the rest can be read.
    problems: Vec<Diagnostic>,
    /// Whether an error behind a member is said to be at that member.
    pub(crate) keeps_key: bool,
}

/// An array or object whose end has not come yet.
struct Collection {
    position: Position,
    content: Value,
    /// The last key of an object.
    key: Option<(String, Position)>,
    /// Whether a value is to follow the key.
    expects_value: bool,
}

impl<'t> Tree<'t> {
    pub(crate) fn new(name: &'t Arc<str>) -> Tree<'t> {
        Tree {
            name,
            open: Vec::new(),
            root: None,
            problems: Vec::new(),
            keeps_key: false,
        }
    }

    /// The root, or all that is wrong. `result` is that of the parser.
    pub(crate) fn finish(mut self, result: Result<(), Fatal>) -> Result<Node, Vec<Diagnostic>> {
        self.problems.extend(result.err().map(|fatal| *fatal));
        match self.root {
            Some(root) if self.problems.is_empty() => Ok(root),
            _ => Err(self.problems),
        }
    }

    /// Begins an array or object.
    pub(crate) fn open(&mut self, content: Value, position: Position) -> Result<(), Fatal> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.nesting_error(position));
        }
        self.open.push(Collection {
            position,
            content,
            key: None,
            expects_value: false,
        });
        Ok(())
    }

    /// Ends the innermost open array or object.
    pub(crate) fn close(&mut self) -> Option<Node> {
        let closed = self.open.pop()?;
        Some(Node {
            position: closed.position,
            value: closed.content,
        })
    }

    /// Sets the key of the next member.
    pub(crate) fn set_key(&mut self, key: String, at: Position) {
        if let Some(innermost) = self.open.last_mut() {
            innermost.key = Some((key, at));
            innermost.expects_value = true;
        }
    }

    /// Adds a complete value to the innermost open array or object, or sets the root.
    pub(crate) fn add(&mut self, node: Node) {
        let Some(innermost) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        let duplicate = match (&mut innermost.content, &innermost.key) {
            (Value::Object(members), Some((key, key_position))) => {
                let key_position = *key_position;
                let first = members.get(key).map(|first| first.key_position);
                if first.is_none() {
                    members.insert(key.clone(), Member { key_position, node });
                }
                first.map(|first| {
                    let Position { line, column, .. } = first;
                    let place = format!("the first is at line {line}, column {column}");
                    (key_position, format!("duplicate key `{key}`: {place}"))
                })
            }
            (Value::Array(items), _) => {
                items.push(node);
                None
            }
            _ => None,
        };
        if let Some((at, message)) = duplicate {
            self.report(at, message, "remove one of the two, or rename it");
        }
        if let Some(innermost) = self.open.last_mut() {
            innermost.expects_value = false;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none() && self.problems.is_empty()
    }

    pub(crate) fn has_root(&self) -> bool {
        self.root.is_some()
    }

    /// Where the innermost open array or object begins.
    pub(crate) fn innermost(&self) -> Option<Position> {
        self.open.last().map(|innermost| innermost.position)
    }

    /// Whether the next value is the key of a member.
    pub(crate) fn expects_key(&self) -> bool {
        let innermost = self.open.last();
        innermost.is_some_and(|it| matches!(it.content, Value::Object(_)) && !it.expects_value)
    }

    /// Records what is wrong, although the rest can be read.
    pub(crate) fn report(&mut self, at: Position, message: impl Into<String>, help: &str) {
        let problem = self.error(at, message, help);
        self.problems.push(*problem);
    }

    pub(crate) fn nesting_error(&self, at: Position) -> Fatal {
        self.error(at, format!("nested deeper than {MAX_DEPTH} levels"), "")
    }

    /// An error at the last key or item. Without help if that is empty.
    pub(crate) fn error(
        &self,
        at: Position,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Fatal {
        let location = Location {
            file: Arc::clone(self.name),
            line: at.line,
            column: at.column,
        };
        Box::new(Diagnostic::new(location, self.pointer(), message).with_help(help))
    }

    /// The pointer of the last key or item.
    fn pointer(&self) -> String {
        let tokens = self.open.iter().map(|it| match (&it.content, &it.key) {
            (Value::Array(items), _) => format!("/{}", items.len()),
            (_, Some((key, _))) if self.keeps_key || it.expects_value => pointer::join("", key),
            _ => String::new(),
        });
        tokens.collect()
    }
}
