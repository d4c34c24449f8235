//! Reads the fields of an object by name and type.

use indexmap::IndexMap;
use serde_json::Number;

use crate::node::{Node, Object, Value};
use crate::reader::{Cursor, Located, Place, Reader};

/// The first integer that does not fit into 64 bits.
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// An object whose fields are read.
pub(crate) struct Fields<'r, 'd> {
    pub(crate) reader: &'r Reader<'d>,
    pub(crate) at: Place,
    pub(crate) object: Cursor<'d>,
    members: &'d Object,
}

impl<'d> Reader<'d> {
    /// Starts to read the fields of an object, called `name` in messages. Reports an error if the value is not one.
    pub(crate) fn expect_object<'r>(
        &'r self,
        cursor: Cursor<'d>,
        name: &str,
    ) -> Option<Fields<'r, 'd>> {
        let members = self.expect_members(&cursor, name)?;
        Some(Fields {
            reader: self,
            at: cursor.place(),
            object: cursor,
            members,
        })
    }
}

impl<'r, 'd> Fields<'r, 'd> {
    /// The value of the field `name`, of any type.
    pub(crate) fn get(&self, name: &'static str) -> Option<Cursor<'d>> {
        self.object.member(name)
    }

    /// Reads the field `name`, which must be an object.
    pub(crate) fn get_object(&self, name: &'static str) -> Option<Cursor<'d>> {
        let cursor = self.get(name)?;
        match &cursor.node.value {
            Value::Object(_) => Some(cursor),
            _ => self.report_wrong_type(&cursor, name, "an object"),
        }
    }

    /// Reads the items of the field `name`, which must be an array; none if it is absent.
    pub(crate) fn get_array(&self, name: &'static str) -> Vec<Cursor<'d>> {
        let cursor = self.get(name);
        let list = cursor.and_then(|cursor| match &cursor.node.value {
            Value::Array(_) => Some(cursor.items().collect()),
            _ => self.report_wrong_type(&cursor, name, "an array"),
        });
        list.unwrap_or_default()
    }

    /// Reads each member of the object in the field `name`; members that cannot be read are reported and left out.
    pub(crate) fn read_map<T>(
        &self,
        name: &'static str,
        mut read: impl FnMut(&Reader<'d>, Cursor<'d>) -> Option<T>,
    ) -> IndexMap<String, T> {
        let reader = self.reader;
        let cursor = self.get_object(name);
        cursor
            .iter()
            .flat_map(Cursor::members)
            .filter_map(|(key, member)| Some((key.to_owned(), read(reader, member)?)))
            .collect()
    }

    /// Reads the field `name` of any type, and copies its value.
    pub(crate) fn copy_value(&self, name: &'static str) -> Option<Node> {
        self.get(name).map(|cursor| cursor.node.clone())
    }

    pub(crate) fn read_string(&self, name: &'static str) -> Option<String> {
        self.read_located_string(name).map(|string| string.value)
    }

    pub(crate) fn read_located_string(&self, name: &'static str) -> Option<Located<String>> {
        let cursor = self.get(name)?;
        let value = match &cursor.node.value {
            Value::String(text) => text.clone(),
            // The meaning of `version: 1.10` is clear, although its last zero is lost.
            Value::Number(number) => {
                let message = format!("`{name}` must be a string, found a number");
                let help = "put it in quotes";
                self.reader.refuse(&cursor, message, help);
                number.to_string()
            }
            _ => return self.report_wrong_type(&cursor, name, "a string"),
        };
        let at = cursor.place();
        Some(Located { value, at })
    }

    /// Checks that these fields are strings; their values are not used.
    pub(crate) fn check_strings(&self, names: &[&'static str]) {
        for name in names {
            self.read_string(name);
        }
    }

    /// Reads the string `name` that `object` must have. If it is absent, reports an error and returns an empty string.
    pub(crate) fn read_required_string(&self, name: &'static str, object: &str) -> String {
        if !self.members.contains_key(name) {
            let message = format!("{object} needs `{name}`");
            let help = format!("add `{name}`");
            self.reader.report_error_with_help(&self.at, message, help);
        }
        self.read_string(name).unwrap_or_default()
    }

    /// Reads the string `name` that `object` must have, and that names `what`. Reports an error if it is absent or empty, or
    /// contains a character that `is_allowed` refuses.
    pub(crate) fn read_required_name(
        &self,
        name: &'static str,
        object: &str,
        what: &str,
        is_allowed: fn(char) -> bool,
    ) -> String {
        let text = self.read_required_string(name, object);
        // What is no string has been reported.
        if let Some(cursor) = self
            .object
            .member(name)
            .filter(|it| it.node.as_str().is_some())
        {
            let at = cursor.place();
            self.reader.check_name(&at, &text, what, is_allowed);
        }
        text
    }

    /// The place of the field `name`; of the object if there is no such field.
    pub(crate) fn field_place(&self, name: &'static str) -> Place {
        match self.object.member(name) {
            Some(cursor) => cursor.place(),
            None => self.at.clone(),
        }
    }

    pub(crate) fn read_boolean(&self, name: &'static str) -> Option<bool> {
        let cursor = self.get(name)?;
        match cursor.node.value {
            Value::Bool(value) => Some(value),
            _ => self.report_wrong_type(&cursor, name, "a boolean (`true` or `false`)"),
        }
    }

    /// Checks that these fields are booleans; their values are not used.
    pub(crate) fn check_flags(&self, names: &[&'static str]) {
        for name in names {
            self.read_boolean(name);
        }
    }

    /// Reads the boolean field `name`; `false` if it is absent.
    pub(crate) fn read_flag(&self, name: &'static str) -> bool {
        self.read_boolean(name).unwrap_or(false)
    }

    /// Checks that these fields are numbers; their values are not used.
    pub(crate) fn check_numbers(&self, names: &[&'static str]) {
        self.check_fields(names, "a number", |node| node.as_number().is_some());
    }

    /// Checks that these fields are lengths or numbers of items. In JSON, 10.0 and 1e1 are the integer 10.
    pub(crate) fn check_counts(&self, names: &[&'static str]) {
        self.check_fields(names, "a whole number from 0", |node| {
            let number = node.as_number().and_then(Number::as_f64);
            number.is_some_and(|number| number.fract() == 0.0 && (0.0..TWO_TO_64).contains(&number))
        });
    }

    fn check_fields(
        &self,
        names: &[&'static str],
        expected: &str,
        is_valid: impl Fn(&Node) -> bool,
    ) {
        for name in names {
            if let Some(cursor) = self.get(name).filter(|cursor| !is_valid(cursor.node)) {
                self.report_wrong_type::<()>(&cursor, name, expected);
            }
        }
    }

    /// Reads the field `name`, which must be an array of strings.
    pub(crate) fn read_strings(&self, name: &'static str) -> Vec<Located<String>> {
        let items = self.get_array(name).into_iter();
        let strings = items.filter_map(|item| match item.node.as_str() {
            Some(text) => Some(Located {
                value: text.to_owned(),
                at: item.place(),
            }),
            None => self.report_wrong_type(&item, name, "an array of strings"),
        });
        strings.collect()
    }

    /// Copies the fields that begin with `x-`.
    pub(crate) fn copy_extensions(&self) -> Object {
        let members = self.members.iter();
        let extensions = members.filter(|(key, _)| key.starts_with("x-"));
        extensions
            .map(|(key, member)| (key.clone(), member.clone()))
            .collect()
    }

    fn report_wrong_type<T>(&self, cursor: &Cursor<'d>, name: &str, expected: &str) -> Option<T> {
        if cursor.node.value == Value::Null {
            let message = format!("`{name}` must be {expected}, found no value");
            let help = format!("remove `{name}`, or give it a value");
            self.reader.refuse(cursor, message, help);
            return None;
        }
        let found = cursor.node.kind();
        let message = format!("`{name}` must be {expected}, found {found}");
        let help = format!("write {expected} here");
        self.reader.refuse(cursor, message, help);
        None
    }
}
