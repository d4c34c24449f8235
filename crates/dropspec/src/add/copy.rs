//! Copies parts of the model: with the noun of the new resource, and with the components that only the model uses.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::renaming::Renaming;
use super::survey::Survey;

/// Where references to components begin.
const COMPONENTS: &str = "#/components/";

/// Copies parts of a document.
#[derive(Debug)]
pub(super) struct Copier<'d> {
    survey: &'d Survey<'d>,
    renaming: Option<Renaming>,
    /// The schemas of the new resource, by those of the model whose places they take.
    schemas: BTreeMap<String, String>,
    /// The copies of components: section, name of the original, name of the copy, copy.
    pub(super) copies: Vec<ComponentCopy>,
    visited: BTreeSet<(String, String)>,
}

/// The copy of a component.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ComponentCopy {
    pub(super) section: String,
    pub(super) original: String,
    pub(super) name: String,
    pub(super) value: Value,
}

impl<'d> Copier<'d> {
    pub(super) fn new(
        survey: &'d Survey<'d>,
        renaming: Option<Renaming>,
        schemas: BTreeMap<String, String>,
    ) -> Copier<'d> {
        Copier {
            survey,
            renaming,
            schemas,
            copies: Vec::new(),
            visited: BTreeSet::new(),
        }
    }

    /// A text with the new noun.
    pub(super) fn rename(&self, text: &str) -> String {
        match &self.renaming {
            Some(renaming) => renaming.apply(text),
            None => text.to_owned(),
        }
    }

    /// Whether a text has the noun of the model.
    pub(super) fn is_renamed(&self, text: &str) -> bool {
        self.renaming.as_ref().is_some_and(|it| it.applies(text))
    }

    /// A copy of a part, with the new noun in all its texts and keys.
    pub(super) fn copy(&mut self, part: &Value) -> Value {
        match part {
            Value::Object(members) => {
                let reference = members.get("$ref").and_then(Value::as_str);
                if let Some(reference) = reference {
                    let mut copied = members.clone();
                    copied.insert("$ref".to_owned(), Value::String(self.map(reference)));
                    return Value::Object(copied);
                }
                let mut copied = Map::new();
                for (key, value) in members {
                    copied.insert(self.rename(key), self.copy(value));
                }
                Value::Object(copied)
            }
            Value::Array(items) => items.iter().map(|item| self.copy(item)).collect(),
            Value::String(text) => Value::String(self.rename(text)),
            other => other.clone(),
        }
    }

    /// What takes the place of a reference.
    fn map(&mut self, reference: &str) -> String {
        let parts = reference.strip_prefix(COMPONENTS);
        let Some((section, name)) = parts.and_then(|it| it.split_once('/')) else {
            return reference.to_owned();
        };
        if let (Some(own), "schemas") = (self.schemas.get(name), section) {
            return format!("{COMPONENTS}{section}/{own}");
        }
        let target = self.survey.components(section).and_then(|it| it.get(name));
        let Some(target) = target.filter(|_| self.is_renamed(name)) else {
            return reference.to_owned();
        };
        if section == "schemas" && !self.is_own(target, &mut BTreeSet::new()) {
            return reference.to_owned();
        }
        let new = self.rename(name);
        let mapped = format!("{COMPONENTS}{section}/{new}");
        if self.visited.insert((section.to_owned(), name.to_owned())) {
            let value = self.copy(target);
            self.copies.push(ComponentCopy {
                section: section.to_owned(),
                original: name.to_owned(),
                name: new,
                value,
            });
        }
        mapped
    }

    /// Whether a schema is of the model alone: it has an item in it, or is the type of its id.
    fn is_own(&self, schema: &Value, visited: &mut BTreeSet<String>) -> bool {
        let kind = schema
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let is_id = ["string", "integer"].contains(&kind) && schema.get("enum").is_none();
        is_id || self.has_item(schema, visited)
    }

    fn has_item(&self, part: &Value, visited: &mut BTreeSet<String>) -> bool {
        match part {
            Value::Object(members) => {
                let name = members.get("$ref").and_then(Value::as_str);
                let name = name.and_then(super::survey::schema_name);
                let Some(name) = name else {
                    return members.values().any(|it| self.has_item(it, visited));
                };
                if self.schemas.contains_key(name) {
                    return true;
                }
                let target = self
                    .survey
                    .components("schemas")
                    .and_then(|it| it.get(name));
                visited.insert(name.to_owned())
                    && target.is_some_and(|it| self.has_item(it, visited))
            }
            Value::Array(items) => items.iter().any(|it| self.has_item(it, visited)),
            _ => false,
        }
    }

    /// Whether a copied part has this schema of the new resource.
    pub(super) fn reaches(&self, part: &Value, schema: &str) -> bool {
        self.reaches_within(part, schema, &mut BTreeSet::new())
    }

    fn reaches_within(&self, part: &Value, schema: &str, visited: &mut BTreeSet<String>) -> bool {
        match part {
            Value::Object(members) => {
                let Some(reference) = members.get("$ref").and_then(Value::as_str) else {
                    let mut values = members.values();
                    return values.any(|it| self.reaches_within(it, schema, visited));
                };
                let parts = reference.strip_prefix(COMPONENTS);
                let Some((section, name)) = parts.and_then(|it| it.split_once('/')) else {
                    return false;
                };
                let is_copy = |it: &&ComponentCopy| it.section == section && it.name == name;
                let copy = self.copies.iter().find(is_copy);
                name == schema
                    || visited.insert(reference.to_owned())
                        && copy.is_some_and(|it| self.reaches_within(&it.value, schema, visited))
            }
            Value::Array(items) => {
                let mut items = items.iter();
                items.any(|it| self.reaches_within(it, schema, visited))
            }
            _ => false,
        }
    }
}
