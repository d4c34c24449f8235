//! A schema of OpenAPI 3.0 as JSON Schema draft 4. It keeps what decides which values are valid and drops the rest;
//! formats only describe.

use std::collections::{BTreeMap, HashMap, HashSet};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use crate::document::{Document, Node, escape_token};

/// Which way a message travels. A request need not hold what is `readOnly`, an answer not what is `writeOnly`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From client to server.
    Request,
    /// From server to client.
    Response,
}

/// The schema at a JSON pointer (RFC 6901), standing for itself: its references lead into its own `definitions`.
///
/// Nothing, if there is no schema at the pointer, or one that it needs cannot be found.
pub fn json_schema(document: &Document, pointer: &str, direction: Direction) -> Option<Value> {
    let mut translator = Translator {
        document,
        unsent: match direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        },
        keys: HashMap::new(),
        waiting: Vec::new(),
    };
    let root = translator.reference(At {
        pointer: pointer.to_owned(),
        node: document.pointer(pointer)?,
    })?;
    let mut definitions = BTreeMap::new();
    while let Some((key, at)) = translator.waiting.pop() {
        let schema = translator.schema(&at)?;
        definitions.insert(key, schema);
    }
    Some(json!({ "allOf": [root], "definitions": definitions }))
}

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
/// Flags in both; draft 4 refuses one without its bound.
const EXCLUSIVE: [(&str, &str); 2] = [
    ("exclusiveMinimum", "minimum"),
    ("exclusiveMaximum", "maximum"),
];

struct Translator<'d> {
    document: &'d Document,
    /// The flag of properties that are not sent in this direction.
    unsent: &'static str,
    /// The key in `definitions` of each schema met, by its pointer.
    keys: HashMap<String, String>,
    waiting: Vec<(String, At<'d>)>,
}

/// A node and where it stands.
struct At<'d> {
    pointer: String,
    node: &'d Node,
}

impl<'d> At<'d> {
    fn get(&self, key: &str) -> Option<At<'d>> {
        Some(At {
            node: self.node.get(key)?,
            pointer: format!("{}/{}", self.pointer, escape_token(key)),
        })
    }

    fn flag(&self, key: &str) -> bool {
        self.node.get(key).and_then(Node::as_bool) == Some(true)
    }
}

impl<'d> Translator<'d> {
    fn resolve(&self, at: At<'d>) -> Option<At<'d>> {
        let mut at = at;
        let mut visited = HashSet::new();
        while let Some(reference) = at.node.get("$ref") {
            let fragment = reference.as_str()?.strip_prefix('#')?;
            let pointer = percent_decode_str(fragment).decode_utf8().ok()?;
            if !visited.insert(pointer.to_string()) {
                return None;
            }
            at = At {
                node: self.document.pointer(&pointer)?,
                pointer: pointer.into_owned(),
            };
        }
        Some(at)
    }

    /// A reference to the schema, which is translated once.
    fn reference(&mut self, at: At<'d>) -> Option<Value> {
        let target = self.resolve(at)?;
        let key = match self.keys.get(&target.pointer) {
            Some(key) => key.clone(),
            None => {
                let key = self.keys.len().to_string();
                self.keys.insert(target.pointer.clone(), key.clone());
                self.waiting.push((key.clone(), target));
                key
            }
        };
        Some(json!({ "$ref": format!("#/definitions/{key}") }))
    }

    fn schema(&mut self, at: &At<'d>) -> Option<Value> {
        at.node.as_object()?;
        let mut target = Map::new();
        for keyword in KEPT {
            if let Some(value) = at.node.get(keyword) {
                target.insert(keyword.to_owned(), value.to_json());
            }
        }
        for (flag, bound) in EXCLUSIVE {
            if at.flag(flag) && target.contains_key(bound) {
                target.insert(flag.to_owned(), Value::Bool(true));
            }
        }
        for keyword in ["items", "not"] {
            if let Some(schema) = at.get(keyword) {
                target.insert(keyword.to_owned(), self.reference(schema)?);
            }
        }
        for keyword in COMBINED {
            if let Some(list) = at.get(keyword) {
                let mut members = Vec::new();
                for (index, node) in list.node.as_array()?.iter().enumerate() {
                    let pointer = format!("{}/{index}", list.pointer);
                    members.push(self.reference(At { pointer, node })?);
                }
                target.insert(keyword.to_owned(), Value::Array(members));
            }
        }
        self.object(at, &mut target)?;
        Some(match at.flag("nullable") {
            true => json!({ "anyOf": [{ "enum": [null] }, target] }),
            false => Value::Object(target),
        })
    }

    fn object(&mut self, at: &At<'d>, target: &mut Map<String, Value>) -> Option<()> {
        let mut unsent = HashSet::new();
        if let Some(properties) = at.get("properties") {
            let mut translated = Map::new();
            for name in properties.node.as_object()?.keys() {
                let property = properties.get(name)?;
                translated.insert(name.clone(), self.reference(properties.get(name)?)?);
                if self.resolve(property)?.flag(self.unsent) {
                    unsent.insert(name.as_str());
                }
            }
            target.insert("properties".to_owned(), Value::Object(translated));
        }
        if let Some(additional) = at.get("additionalProperties") {
            let value = match additional.node.as_bool() {
                Some(allowed) => Value::Bool(allowed),
                None => self.reference(additional)?,
            };
            target.insert("additionalProperties".to_owned(), value);
        }
        if let Some(required) = at.node.get("required") {
            let mut names: Vec<&str> = Vec::new();
            for name in required.as_array()? {
                let name = name.as_str()?;
                if !unsent.contains(name) && !names.contains(&name) {
                    names.push(name);
                }
            }
            // Draft 4 has no empty `required`.
            if !names.is_empty() {
                target.insert("required".to_owned(), json!(names));
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = "
A:
  type: object
  required: [id, next]
  additionalProperties: false
  properties:
    id: {type: integer, readOnly: true, maximum: 5, exclusiveMaximum: true}
    next: {$ref: '#/A'}
B: {type: string, nullable: true, enum: [a]}
C: {$ref: '#/missing'}
";

    #[test]
    fn translates_circles_flags_and_what_is_not_sent() {
        let document = Document::parse("a.yaml", TEXT).unwrap();
        assert_eq!(
            json_schema(&document, "/A", Direction::Request).unwrap(),
            json!({
                "allOf": [{ "$ref": "#/definitions/0" }],
                "definitions": {
                    "0": {
                        "type": "object",
                        "properties": {
                            "id": { "$ref": "#/definitions/1" },
                            "next": { "$ref": "#/definitions/0" }
                        },
                        "additionalProperties": false,
                        "required": ["next"]
                    },
                    "1": { "maximum": 5, "type": "integer", "exclusiveMaximum": true }
                }
            })
        );
        let response = json_schema(&document, "/A", Direction::Response).unwrap();
        assert_eq!(
            response["definitions"]["0"]["required"],
            json!(["id", "next"])
        );
        let nullable = json_schema(&document, "/B", Direction::Request).unwrap();
        assert_eq!(
            nullable["definitions"]["0"]["anyOf"][0],
            json!({ "enum": [null] })
        );
        assert_eq!(json_schema(&document, "/C", Direction::Request), None);
    }
}
