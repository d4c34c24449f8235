//! What all typed readers share: where an element stands, and the one list that every mistake goes to.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use crate::diagnostic::Diagnostic;
use crate::document::{Document, Member, Node, Object, Span, Value, escape_token};
use crate::fields::Fields;

/// Where an element of the document stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The JSON pointer (RFC 6901) to the element in the document, after `$ref`s were followed.
    pub pointer: String,
    /// Where a person should look: the key of an array or object that is an object's member, otherwise the value itself.
    pub span: Span,
}

impl Place {
    /// The outermost value of a document.
    pub(crate) fn root(document: &Document) -> Place {
        Place {
            pointer: String::new(),
            span: document.root().span,
        }
    }

    /// Where a member of the object that stands here stands.
    pub(crate) fn member(&self, key: &str, member: &Member) -> Place {
        Place {
            pointer: format!("{}/{}", self.pointer, escape_token(key)),
            span: member.key_span,
        }
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub at: Place,
}

/// A field that OpenAPI 3.0 does not define and that does not begin with `x-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnknownField {
    /// Its key.
    pub name: String,
    /// Where its key stands.
    pub at: Place,
}

/// How to take a mistake after which the meaning is still clear, such as an operation without `responses`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// It is an error.
    Strict,
    /// It is listed in [`Spec::mistakes`](crate::Spec::mistakes), and the document is read all the same.
    Lenient,
}

/// The state of one reading of a document.
pub(crate) struct Reader<'d> {
    pub(crate) document: &'d Document,
    pub(crate) unknown_fields: RefCell<Vec<UnknownField>>,
    pub(crate) schemas: SchemaBounds,
    strictness: Strictness,
    errors: RefCell<Vec<Diagnostic>>,
    mistakes: RefCell<Vec<Diagnostic>>,
}

/// What keeps the reading of schemas finite when a `$ref` leads into the middle of another schema.
#[derive(Default)]
pub(crate) struct SchemaBounds {
    /// The targets being read in place of a `$ref`, outermost first.
    pub(crate) inlining: RefCell<Vec<String>>,
    /// How many were read so far.
    pub(crate) inlined: Cell<usize>,
    /// How many schemas enclose the one being read.
    pub(crate) depth: Cell<usize>,
}

/// A value of the document, and how it was reached.
#[derive(Clone)]
pub(crate) struct Cursor<'d> {
    pub(crate) node: &'d Node,
    pub(crate) pointer: String,
    pub(crate) key_span: Option<Span>,
}

impl<'d> Reader<'d> {
    pub(crate) fn new(document: &'d Document, strictness: Strictness) -> Reader<'d> {
        Reader {
            document,
            unknown_fields: RefCell::default(),
            schemas: SchemaBounds::default(),
            strictness,
            errors: RefCell::default(),
            mistakes: RefCell::default(),
        }
    }

    pub(crate) fn root(&self) -> Cursor<'d> {
        Cursor {
            node: self.document.root(),
            pointer: String::new(),
            key_span: None,
        }
    }

    /// Reports a mistake that loses meaning.
    pub(crate) fn error(&self, at: &Place, message: impl Into<String>) {
        let diagnostic = self.diagnostic(at, message);
        self.errors.borrow_mut().push(diagnostic);
    }

    /// As [`Reader::error`], with what to write instead.
    pub(crate) fn error_with_help(&self, at: &Place, message: impl Into<String>, help: &str) {
        let diagnostic = self.diagnostic(at, message).with_help(help);
        self.errors.borrow_mut().push(diagnostic);
    }

    /// Reports a mistake after which the meaning is still clear.
    pub(crate) fn mistake(&self, at: &Place, message: impl Into<String>, help: &str) {
        let diagnostic = self.diagnostic(at, message).with_help(help);
        let list = match self.strictness {
            Strictness::Strict => &self.errors,
            Strictness::Lenient => &self.mistakes,
        };
        list.borrow_mut().push(diagnostic);
    }

    /// The members of an object, or an error that says what should be one.
    pub(crate) fn fields<'r>(&'r self, cursor: Cursor<'d>, what: &str) -> Option<Fields<'r, 'd>> {
        match &cursor.node.value {
            Value::Object(members) => Some(Fields::new(self, cursor.place(), members)),
            _ => {
                let found = cursor.node.kind();
                let message = format!("expected {what} (an object), found {found}");
                self.error(&cursor.place(), message);
                None
            }
        }
    }

    /// The errors (if any), in the order of the document; a component used in many places is reported once.
    pub(crate) fn finish(self) -> (Vec<Diagnostic>, Vec<Diagnostic>, Vec<UnknownField>) {
        let mut unknown = self.unknown_fields.into_inner();
        let mut seen = HashSet::new();
        unknown.retain(|field| seen.insert(field.at.pointer.clone()));
        unknown.sort_by_key(|field| field.at.span);
        (
            in_order(self.errors.into_inner()),
            in_order(self.mistakes.into_inner()),
            unknown,
        )
    }

    fn diagnostic(&self, at: &Place, message: impl Into<String>) -> Diagnostic {
        let location = self.document.location(at.span);
        Diagnostic::new(location, at.pointer.clone(), message)
    }
}

fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    diagnostics.retain(|diagnostic| seen.insert(diagnostic.clone()));
    diagnostics.sort_by(|a, b| a.location.cmp(&b.location));
    diagnostics
}

impl<'d> Cursor<'d> {
    pub(crate) fn place(&self) -> Place {
        let span = match (&self.node.value, self.key_span) {
            (Value::Array(_) | Value::Object(_), Some(key_span)) => key_span,
            _ => self.node.span,
        };
        Place {
            pointer: self.pointer.clone(),
            span,
        }
    }

    /// The member `key`, if this value is an object that has it.
    pub(crate) fn member(&self, key: &str) -> Option<Cursor<'d>> {
        let member = self.node.as_object()?.get(key)?;
        Some(Cursor {
            node: &member.node,
            pointer: format!("{}/{}", self.pointer, escape_token(key)),
            key_span: Some(member.key_span),
        })
    }

    /// The members of this value, if it is an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'d str, Cursor<'d>)> + use<'d> {
        let pointer = self.pointer.clone();
        let members: Option<&'d Object> = self.node.as_object();
        members.into_iter().flatten().map(move |(key, member)| {
            let cursor = Cursor {
                node: &member.node,
                pointer: format!("{pointer}/{}", escape_token(key)),
                key_span: Some(member.key_span),
            };
            (key.as_str(), cursor)
        })
    }

    /// The items of this value, if it is an array.
    pub(crate) fn items(&self) -> impl Iterator<Item = Cursor<'d>> + use<'d> {
        let pointer = self.pointer.clone();
        let items: &'d [Node] = self.node.as_array().unwrap_or_default();
        items.iter().enumerate().map(move |(index, node)| Cursor {
            node,
            pointer: format!("{pointer}/{index}"),
            key_span: None,
        })
    }
}
