//! A schema of OpenAPI 3.0 as JSON Schema draft 4. It keeps what decides which values are valid and drops the rest.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use crate::tree::{Id, Tree};

/// Keywords that mean the same in both.
const KEPT: [&str; 13] = [
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "minimum",
    "maximum",
    "type",
];
/// Lists of schemas.
const COMBINED: [&str; 3] = ["allOf", "anyOf", "oneOf"];

pub(super) fn translate(tree: &Tree<'_>, node: Id, request: bool) -> Option<Value> {
    let mut translator = Translator {
        tree,
        unsent: if request { "readOnly" } else { "writeOnly" },
        keys: HashMap::new(),
        waiting: Vec::new(),
    };
    let root = translator.reference(node)?;
    let mut definitions = BTreeMap::new();
    while let Some((key, node)) = translator.waiting.pop() {
        let schema = translator.schema(node)?;
        definitions.insert(key, schema);
    }
    Some(json!({ "allOf": [root], "definitions": definitions }))
}

struct Translator<'t, 'd> {
    tree: &'t Tree<'d>,
    /// The flag of properties that are not sent in this direction.
    unsent: &'static str,
    keys: HashMap<Id, String>,
    waiting: Vec<(String, Id)>,
}

impl Translator<'_, '_> {
    /// A reference to the schema, which is translated once.
    fn reference(&mut self, node: Id) -> Option<Value> {
        let target = self.tree.resolve(node);
        if self.tree.get(target, "$ref").is_some() {
            return None;
        }
        let next = self.keys.len().to_string();
        let key = self.keys.entry(target).or_insert_with(|| {
            self.waiting.push((next.clone(), target));
            next
        });
        Some(json!({ "$ref": format!("#/definitions/{key}") }))
    }

    fn schema(&mut self, node: Id) -> Option<Value> {
        let tree = self.tree;
        tree.node(node).as_object()?;
        let mut target = Map::new();
        for keyword in KEPT {
            if let Some(value) = tree.get(node, keyword) {
                target.insert(keyword.to_owned(), tree.node(value).to_json());
            }
        }
        for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if tree.flag(node, flag) && target.contains_key(bound) {
                target.insert(flag.to_owned(), Value::Bool(true));
            }
        }
        for keyword in ["items", "not"] {
            if let Some(schema) = tree.get(node, keyword) {
                target.insert(keyword.to_owned(), self.reference(schema)?);
            }
        }
        for keyword in COMBINED {
            if let Some(list) = tree.get(node, keyword) {
                let members = tree.items(list).to_vec();
                let members: Option<Vec<Value>> =
                    members.into_iter().map(|member| self.reference(member)).collect();
                target.insert(keyword.to_owned(), Value::Array(members?));
            }
        }
        self.object(node, &mut target)?;
        Some(match tree.flag(node, "nullable") {
            true => json!({ "anyOf": [{ "enum": [null] }, target] }),
            false => Value::Object(target),
        })
    }

    fn object(&mut self, node: Id, target: &mut Map<String, Value>) -> Option<()> {
        let tree = self.tree;
        let mut unsent = Vec::new();
        if let Some(properties) = tree.get(node, "properties") {
            let mut translated = Map::new();
            for (name, property) in tree.members(properties).collect::<Vec<_>>() {
                if tree.flag(tree.resolve(property), self.unsent) {
                    unsent.push(name);
                }
                translated.insert(name.to_owned(), self.reference(property)?);
            }
            target.insert("properties".to_owned(), Value::Object(translated));
        }
        if let Some(additional) = tree.get(node, "additionalProperties") {
            let value = match tree.node(additional).as_bool() {
                Some(allowed) => Value::Bool(allowed),
                None => self.reference(additional)?,
            };
            target.insert("additionalProperties".to_owned(), value);
        }
        if let Some(required) = tree.get(node, "required") {
            let mut names: Vec<Value> = Vec::new();
            for item in tree.items(required) {
                let name = tree.node(*item).as_str()?;
                let value = Value::from(name);
                if !unsent.contains(&name) && !names.contains(&value) {
                    names.push(value);
                }
            }
            // Draft 4 has no empty `required`.
            if !names.is_empty() {
                target.insert("required".to_owned(), Value::Array(names));
            }
        }
        Some(())
    }
}
