//! Writes what several types can be as alternatives of one type each, so that code has a type for it.

use serde_json::json;

use crate::node::{Member, Node, Object, Value};

/// The keywords that say something of values of one type only.
#[rustfmt::skip]
const KEYWORDS: [(&str, &[&str]); 4] = [
    ("string", &["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType", "contentSchema"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ("array", &[
        "items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems",
        "unevaluatedItems",
    ]),
    ("object", &[
        "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
        "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
    ]),
];

/// Rewrites a schema whose types are in the terms of 3.0.
pub(super) fn split_types(members: &mut Object) {
    name_type_of_values(members);
    let types = members.get("type").cloned();
    let Some(Member { key_position, node }) = types.filter(|it| it.node.as_array().is_some())
    else {
        return;
    };
    let at = node.position;
    members.shift_remove("type");
    let values = members.shift_remove("enum");
    let format = members.shift_remove("format");
    let is_nullable = members.shift_remove("nullable").is_some();
    let mut moved: Vec<(&str, &str, Member)> = Vec::new();
    for (class, keywords) in KEYWORDS {
        let keywords = keywords.iter();
        moved.extend(keywords.filter_map(|key| Some((class, *key, members.shift_remove(*key)?))));
    }
    let mut variants = Vec::new();
    let names = node.as_array().unwrap_or_default().iter();
    for name in names.filter_map(Node::as_str) {
        let mut variant = Node::of_json(json!({ "type": name }), at);
        for (_, key, member) in moved.iter().filter(|(of, ..)| *of == class_of(name)) {
            variant.insert(key, member.clone());
        }
        if let Some(format) = format.as_ref().filter(|format| has_format(name, format)) {
            variant.insert("format", format.clone());
        }
        if let Some(values) = &values {
            let all = values.node.as_array().unwrap_or_default().iter();
            let own: Vec<Node> = all.filter(|it| is_of(it, name)).cloned().collect();
            if own.is_empty() {
                continue;
            }
            variant.set("enum", Value::Array(own));
        }
        variants.push(variant);
    }
    if is_nullable {
        variants.push(Node::of_json(
            json!({ "enum": [null], "nullable": true }),
            at,
        ));
    }
    let variants = Member::new(key_position, at, Value::Array(variants));
    if let Some(others) = members.insert("anyOf".to_owned(), variants) {
        super::push_all_of(members, "anyOf", others, at);
    }
}

/// Gives a schema that lists its values their type.
fn name_type_of_values(members: &mut Object) {
    let values = members
        .get("enum")
        .filter(|_| !members.contains_key("type"));
    let Some(Member { key_position, node }) = values else {
        return;
    };
    let (key_position, at) = (*key_position, node.position);
    let mut names: Vec<&str> = node
        .as_array()
        .unwrap_or_default()
        .iter()
        .map(type_of)
        .collect();
    let all = names.len();
    names.retain(|name| *name != "null");
    let has_null = names.len() < all;
    names.dedup();
    if let [name @ ("string" | "integer" | "number" | "boolean")] = names[..] {
        let mut set = |key: &str, value| {
            members.insert(key.to_owned(), Member::new(key_position, at, value));
        };
        set("type", Value::String(name.to_owned()));
        if has_null {
            set("nullable", Value::Bool(true));
        }
    }
}

/// The type in [`KEYWORDS`] of a type.
fn class_of(name: &str) -> &str {
    if name == "integer" { "number" } else { name }
}

/// Whether a format is one of numbers, as the type is, or else of texts.
fn has_format(name: &str, format: &Member) -> bool {
    let format = format.node.as_str().unwrap_or_default();
    let of_number = ["int", "uint", "float", "double"];
    let of_number = of_number.iter().any(|prefix| format.starts_with(prefix));
    class_of(name) == if of_number { "number" } else { "string" }
}

fn is_of(value: &Node, name: &str) -> bool {
    type_of(value) == name || (name == "number" && type_of(value) == "integer")
}

fn type_of(value: &Node) -> &'static str {
    match &value.value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
