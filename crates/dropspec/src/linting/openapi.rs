//! The rules of OpenAPI 3.0.3, 3.1 and 3.2, and of HTTP. Checks the whole document, including components that nothing refers to.

mod examples;
mod newer;
mod parameters;
mod rules;
mod schemas;
mod unknown;

use std::collections::{HashMap, HashSet};

use dropspec_model::{Kind, Node, ObjectType, Place, Value};

use crate::linting::linter::Linter;
use crate::linting::rules::rule;

/// An object of the document, and its place.
#[derive(Clone, Copy)]
pub(crate) struct Element<'d> {
    pub(crate) node: &'d Node,
    pub(crate) at: &'d Place,
}

impl<'d> Element<'d> {
    /// The value of the member `name` of the object.
    pub(crate) fn get(&self, name: &str) -> Option<&'d Node> {
        self.node.get(name)
    }

    /// The value of the member `name` of the object, if it is a string.
    fn get_str(&self, name: &str) -> Option<&'d str> {
        self.get(name).and_then(Node::as_str)
    }

    /// Whether the member `name` of the object is `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name).and_then(Node::as_bool) == Some(true)
    }

    /// The place of the member `name`; of the object itself if there is no such member.
    pub(crate) fn locate_member(&self, name: &str) -> Place {
        let member = self.node.as_object().and_then(|members| members.get(name));
        member.map_or_else(|| self.at.clone(), |member| self.at.member(name, member))
    }

    /// Key, place and value of each entry of the map in the member `name`.
    pub(crate) fn list_map_entries(&self, name: &str) -> Vec<(&'d str, Place, &'d Node)> {
        match self.get(name) {
            Some(map) => list_members(map, &self.locate_member(name)),
            None => Vec::new(),
        }
    }
}

/// Key, place and value of each member of an object.
pub(crate) fn list_members<'d>(object: &'d Node, at: &Place) -> Vec<(&'d str, Place, &'d Node)> {
    let members = object.as_object().into_iter().flatten();
    let entries = members.map(|(key, member)| (key.as_str(), at.member(key, member), &member.node));
    entries.collect()
}

impl Linter<'_> {
    pub(crate) fn check_openapi(&mut self) {
        let source = self.source;
        let at = Place::root(source);
        self.check_object(ObjectType::Document, source.root(), &at);
        self.check_tag_names();
        self.check_bodies_by_status();
        self.check_examples();
    }

    /// Checks the fields of an object of this type, the objects in it, and the other rules of its type.
    fn check_object(&mut self, object_type: ObjectType, node: &Node, at: &Place) {
        let newer = self.source.uses_json_schema();
        let is_newer_schema = newer && object_type == ObjectType::Schema;
        if is_newer_schema && node.as_bool().is_some() {
            return;
        }
        let Some(object) = node.as_object() else {
            return self.report_type(at, "an object", node);
        };
        let is_reference =
            object_type.can_be_reference(self.source.minor_version()) && !is_newer_schema;
        if is_reference && object.contains_key("$ref") {
            let known: &[&str] = if newer {
                &["$ref", "summary", "description"]
            } else {
                &["$ref"]
            };
            let ignored = list_members(node, at).into_iter();
            for (key, at, _) in ignored.filter(|(key, ..)| !known.contains(key)) {
                self.report_beside_reference(key, &at);
            }
            return;
        }
        let fields = object_type.fields(self.source.minor_version());
        for field in fields.iter().filter(|field| field.required) {
            if !object.contains_key(field.name) {
                let message = format!("{} has no `{}`", object_type.name(), field.name);
                self.report_rule(rule!("missing-field"), at, message);
            }
        }
        for (key, at, value) in list_members(node, at) {
            match fields.iter().find(|field| field.name == key) {
                Some(field) => self.check_field(field.value, value, &at),
                None if key.starts_with("x-") => self.check_extension(object_type, key, value, &at),
                None => match object_type.entry_type() {
                    Some(entry) => self.check_object(entry, value, &at),
                    None => self.report_unknown(object_type, key, &at),
                },
            }
        }
        let element = Element { node, at };
        if newer && object_type == ObjectType::Document {
            self.check_sections(element);
        }
        self.check_rules(object_type, element);
    }

    fn check_field(&mut self, kind: Kind, node: &Node, at: &Place) {
        match (kind, &node.value) {
            (Kind::Any | Kind::Other, _)
            | (Kind::String, Value::String(_))
            | (Kind::Boolean | Kind::SchemaOrBoolean, Value::Bool(_))
            | (Kind::Number, Value::Number(_)) => {}
            (Kind::Url, Value::String(text)) => {
                if text.is_empty() || text.contains(char::is_whitespace) {
                    let message = format!("`{text}` is not a URL");
                    self.report_rule(rule!("url-syntax"), at, message);
                }
            }
            (Kind::Object(object_type), _) => self.check_object(object_type, node, at),
            (Kind::SchemaOrBoolean, _) => self.check_object(ObjectType::Schema, node, at),
            (Kind::List(object_type), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_object(object_type, item, &at.item(index, item));
                }
            }
            (Kind::Map(object_type), Value::Object(_)) => {
                for (_, at, value) in list_members(node, at) {
                    self.check_object(object_type, value, &at);
                }
            }
            (Kind::Types, Value::String(_)) => {}
            (Kind::Strings | Kind::Types, Value::Array(items))
                if items.iter().all(|item| item.as_str().is_some()) => {}
            (Kind::StringMap, Value::Object(members))
                if members
                    .values()
                    .all(|member| member.node.as_str().is_some()) => {}
            _ => self.report_type(at, kind.description(), node),
        }
    }

    fn report_type(&mut self, at: &Place, expected: &str, found: &Node) {
        let message = format!("expected {expected}, found {}", found.kind());
        let help = format!("write {expected}");
        self.report(rule!("field-type"), at, message, help);
    }

    fn check_tag_names(&mut self) {
        let mut names = HashSet::new();
        for tag in &self.spec.tags {
            if !names.insert(tag.name.as_str()) {
                let message = format!("the tag `{}` is listed twice", tag.name);
                self.report_rule(rule!("tag-duplicate"), &tag.at, message);
            }
        }
        let spec = self.spec;
        // Of two tags with one name, the first.
        let parents = spec.tags.iter().rev();
        let parents: HashMap<&str, Option<&str>> = parents
            .map(|tag| (tag.name.as_str(), tag.parent.as_deref()))
            .collect();
        let parent_of = |name: &str| parents.get(name).copied().flatten();
        // Of each tag that was met, whether a circle is above it.
        let mut endless: HashMap<&str, bool> = HashMap::new();
        for tag in &spec.tags {
            let mut above = vec![tag.name.as_str()];
            let is_endless = loop {
                let parent = above.last().and_then(|name| parent_of(name));
                match parent.map(|it| (it, endless.get(it))) {
                    None => break false,
                    Some((_, Some(known))) => break *known,
                    Some((parent, None)) => {
                        endless.insert(parent, true);
                        above.push(parent);
                    }
                }
            };
            endless.extend(above.into_iter().map(|it| (it, is_endless)));
            if is_endless {
                let message = format!("the tag `{}` is above itself", tag.name);
                self.report_rule(rule!("tag-parent"), &tag.at, message);
            }
            if let Some(parent) = tag.parent.as_deref().filter(|it| !names.contains(it)) {
                let name = &tag.name;
                let message = format!("the parent `{parent}` of the tag `{name}` is not listed");
                self.report_rule(rule!("tag-parent"), &tag.at, message);
            }
        }
    }

    fn check_bodies_by_status(&mut self) {
        let operations = self.spec.operations.iter();
        for (status, response) in operations.flat_map(|operation| &operation.responses) {
            if !has_body(status) && !response.content.is_empty() {
                let message = format!("a response with status {status} cannot have a body");
                self.report_rule(rule!("status-without-body"), &response.at, message);
            }
        }
    }
}

/// Whether responses with this status have a body (RFC 9110).
pub(crate) fn has_body(status: &str) -> bool {
    !matches!(status, "204" | "205" | "304")
}
