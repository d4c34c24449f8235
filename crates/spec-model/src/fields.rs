//! Reads the members of one object by name and type. What nobody asked for is left over as extensions and unknown fields,
//! so that nothing is dropped silently.

use indexmap::IndexMap;
use serde_json::Number;
use spec_schema::pointer;

use crate::document::{Object, Value};
use crate::reader::{Cursor, Place, Reader, Spanned, UnknownField};

/// An object being read.
pub(crate) struct Fields<'r, 'd> {
    pub(crate) reader: &'r Reader<'d>,
    pub(crate) at: Place,
    members: &'d Object,
    taken: Vec<&'static str>,
}

/// What remains of an object when all fields of the standard have been taken.
pub(crate) struct Remainder {
    pub(crate) extensions: Object,
    pub(crate) unknown: Vec<UnknownField>,
}

impl<'r, 'd> Fields<'r, 'd> {
    pub(crate) fn new(reader: &'r Reader<'d>, at: Place, members: &'d Object) -> Self {
        Fields {
            reader,
            at,
            members,
            taken: Vec::new(),
        }
    }

    /// The value of the field `name`, which the standard defines.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<Cursor<'d>> {
        self.taken.push(name);
        self.member(name)
    }

    fn member(&self, name: &str) -> Option<Cursor<'d>> {
        let member = self.members.get(name)?;
        Some(Cursor {
            node: &member.node,
            pointer: pointer::join(&self.at.pointer, name),
            key_position: Some(member.key_position),
        })
    }

    /// As [`Fields::take`], for a collection.
    fn collection(&mut self, name: &'static str, what: &str) -> Option<Cursor<'d>> {
        let cursor = self.take(name)?;
        match (&cursor.node.value, what) {
            (Value::Object(_), "an object") | (Value::Array(_), "an array") => Some(cursor),
            _ => self.wrong_type(&cursor, name, what),
        }
    }

    /// The members of the map `name`.
    pub(crate) fn map(&mut self, name: &'static str) -> Option<Cursor<'d>> {
        self.collection(name, "an object")
    }

    /// The items of the list `name`; none if it is absent.
    pub(crate) fn list(&mut self, name: &'static str) -> Vec<Cursor<'d>> {
        self.collection(name, "an array")
            .map(|cursor| cursor.items().collect())
            .unwrap_or_default()
    }

    /// Reads each member of the map `name`; what cannot be read has been reported and is left out.
    pub(crate) fn read_map<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&Reader<'d>, Cursor<'d>) -> Option<T>,
    ) -> IndexMap<String, T> {
        let reader = self.reader;
        let cursor = self.map(name);
        cursor
            .iter()
            .flat_map(Cursor::members)
            .filter_map(|(key, member)| Some((key.to_owned(), read(reader, member)?)))
            .collect()
    }

    /// Any value, as it stands.
    pub(crate) fn raw(&mut self, name: &'static str) -> Option<crate::document::Node> {
        self.take(name).map(|cursor| cursor.node.clone())
    }

    /// A map that this crate does not look into.
    pub(crate) fn raw_map(&mut self, name: &'static str) -> Object {
        self.map(name)
            .and_then(|cursor| cursor.node.as_object().cloned())
            .unwrap_or_default()
    }

    pub(crate) fn string(&mut self, name: &'static str) -> Option<String> {
        self.spanned_string(name).map(|spanned| spanned.value)
    }

    pub(crate) fn spanned_string(&mut self, name: &'static str) -> Option<Spanned<String>> {
        let cursor = self.take(name)?;
        let value = match &cursor.node.value {
            Value::String(text) => text.clone(),
            // `version: 1.10` has lost its zero, but not what it is.
            Value::Number(number) => {
                let message = format!("`{name}` must be a string, found a number");
                let help = "put it in quotes";
                self.reader.mistake(&cursor.place(), message, help);
                number.to_string()
            }
            _ => return self.wrong_type(&cursor, name, "a string"),
        };
        let at = cursor.place();
        Some(Spanned { value, at })
    }

    /// The field `name`, which the standard requires; an empty text stands for a missing one, after it was reported.
    pub(crate) fn required_string(&mut self, name: &'static str, of: &str) -> String {
        if !self.members.contains_key(name) {
            let message = format!("{of} needs `{name}`");
            self.reader.error(&self.at, message);
        }
        self.string(name).unwrap_or_default()
    }

    /// Where the field `name` stands; the object itself if it has none.
    pub(crate) fn place_of(&self, name: &'static str) -> Place {
        match self.member(name) {
            Some(cursor) => cursor.place(),
            None => self.at.clone(),
        }
    }

    /// As [`Fields::required_string`], where the rest is still worth reading without it.
    pub(crate) fn expected_string(&mut self, name: &'static str, of: &str) -> String {
        if !self.members.contains_key(name) {
            let message = format!("{of} needs `{name}`");
            let help = format!("add `{name}`");
            self.reader.mistake(&self.at, message, &help);
        }
        self.string(name).unwrap_or_default()
    }

    pub(crate) fn boolean(&mut self, name: &'static str) -> Option<bool> {
        let cursor = self.take(name)?;
        match cursor.node.value {
            Value::Bool(truth) => Some(truth),
            _ => self.wrong_type(&cursor, name, "a boolean (`true` or `false`)"),
        }
    }

    /// A boolean whose default is false.
    pub(crate) fn flag(&mut self, name: &'static str) -> bool {
        self.boolean(name).unwrap_or(false)
    }

    pub(crate) fn number(&mut self, name: &'static str) -> Option<Number> {
        let cursor = self.take(name)?;
        match &cursor.node.value {
            Value::Number(number) => Some(number.clone()),
            _ => self.wrong_type(&cursor, name, "a number"),
        }
    }

    /// A length or a size.
    pub(crate) fn count(&mut self, name: &'static str) -> Option<u64> {
        let cursor = self.take(name)?;
        let whole = |number: &Number| {
            // JSON does not tell 10 from 10.0, and generators write 1e3; 2^64 is the first that does not fit.
            let float = number.as_f64().filter(|f| f.fract() == 0.0)?;
            ((0.0..18_446_744_073_709_551_616.0).contains(&float)).then_some(float as u64)
        };
        let count = cursor.node.as_number();
        match count.and_then(|number| number.as_u64().or_else(|| whole(number))) {
            Some(count) => Some(count),
            None => self.wrong_type(&cursor, name, "a whole number from 0"),
        }
    }

    /// A list of strings.
    pub(crate) fn strings(&mut self, name: &'static str) -> Vec<Spanned<String>> {
        let items = self.list(name);
        items
            .into_iter()
            .filter_map(|item| match item.node.as_str() {
                Some(text) => Some(Spanned {
                    value: text.to_owned(),
                    at: item.place(),
                }),
                None => self.wrong_type(&item, name, "an array of strings"),
            })
            .collect()
    }

    /// What is left: extensions, and fields that the standard does not define.
    pub(crate) fn finish(self) -> Remainder {
        let mut extensions = Object::new();
        let mut unknown = Vec::new();
        for (key, member) in self.members {
            if key.starts_with("x-") {
                extensions.insert(key.clone(), member.clone());
            } else if !self.taken.contains(&key.as_str()) {
                unknown.push(UnknownField {
                    name: key.clone(),
                    at: self.at.member(key, member),
                });
            }
        }
        self.reader
            .unknown_fields
            .borrow_mut()
            .extend(unknown.iter().cloned());
        Remainder {
            extensions,
            unknown,
        }
    }

    /// As [`Fields::finish`], where the element keeps no list of its own of what is unknown.
    pub(crate) fn extensions(self) -> Object {
        self.finish().extensions
    }

    fn wrong_type<T>(&self, cursor: &Cursor<'d>, name: &str, wanted: &str) -> Option<T> {
        if cursor.node.value == Value::Null {
            let message = format!("`{name}` must be {wanted}, found no value");
            let help = format!("remove `{name}`, or give it a value");
            self.reader.mistake(&cursor.place(), message, &help);
            return None;
        }
        let found = cursor.node.kind();
        let message = format!("`{name}` must be {wanted}, found {found}");
        self.reader.error(&cursor.place(), message);
        None
    }
}
