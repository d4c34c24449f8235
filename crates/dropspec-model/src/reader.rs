//! The state that all readers of elements share: the document, the location of a value, and the errors so far.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use dropspec_schema::pointer;

use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::node::{Member, Node, Object, Position, Value};
use crate::suggestion::Suggestions;

/// The place of a node in the document: its JSON pointer, and its position (line and column).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The JSON pointer (RFC 6901) of the node, after `$ref`s were followed.
    pub pointer: String,
    /// The position that a diagnostic shows: for a member of an object whose value is an array or object, that of
    /// its key; otherwise that of the value.
    pub position: Position,
}

impl Place {
    /// The place of the root of a document.
    pub fn root(document: &Document) -> Place {
        Place {
            pointer: String::new(),
            position: document.root().position,
        }
    }

    /// The place of the member `key` of the object at this place, with the position of the key.
    pub fn member(&self, key: &str, member: &Member) -> Place {
        Place {
            pointer: pointer::join(&self.pointer, key),
            position: member.key_position,
        }
    }

    /// The place of an item of the array at this place.
    pub fn item(&self, index: usize, item: &Node) -> Place {
        Place {
            pointer: format!("{}/{index}", self.pointer),
            position: item.position,
        }
    }
}

/// A value and its place in the document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// The place of the value.
    pub at: Place,
}

/// The document being read, and the errors so far.
pub(crate) struct Reader<'d> {
    pub(crate) document: &'d Document,
    /// JSON pointers of the schemas that are no components, and that are being read in place of a `$ref`: the outermost first.
    pub(crate) inlining: RefCell<Vec<String>>,
    /// The number of these schemas read so far.
    pub(crate) inlined: Cell<usize>,
    /// The number of schemas around the one that is being read.
    pub(crate) depth: Cell<usize>,
    /// Names for those that nothing has.
    pub(crate) suggestions: Suggestions,
    errors: RefCell<Vec<Diagnostic>>,
}

/// A value of the document with its JSON pointer, and the position of its key if it is a member.
#[derive(Clone)]
pub(crate) struct Cursor<'d> {
    pub(crate) node: &'d Node,
    pub(crate) pointer: String,
    pub(crate) key_position: Option<Position>,
}

impl<'d> Reader<'d> {
    pub(crate) fn new(document: &'d Document) -> Reader<'d> {
        Reader {
            document,
            inlining: RefCell::default(),
            inlined: Cell::default(),
            depth: Cell::default(),
            suggestions: Suggestions::default(),
            errors: RefCell::default(),
        }
    }

    pub(crate) fn root(&self) -> Cursor<'d> {
        Cursor {
            node: self.document.root(),
            pointer: String::new(),
            key_position: None,
        }
    }

    /// Records an error.
    pub(crate) fn record_error(&self, error: Diagnostic) {
        self.errors.borrow_mut().push(error);
    }

    /// Records an error about the node at a place. Without help if that is empty.
    pub(crate) fn report(&self, at: &Place, message: impl Into<String>, help: impl Into<String>) {
        let location = self.document.location(at.position);
        self.record_error(Diagnostic::new(location, at.pointer.clone(), message).with_help(help));
    }

    /// Records an error if a text is empty or has a character that is not allowed in the name of `what`.
    pub(crate) fn check_name(
        &self,
        at: &Place,
        text: &str,
        what: &str,
        is_allowed: fn(char) -> bool,
    ) {
        if text.is_empty() {
            self.report(at, format!("the name of {what} is empty"), "name it");
        } else if let Some(wrong) = text.chars().find(|c| !is_allowed(*c)) {
            let message = format!("`{text}` cannot be the name of {what}: it contains {wrong:?}");
            let help = "write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)";
            self.report(at, message, help);
        }
    }

    /// The errors in the order of the document. Those of a component that is used in many places are returned one time.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut seen = HashSet::new();
        let mut errors = self.errors.into_inner();
        errors.retain(|error| seen.insert(error.clone()));
        errors.sort_by(|a, b| a.location.cmp(&b.location));
        errors
    }
}

impl<'d> Cursor<'d> {
    /// A cursor at the member `key` of the object whose JSON pointer is `parent`.
    fn of_member(parent: &str, key: &str, member: &'d Member) -> Cursor<'d> {
        Cursor {
            node: &member.node,
            pointer: pointer::join(parent, key),
            key_position: Some(member.key_position),
        }
    }

    /// What messages call this value: by its key, or as an item.
    pub(crate) fn name(&self) -> String {
        let mut tokens = self.pointer.rsplit('/').map(pointer::unescape);
        let last = tokens.next().unwrap_or_default();
        match self.key_position {
            Some(_) => format!("`{last}`"),
            None => format!("an item of `{}`", tokens.next().unwrap_or_default()),
        }
    }

    /// The place of this value.
    pub(crate) fn place(&self) -> Place {
        let position = match (&self.node.value, self.key_position) {
            (Value::Array(_) | Value::Object(_), Some(key_position)) => key_position,
            _ => self.node.position,
        };
        Place {
            pointer: self.pointer.clone(),
            position,
        }
    }

    /// The member `key`, if this value is an object that has it.
    pub(crate) fn member(&self, key: &str) -> Option<Cursor<'d>> {
        let members: &'d Object = self.node.as_object()?;
        Some(Cursor::of_member(&self.pointer, key, members.get(key)?))
    }

    /// The members of this value, if it is an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'d str, Cursor<'d>)> + use<'d> {
        let pointer = self.pointer.clone();
        let members: Option<&'d Object> = self.node.as_object();
        let members = members.into_iter().flatten();
        members.map(move |(key, member)| (key.as_str(), Cursor::of_member(&pointer, key, member)))
    }

    /// The items of this value, if it is an array.
    pub(crate) fn items(&self) -> impl Iterator<Item = Cursor<'d>> + use<'d> {
        let pointer = self.pointer.clone();
        let items: &'d [Node] = self.node.as_array().unwrap_or_default();
        items.iter().enumerate().map(move |(index, node)| Cursor {
            node,
            pointer: format!("{pointer}/{index}"),
            key_position: None,
        })
    }
}
