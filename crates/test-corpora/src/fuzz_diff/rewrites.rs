//! Rewrites of schemas: other words for the same meaning, or for nearly the same. A comparison that finds no difference, or
//! none that breaks anybody, is most often wrong about these.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::mutations::collect_pointers;

/// Keywords that contain a schema.
const SCHEMA_KEYS: [&str; 9] = [
    "schema",
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
];
/// Keywords that contain schemas.
const SCHEMAS_KEYS: [&str; 9] = [
    "schemas",
    "properties",
    "allOf",
    "oneOf",
    "anyOf",
    "prefixItems",
    "patternProperties",
    "dependentSchemas",
    "$defs",
];
/// Keywords that may be added, and values of each; beside some types, they constrain nothing.
const KEYWORDS: [(&str, &str); 18] = [
    ("minLength", "[0, 2]"),
    ("maxLength", "[3]"),
    ("minItems", "[0, 1]"),
    ("maxItems", "[1]"),
    ("minProperties", "[1]"),
    ("maxProperties", "[1]"),
    ("uniqueItems", "[true, false]"),
    ("minimum", "[0]"),
    ("maximum", "[4]"),
    ("exclusiveMinimum", "[true, 2]"),
    ("exclusiveMaximum", "[true]"),
    ("multipleOf", "[1, 1.0, 2]"),
    ("pattern", r#"["^a", ""]"#),
    ("format", r#"["int32", "date"]"#),
    ("required", r#"[["a"], []]"#),
    ("additionalProperties", "[false, true, {}]"),
    ("nullable", "[true, false]"),
    ("type", r#"["integer", "number", "object"]"#),
];
/// Schemas that may be added to a combination.
const MEMBERS: [&str; 12] = [
    "{}",
    r#"{"type": "string"}"#,
    r#"{"type": "integer"}"#,
    r#"{"type": "object"}"#,
    r#"{"type": "object", "required": ["a"]}"#,
    r#"{"nullable": true}"#,
    r#"{"type": "string", "nullable": true}"#,
    r#"{"enum": [null]}"#,
    r#"{"enum": ["a", 1]}"#,
    r#"{"not": {"type": "string"}}"#,
    r#"{"minLength": 1}"#,
    r#"{"type": "number", "minimum": 0}"#,
];
/// Members that only OpenAPI 3.1 has.
const NEWER_MEMBERS: [&str; 6] = [
    r#"{"type": "null"}"#,
    r#"{"type": ["string", "null"]}"#,
    r#"{"const": "a"}"#,
    r#"{"const": null}"#,
    "true",
    "false",
];

/// Rewrites a random schema of a document.
pub fn rewrite(document: &mut Value, random: &mut Rng) {
    let mut pointers = Vec::new();
    collect_pointers(document, &mut String::new(), &mut pointers);
    pointers.retain(|pointer| is_schema(document, pointer));
    if pointers.is_empty() {
        return;
    }
    let pointer = &pointers[random.usize(..pointers.len())];
    let Some(schema) = document.pointer(pointer).cloned() else {
        return;
    };
    let is_newer = document["openapi"]
        .as_str()
        .is_some_and(|version| version.starts_with("3.1"));
    let new = match random.usize(..4) {
        0 => wrap(&schema, random),
        1 => combine(&schema, random, is_newer),
        2 => change_keyword(&schema, random),
        _ => {
            if random.bool() {
                restate(&schema, random, is_newer)
            } else {
                match move_schema(document, &schema, random) {
                    Some(moved) => moved,
                    None => return,
                }
            }
        }
    };
    if let Some(target) = document.pointer_mut(pointer) {
        *target = new;
    }
}

fn is_schema(document: &Value, pointer: &str) -> bool {
    let mut tokens = pointer.rsplit('/');
    let (Some(last), Some(parent)) = (tokens.next(), tokens.next()) else {
        return false;
    };
    let is_named = SCHEMAS_KEYS.contains(&parent) && tokens.next() != Some("properties");
    let is_single = SCHEMA_KEYS.contains(&last) && !SCHEMAS_KEYS.contains(&parent);
    let is_example = ["example", "default", "/enum", "const"]
        .iter()
        .any(|part| pointer.contains(part));
    (is_named || is_single)
        && !is_example
        && document.pointer(pointer).is_some_and(Value::is_object)
}

/// Puts the schema into another one, with nothing or little beside it.
fn wrap(schema: &Value, random: &mut Rng) -> Value {
    match random.usize(..8) {
        0 => json!({ "allOf": [schema] }),
        1 => json!({ "anyOf": [schema] }),
        2 => json!({ "oneOf": [schema] }),
        3 => json!({ "allOf": [schema], "nullable": true }),
        4 => json!({ "anyOf": [schema, schema] }),
        5 => json!({ "oneOf": [schema], "nullable": true }),
        6 => json!({ "not": { "not": schema } }),
        _ => json!({ "allOf": [{ "anyOf": [schema] }, schema] }),
    }
}

/// Adds a member to a combination, removes or repeats one, or makes a combination.
fn combine(schema: &Value, random: &mut Rng, is_newer: bool) -> Value {
    let text = if is_newer && random.bool() {
        NEWER_MEMBERS[random.usize(..NEWER_MEMBERS.len())]
    } else {
        MEMBERS[random.usize(..MEMBERS.len())]
    };
    let member: Value = serde_json::from_str(text).unwrap_or_default();
    let keyword = ["allOf", "anyOf", "oneOf"][random.usize(..3)];
    let mut new = schema.clone();
    let Some(members) = new.get_mut(keyword).and_then(Value::as_array_mut) else {
        return match (random.bool(), &mut new) {
            (true, Value::Object(keywords)) if !keywords.contains_key("$ref") => {
                keywords.insert(keyword.to_owned(), json!([member]));
                new
            }
            _ => json!({ keyword: [schema, member] }),
        };
    };
    match random.usize(..4) {
        0 => members.push(member),
        1 => members.reverse(),
        2 => members.extend(members.first().cloned()),
        // An empty list is not valid.
        _ if members.len() > 1 => {
            members.pop();
        }
        _ => {}
    }
    new
}

/// Adds, replaces or removes a keyword.
fn change_keyword(schema: &Value, random: &mut Rng) -> Value {
    let mut new = schema.clone();
    let Value::Object(keywords) = &mut new else {
        return new;
    };
    if random.usize(..3) == 0 && !keywords.is_empty() {
        let key = keywords.keys().nth(random.usize(..keywords.len())).cloned();
        keywords.remove(&key.unwrap_or_default());
        return new;
    }
    let (key, text) = KEYWORDS[random.usize(..KEYWORDS.len())];
    let values: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    keywords.insert(key.to_owned(), values[random.usize(..values.len())].clone());
    new
}

/// Says a keyword in other words.
fn restate(schema: &Value, random: &mut Rng, is_newer: bool) -> Value {
    let mut new = schema.clone();
    let Value::Object(keywords) = &mut new else {
        return new;
    };
    match random.usize(..5) {
        // A list of values as a choice of values.
        0 => {
            if let Some(Value::Array(values)) = keywords.remove("enum") {
                let kind = ["oneOf", "anyOf"][random.usize(..2)];
                let member = |value: Value| {
                    if is_newer {
                        json!({ "const": value })
                    } else {
                        json!({ "enum": [value] })
                    }
                };
                let members: Vec<Value> = values.into_iter().map(member).collect();
                if members.is_empty() {
                    return new;
                }
                keywords.insert(kind.to_owned(), members.into());
            }
        }
        // Each keyword in a schema of its own, except those that belong together.
        1 => {
            let alone = |key: &String| {
                let together = [
                    "properties",
                    "additionalProperties",
                    "nullable",
                    "type",
                    "format",
                ];
                !together.contains(&key.as_str())
                    && !key.contains("imum")
                    && ![
                        "$ref",
                        "discriminator",
                        "unevaluatedProperties",
                        "if",
                        "then",
                        "else",
                    ]
                    .contains(&key.as_str())
            };
            let (apart, together): (Map<_, _>, Map<_, _>) = keywords
                .clone()
                .into_iter()
                .partition(|(key, _)| alone(key));
            let apart = apart.into_iter().map(|(key, value)| json!({ key: value }));
            let members: Vec<Value> = [Value::Object(together)].into_iter().chain(apart).collect();
            return json!({ "allOf": members });
        }
        // Null as a member of a choice.
        2 => {
            keywords.remove("nullable");
            let absent = if is_newer {
                json!({ "type": "null" })
            } else {
                json!({ "enum": [null], "nullable": true })
            };
            return json!({ ["oneOf", "anyOf"][random.usize(..2)]: [new, absent] });
        }
        // A type beside values says nothing more.
        3 => {
            keywords.remove("type");
        }
        // A list of types.
        _ => {
            if let (true, Some(Value::String(name))) = (is_newer, keywords.get("type").cloned()) {
                let types = match random.usize(..3) {
                    0 => json!([name]),
                    1 => json!([name, "null"]),
                    _ => json!([name, "integer"]),
                };
                keywords.insert("type".to_owned(), types);
            }
        }
    }
    new
}

/// Makes a component of the schema, or writes the component in its place.
fn move_schema(document: &mut Value, schema: &Value, random: &mut Rng) -> Option<Value> {
    if schema.get("$ref").is_some() {
        return dropspec_schema::resolve(document, schema).cloned();
    }
    let name = format!("Moved{}", random.usize(..1000));
    let schemas = document
        .as_object_mut()?
        .entry("components")
        .or_insert_with(|| json!({}))
        .as_object_mut()?
        .entry("schemas")
        .or_insert_with(|| json!({}))
        .as_object_mut()?;
    schemas.insert(name.clone(), schema.clone());
    Some(json!({ "$ref": format!("#/components/schemas/{name}") }))
}
