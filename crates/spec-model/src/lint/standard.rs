//! Walks the whole document by the tables of the standard, also where nothing refers to: which fields an object has, what
//! they hold, and what else the standard says of it. Runs on documents that [`Spec`](crate::Spec) can read.

mod parameter_rules;
mod rules;
mod schema_rules;
mod table;
#[cfg(test)]
mod tests;

use self::table::Holds;
pub(super) use self::table::Kind;
use super::Lint;
use crate::document::{Node, Value};
use crate::reader::Place;

/// An object of the document, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Element<'d> {
    pub(super) node: &'d Node,
    at: &'d Place,
}

impl<'d> Element<'d> {
    /// A member, unless it is absent.
    pub(super) fn get(&self, name: &str) -> Option<&'d Node> {
        self.node.get(name)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Node::as_bool) == Some(true)
    }

    /// Where a member stands; the element itself if there is none.
    pub(super) fn place(&self, name: &str) -> Place {
        let members = self.node.as_object();
        match members.and_then(|members| members.get(name)) {
            Some(member) => self.at.member(name, member),
            None => self.at.clone(),
        }
    }

    /// The members of a map, each with where it stands.
    fn members(&self, name: &str) -> Vec<(&'d str, Place, &'d Node)> {
        let Some(map) = self.get(name) else {
            return Vec::new();
        };
        members(map, &self.place(name))
    }
}

fn members<'d>(map: &'d Node, at: &Place) -> Vec<(&'d str, Place, &'d Node)> {
    let members = map.as_object().into_iter().flatten();
    let placed = members.map(|(key, member)| (key.as_str(), at.member(key, member), &member.node));
    placed.collect()
}

impl Lint<'_> {
    pub(super) fn standard(&mut self) {
        let spec = self.spec;
        let at = Place::root(&spec.document);
        self.object(Kind::Document, spec.document.root(), &at);
    }

    fn object(&mut self, kind: Kind, node: &Node, at: &Place) {
        let Some(object) = node.as_object() else {
            return self.wrong_type(at, "an object");
        };
        if kind.can_be_reference() && object.contains_key("$ref") {
            for (key, at, _) in members(node, at).iter().filter(|(key, ..)| *key != "$ref") {
                let message = format!("`{key}` beside a `$ref` is ignored");
                self.find(at, message, "remove it, or write it where the `$ref` leads");
            }
            return;
        }
        let element = Element { node, at };
        let fields = kind.fields();
        for field in fields.iter().filter(|field| field.required) {
            if !object.contains_key(field.name) {
                let message = format!("{} has no `{}`", kind.name(), field.name);
                self.find(at, message, "the standard asks for it");
            }
        }
        for (key, at, value) in members(node, at) {
            match fields.iter().find(|field| field.name == key) {
                Some(field) => self.value(field.holds, value, &at),
                None if key.starts_with("x-") => self.known_extension(kind, key, &at),
                None => match kind.others() {
                    Some(others) => self.object(others, value, &at),
                    None => {
                        let message = format!("OpenAPI 3.0.3 does not define `{key}` here");
                        self.find(&at, message, "remove it, or begin its name with `x-`");
                    }
                },
            }
        }
        self.rules(kind, element);
    }

    fn value(&mut self, holds: Holds, node: &Node, at: &Place) {
        match (holds, &node.value) {
            (Holds::Anything, _)
            | (Holds::Text, Value::String(_))
            | (Holds::Flag, Value::Bool(_))
            | (Holds::Number, Value::Number(_)) => {}
            (Holds::Text, _) => self.wrong_type(at, "a string"),
            (Holds::Flag, _) => self.wrong_type(at, "a boolean"),
            (Holds::Number, _) => self.wrong_type(at, "a number"),
            (Holds::Url, Value::String(text)) => {
                if text.is_empty() || text.contains(char::is_whitespace) {
                    self.find(at, format!("`{text}` is no URL"), "write an address");
                }
            }
            (Holds::Url, _) => self.wrong_type(at, "a URL"),
            (Holds::One(kind), _) => self.object(kind, node, at),
            (Holds::SchemaOrFlag, Value::Bool(_)) => {}
            (Holds::SchemaOrFlag, _) => self.object(Kind::Schema, node, at),
            (Holds::List(kind), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let at = Place {
                        pointer: format!("{}/{index}", at.pointer),
                        position: item.position,
                    };
                    self.object(kind, item, &at);
                }
            }
            (Holds::Map(kind), Value::Object(_)) => {
                for (_, at, value) in members(node, at) {
                    self.object(kind, value, &at);
                }
            }
            (Holds::Texts, Value::Array(items)) => {
                if items.iter().any(|item| item.as_str().is_none()) {
                    self.wrong_type(at, "a list of strings");
                }
            }
            (Holds::TextMap, Value::Object(texts)) => {
                if texts.values().any(|text| text.node.as_str().is_none()) {
                    self.wrong_type(at, "an object of strings");
                }
            }
            (Holds::List(_) | Holds::Texts, _) => self.wrong_type(at, "a list"),
            (Holds::Map(_) | Holds::TextMap, _) => self.wrong_type(at, "an object"),
        }
    }

    fn wrong_type(&mut self, at: &Place, expected: &str) {
        self.find(at, format!("here stands {expected}"), "write one");
    }
}
