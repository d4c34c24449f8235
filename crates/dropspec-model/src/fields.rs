//! Reads the fields of an object by their types.

use indexmap::IndexMap;
use serde_json::Number;

use crate::node::{Member, Node, Object, Value};
use crate::reader::{Cursor, Located, Place, Reader};
use crate::reference::parse_component_pointer;

/// The first integer that does not fit into 64 bits.
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// A value of a document.
pub(crate) trait Read: Sized {
    /// Reads a value. `None` after an error.
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self>;
}

/// The value of a field of an object, which may be absent.
pub(crate) trait Field: Sized {
    /// Reads the field `key`. `None` after an error, if the object cannot be read without it.
    fn read_field(fields: &Fields<'_, '_>, key: &'static str) -> Option<Self>;
}

/// A type that has a value for an absent field.
trait WithDefault: Read + Default {}

impl WithDefault for bool {}
impl<T: Read> WithDefault for Vec<T> {}
impl<T: Read> WithDefault for IndexMap<String, T> {}

impl<T: WithDefault> Field for T {
    fn read_field(fields: &Fields<'_, '_>, key: &'static str) -> Option<Self> {
        Some(fields.read::<Option<T>>(key)?.unwrap_or_default())
    }
}

impl<T: Read> Field for Option<T> {
    fn read_field(fields: &Fields<'_, '_>, key: &'static str) -> Option<Self> {
        let cursor = fields.get(key);
        Some(cursor.and_then(|cursor| T::read(fields.reader, cursor)))
    }
}

/// A string that the object must have; empty after an error.
impl Field for String {
    fn read_field(fields: &Fields<'_, '_>, key: &'static str) -> Option<Self> {
        Some(fields.read_required(key, fields.title))
    }
}

impl Read for bool {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let found = cursor.node.as_bool();
        found.or_else(|| reader.refuse_type(&cursor, "a boolean (`true` or `false`)"))
    }
}

impl Read for Located<String> {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let at = cursor.place();
        let value = match &cursor.node.value {
            Value::String(text) => text.clone(),
            // The meaning of `version: 1.10` is clear, although its last zero is lost.
            Value::Number(number) => {
                let message = format!("{} must be a string, found a number", cursor.name());
                reader.report(&at, message, "put it in quotes");
                number.to_string()
            }
            _ => return reader.refuse_type(&cursor, "a string"),
        };
        Some(Located { value, at })
    }
}

impl Read for String {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        Some(Located::<String>::read(reader, cursor)?.value)
    }
}

impl Read for Number {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let found = cursor.node.as_number().cloned();
        found.or_else(|| reader.refuse_type(&cursor, "a number"))
    }
}

/// A length or a number of items. In JSON, 10.0 and 1e1 are the integer 10.
pub(crate) struct Count;

impl Read for Count {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let is_count = |it: f64| it.fract() == 0.0 && (0.0..TWO_TO_64).contains(&it);
        reader.check_number(&cursor, "a whole number from 0", is_count)?;
        Some(Count)
    }
}

/// A number of which others are multiples.
pub(crate) struct Divisor;

impl Read for Divisor {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        reader.check_number(&cursor, "a number above 0", |it| it > 0.0)?;
        Some(Divisor)
    }
}

/// Any value.
impl Read for Node {
    fn read<'d>(_: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        Some(cursor.node.clone())
    }
}

/// Any value, with the position of its key.
impl Read for Member {
    fn read<'d>(_: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let key_position = cursor.key_position?;
        let node = cursor.node.clone();
        Some(Member { key_position, node })
    }
}

/// Items that cannot be read are left out.
impl<T: Read> Read for Vec<T> {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        if cursor.node.as_array().is_none() {
            return reader.refuse_type(&cursor, "an array");
        }
        let items = cursor.items();
        Some(items.filter_map(|it| T::read(reader, it)).collect())
    }
}

/// Members that cannot be read are left out.
impl<T: Read> Read for IndexMap<String, T> {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        if cursor.node.as_object().is_none() {
            return reader.refuse_type(&cursor, "an object");
        }
        let members = cursor.members();
        let read = members.filter_map(|(key, it)| Some((key.to_owned(), T::read(reader, it)?)));
        Some(read.collect())
    }
}

/// An object whose fields are read.
pub(crate) struct Fields<'r, 'd> {
    pub(crate) reader: &'r Reader<'d>,
    /// What messages call the object.
    pub(crate) title: &'static str,
    pub(crate) at: Place,
    pub(crate) object: Cursor<'d>,
    /// The place of the first `$ref` to the object.
    pub(crate) reference: Option<Place>,
    /// The name of the object, if it is in `components`.
    pub(crate) component: Option<String>,
}

impl<'d> Reader<'d> {
    /// Starts to read an object, called `title` in messages, which a `$ref` into this section of `components` can replace.
    /// Reports an error if the value is no object.
    pub(crate) fn open<'r>(
        &'r self,
        cursor: Cursor<'d>,
        title: &'static str,
        section: Option<&str>,
    ) -> Option<Fields<'r, 'd>> {
        let (object, reference) = match section {
            Some(section) => self.resolve(cursor, section)?,
            None => (cursor, None),
        };
        let at = object.place();
        if object.node.as_object().is_none() {
            let found = object.node.kind();
            let message = format!("expected {title} (an object), found {found}");
            self.report(&at, message, "");
            return None;
        }
        Some(Fields {
            reader: self,
            title,
            at,
            component: parse_component_pointer(&object.pointer).map(|(_, name)| name),
            object,
            reference,
        })
    }

    /// Reports a value that is no number, or none for which this holds.
    fn check_number(
        &self,
        cursor: &Cursor<'d>,
        expected: &str,
        is_valid: impl Fn(f64) -> bool,
    ) -> Option<()> {
        let Some(number) = cursor.node.as_number() else {
            return self.refuse_type(cursor, expected);
        };
        if number.as_f64().is_some_and(is_valid) {
            return Some(());
        }
        let message = format!("{} must be {expected}, found {number}", cursor.name());
        self.report(&cursor.place(), message, format!("write {expected} here"));
        None
    }

    /// Reports that a value is of another type than `expected`.
    pub(crate) fn refuse_type<T>(&self, cursor: &Cursor<'d>, expected: &str) -> Option<T> {
        let name = cursor.name();
        let (found, help) = match &cursor.node.value {
            Value::Null => ("no value", format!("remove {name}, or give it a value")),
            _ => (cursor.node.kind(), format!("write {expected} here")),
        };
        let message = format!("{name} must be {expected}, found {found}");
        self.report(&cursor.place(), message, help);
        None
    }
}

impl<'d> Fields<'_, 'd> {
    /// The value of the field `key`, of any type.
    pub(crate) fn get(&self, key: &'static str) -> Option<Cursor<'d>> {
        self.object.member(key)
    }

    /// Reads the field `key`. `None` after an error, if the object cannot be read without it.
    pub(crate) fn read<T: Field>(&self, key: &'static str) -> Option<T> {
        T::read_field(self, key)
    }

    /// Reads the string `key` that `owner` must have; empty after an error.
    pub(crate) fn read_required(&self, key: &'static str, owner: &str) -> String {
        if self.get(key).is_none() {
            let message = format!("{owner} needs `{key}`");
            self.report(message, format!("add `{key}`"));
        }
        self.read(key).flatten().unwrap_or_default()
    }

    /// Reads the string `key` that `owner` must have, and that names `what`. Reports an error if it is absent or empty, or
    /// contains a character that `is_allowed` refuses.
    pub(crate) fn read_required_name(
        &self,
        key: &'static str,
        owner: &str,
        what: &str,
        is_allowed: fn(char) -> bool,
    ) -> String {
        let text = self.read_required(key, owner);
        // What is no string has been reported.
        if let Some(cursor) = self.get(key).filter(|it| it.node.as_str().is_some()) {
            let at = cursor.place();
            self.reader.check_name(&at, &text, what, is_allowed);
        }
        text
    }

    /// Records an error about the object.
    pub(crate) fn report(&self, message: impl Into<String>, help: impl Into<String>) {
        self.reader.report(&self.at, message, help);
    }

    /// Records an error about the field `key`; about the object if there is no such field.
    pub(crate) fn report_at(
        &self,
        key: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let at = self.get(key).map_or(self.at.clone(), |field| field.place());
        self.reader.report(&at, message, help);
    }

    /// Copies the fields that begin with `x-`.
    pub(crate) fn extensions(&self) -> Option<Object> {
        let members = self.object.node.as_object()?.iter();
        let extensions = members.filter(|(key, _)| key.starts_with("x-"));
        let copied = extensions.map(|(key, member)| (key.clone(), member.clone()));
        Some(copied.collect())
    }
}
