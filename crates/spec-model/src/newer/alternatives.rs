//! Writes what several types can be as alternatives of one type each, so that code has a type for it.

use super::keywords::member;
use crate::kind::Kind;
use crate::node::{Member, Node, Object, Value};

/// The keywords that say something of values of one type only.
const KEYWORDS: [(&str, &[&str]); 4] = [
    (
        "string",
        &[
            "minLength",
            "maxLength",
            "pattern",
            "contentEncoding",
            "contentMediaType",
            "contentSchema",
        ],
    ),
    (
        "number",
        &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
    ),
    (
        "array",
        &[
            "items",
            "prefixItems",
            "contains",
            "minContains",
            "maxContains",
            "minItems",
            "maxItems",
            "uniqueItems",
            "unevaluatedItems",
        ],
    ),
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
        ],
    ),
];

/// Rewrites the schemas below a node, whose types are in the terms of 3.0.
pub(super) fn split_types(node: &mut Node, kind: Kind) {
    let is_schema = kind == Kind::Schema;
    match &mut node.value {
        _ if matches!(kind, Kind::Literal | Kind::Other) => {}
        Value::Object(members) => {
            if is_schema {
                name_type_of_values(members);
                split(members);
            }
            for (key, member) in members.iter_mut() {
                split_types(&mut member.node, kind.of_member(key));
            }
        }
        Value::Array(items) => {
            for item in items {
                split_types(item, kind.of_item());
            }
        }
        _ => {}
    }
}

/// Gives a schema that lists its values their type.
fn name_type_of_values(members: &mut Object) {
    let Some(values) = members
        .get("enum")
        .filter(|_| !members.contains_key("type"))
    else {
        return;
    };
    let (key_position, at) = (values.key_position, values.node.position);
    let values = values.node.as_array().unwrap_or_default().iter();
    let mut names: Vec<&str> = values.map(type_of).collect();
    let all = names.len();
    names.retain(|name| *name != "null");
    let has_null = names.len() < all;
    names.dedup();
    if let [name @ ("string" | "integer" | "number" | "boolean")] = names[..] {
        let field = |value| member(key_position, at, value);
        let name = Value::String(name.to_owned());
        members.insert("type".to_owned(), field(name));
        if has_null {
            members.insert("nullable".to_owned(), field(Value::Bool(true)));
        }
    }
}

fn split(members: &mut Object) {
    let Some(Member { key_position, node }) = members.get("type").cloned() else {
        return;
    };
    let at = node.position;
    let types: Vec<String> = match &node.value {
        Value::Array(types) => types
            .iter()
            .filter_map(|it| Some(it.as_str()?.to_owned()))
            .collect(),
        _ => return,
    };
    members.shift_remove("type");
    let values = members.shift_remove("enum");
    let format = members.shift_remove("format");
    let is_nullable = members.shift_remove("nullable").is_some();
    let moved: Vec<(String, Member)> = KEYWORDS
        .iter()
        .flat_map(|(_, keywords)| keywords.iter())
        .filter_map(|key| Some(((*key).to_owned(), members.shift_remove(*key)?)))
        .collect();
    let object = |value| member(key_position, at, value);
    let mut variants = Vec::new();
    for name in &types {
        let mut variant = Object::new();
        variant.insert("type".to_owned(), object(Value::String(name.clone())));
        let keywords = KEYWORDS.iter().find(|(of, _)| *of == class_of(name));
        let keywords = keywords.map_or(&[][..], |(_, keywords)| keywords);
        let own = moved
            .iter()
            .filter(|(key, _)| keywords.contains(&key.as_str()));
        variant.extend(own.cloned());
        if let Some(format) = format.as_ref().filter(|format| has_format(name, format)) {
            variant.insert("format".to_owned(), format.clone());
        }
        if let Some(values) = &values {
            let all = values.node.as_array().unwrap_or_default().iter();
            let own: Vec<Node> = all.filter(|it| is_of(it, name)).cloned().collect();
            if own.is_empty() {
                continue;
            }
            variant.insert("enum".to_owned(), object(Value::Array(own)));
        }
        variants.push(variant);
    }
    if is_nullable {
        let null = Node {
            position: at,
            value: Value::Null,
        };
        let mut variant = Object::new();
        variant.insert("enum".to_owned(), object(Value::Array(vec![null])));
        variant.insert("nullable".to_owned(), object(Value::Bool(true)));
        variants.push(variant);
    }
    let variants = variants.into_iter().map(|variant| Node {
        position: at,
        value: Value::Object(variant),
    });
    let variants = object(Value::Array(variants.collect()));
    if let Some(others) = members.insert("anyOf".to_owned(), variants) {
        let others = [("anyOf".to_owned(), others)].into_iter().collect();
        super::keywords::push_all_of(members, key_position, at, others);
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
