//! An OpenAPI 3.0 schema as JSON Schema draft 4, with the definitions it reaches. What only describes
//! (`example`, `xml`, `discriminator`, `title`, …) is left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::document::{self, Document};

mod integer;

/// Which way a message travels. A request need not hold what is `readOnly`, an answer not what is
/// `writeOnly`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Request,
    Response,
}

/// A reference that leads nowhere.
#[derive(Debug, thiserror::Error)]
#[error("the reference {reference} leads nowhere")]
pub struct DanglingReference {
    /// The `$ref`.
    pub reference: String,
}

/// Keywords that mean the same in both.
const KEPT: [&str; 14] = [
    "enum",
    "format",
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
/// Exclusive bounds are flags in both, but draft 4 refuses one without its bound.
const EXCLUSIVE: [(&str, &str); 2] = [
    ("exclusiveMinimum", "minimum"),
    ("exclusiveMaximum", "maximum"),
];
/// Allowances for schemas that combine others through references in a circle.
const DEEPEST_COMBINATION: usize = 16;

/// Translates a schema. The result stands for itself: its references lead into its own `definitions`.
pub(crate) fn translate(
    document: &Document,
    schema: &Value,
    direction: Direction,
) -> Result<Value, DanglingReference> {
    let mut translator = Translator {
        document,
        direction,
        keys: BTreeMap::new(),
        waiting: Vec::new(),
    };
    let schema = translator.target(schema)?;
    let mut root = translator.schema(schema, &BTreeSet::new())?;
    let mut definitions = Map::new();
    while let Some((key, target)) = translator.waiting.pop() {
        definitions.insert(key, translator.schema(target, &BTreeSet::new())?);
    }
    if let Value::Object(members) = &mut root
        && !definitions.is_empty()
    {
        members.insert("definitions".to_owned(), Value::Object(definitions));
    }
    Ok(root)
}

struct Translator<'d> {
    document: &'d Document,
    direction: Direction,
    /// The key in `definitions` for each reference met.
    keys: BTreeMap<&'d str, String>,
    waiting: Vec<(String, &'d Value)>,
}

impl<'d> Translator<'d> {
    fn target(&self, schema: &'d Value) -> Result<&'d Value, DanglingReference> {
        self.document
            .resolve(schema)
            .ok_or_else(|| DanglingReference {
                reference: document::reference(schema).unwrap_or_default().to_owned(),
            })
    }

    /// `unsent` names properties that need not be sent, known from a schema around this one.
    fn schema(
        &mut self,
        schema: &'d Value,
        unsent: &BTreeSet<&'d str>,
    ) -> Result<Value, DanglingReference> {
        if let Some(reference) = document::reference(schema) {
            return self.reference(reference, schema);
        }
        let Value::Object(source) = schema else {
            // Only `additionalProperties` may be a boolean, and that is handled where it stands.
            return Ok(json!({}));
        };
        let mut unsent = unsent.clone();
        self.collect_unsent(schema, 0, &mut unsent);

        let mut target = Map::new();
        for keyword in KEPT {
            if let Some(value) = source.get(keyword) {
                target.insert(keyword.to_owned(), value.clone());
            }
        }
        for (exclusive, bound) in EXCLUSIVE {
            if source.contains_key(bound)
                && let Some(flag @ Value::Bool(_)) = source.get(exclusive)
            {
                target.insert(exclusive.to_owned(), flag.clone());
            }
        }
        integer::bound(&mut target);
        self.object(source, &mut target, &unsent)?;
        for keyword in ["items", "not"] {
            if let Some(value) = source.get(keyword) {
                target.insert(keyword.to_owned(), self.schema(value, &BTreeSet::new())?);
            }
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            if let Some(Value::Array(members)) = source.get(keyword) {
                let members: Result<Vec<Value>, _> = members
                    .iter()
                    .map(|member| self.schema(member, &unsent))
                    .collect();
                target.insert(keyword.to_owned(), Value::Array(members?));
            }
        }
        Ok(match source.get("nullable") {
            Some(Value::Bool(true)) => nullable(target),
            _ => Value::Object(target),
        })
    }

    fn reference(
        &mut self,
        reference: &'d str,
        schema: &'d Value,
    ) -> Result<Value, DanglingReference> {
        let key = match self.keys.get(reference) {
            Some(key) => key.clone(),
            None => {
                let key = self.keys.len().to_string();
                let target = self.target(schema)?;
                self.keys.insert(reference, key.clone());
                self.waiting.push((key.clone(), target));
                key
            }
        };
        Ok(json!({ "$ref": format!("#/definitions/{key}") }))
    }

    fn object(
        &mut self,
        source: &'d Map<String, Value>,
        target: &mut Map<String, Value>,
        unsent: &BTreeSet<&'d str>,
    ) -> Result<(), DanglingReference> {
        if let Some(Value::Object(properties)) = source.get("properties") {
            let mut translated = Map::new();
            for (name, property) in properties {
                translated.insert(name.clone(), self.schema(property, &BTreeSet::new())?);
            }
            target.insert("properties".to_owned(), Value::Object(translated));
        }
        match source.get("additionalProperties") {
            Some(flag @ Value::Bool(_)) => {
                target.insert("additionalProperties".to_owned(), flag.clone());
            }
            Some(schema) => {
                let schema = self.schema(schema, &BTreeSet::new())?;
                target.insert("additionalProperties".to_owned(), schema);
            }
            None => {}
        }
        if let Some(Value::Array(required)) = source.get("required") {
            let mut names: Vec<Value> = Vec::new();
            for name in required {
                let sent = name.as_str().is_some_and(|name| !unsent.contains(name));
                if sent && !names.contains(name) {
                    names.push(name.clone());
                }
            }
            // Draft 4 has no empty `required`.
            if !names.is_empty() {
                target.insert("required".to_owned(), Value::Array(names));
            }
        }
        Ok(())
    }

    /// Names the properties of a schema, and of those it combines, that this direction need not send.
    fn collect_unsent(&self, schema: &'d Value, depth: usize, unsent: &mut BTreeSet<&'d str>) {
        if depth > DEEPEST_COMBINATION {
            return;
        }
        let flag = match self.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let resolved = |value: &'d Value| self.document.resolve(value);
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (name, property) in properties {
                let flagged = |schema: &Value| schema.get(flag) == Some(&Value::Bool(true));
                let combined = property.get("allOf").and_then(Value::as_array);
                let mut members = combined.into_iter().flatten().filter_map(resolved);
                if resolved(property).is_some_and(flagged) || members.any(flagged) {
                    unsent.insert(name);
                }
            }
        }
        let combined = schema.get("allOf").and_then(Value::as_array);
        for member in combined.into_iter().flatten().filter_map(resolved) {
            self.collect_unsent(member, depth + 1, unsent);
        }
    }
}

/// Lets null pass, also where an enumeration or a combination would not.
fn nullable(mut schema: Map<String, Value>) -> Value {
    let combined = ["allOf", "anyOf", "oneOf", "not"];
    if combined.iter().any(|keyword| schema.contains_key(*keyword)) {
        return json!({ "anyOf": [{ "enum": [null] }, schema] });
    }
    if let Some(Value::String(kind)) = schema.get("type") {
        let kinds = json!([kind, "null"]);
        schema.insert("type".to_owned(), kinds);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(schema)
}
