//! Writes the schemas of OpenAPI 3.1 (JSON Schema 2020-12) in the terms of OpenAPI 3.0, as far as 3.0 has them.
//! Keywords that 3.0 lacks stay; the schemas in them are rewritten, too.

use std::collections::HashMap;

use spec_schema::pointer;

use crate::kind::Kind;
use crate::node::{Member, Node, Object, Position, Value};

/// Keywords with schemas for the same value. What these evaluate, `unevaluatedProperties` does not see alone.
const IN_PLACE: [&str; 9] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
];

/// The keywords of 3.0, each with those of 3.1 that it can stand for.
const WRITTEN_AS: [(&str, &[&str]); 8] = [
    ("nullable", &["type"]),
    ("enum", &["const", "type"]),
    ("minimum", &["exclusiveMinimum"]),
    ("maximum", &["exclusiveMaximum"]),
    ("example", &["examples"]),
    ("format", &["contentEncoding", "contentMediaType"]),
    ("additionalProperties", &["unevaluatedProperties"]),
    ("items", &["unevaluatedItems"]),
];

/// Rewrites a document.
pub(crate) fn rewrite(root: &Node) -> Node {
    let mut names = Names::default();
    names.collect(root, Kind::Document, "");
    let mut root = root.clone();
    names.visit(&mut root, Kind::Document);
    root
}

/// The pointer in the document as it is written, of a pointer in the rewritten document. What is not written has the pointer
/// of what contains it.
pub(crate) fn written_pointer(root: &Node, pointer: &str) -> String {
    let mut node = root;
    let mut written = String::new();
    let tokens: Vec<String> = pointer::tokens(pointer).into_iter().flatten().collect();
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        let mut aliases = WRITTEN_AS.iter().filter(|(name, _)| name == token);
        let aliases = aliases.next().map_or(&[][..], |(_, aliases)| aliases);
        let aliases = aliases.iter().copied();
        let found = [token.as_str()].into_iter().chain(aliases).find_map(|key| {
            let (_, child) = node.child(key)?;
            Some((key, child))
        });
        let is_added = token == "allOf"
            && tokens.peek().is_some_and(|index| {
                let list = node.get("allOf");
                list.is_none_or(|list| list.child(index).is_none())
            });
        if is_added && node.get("$ref").is_some() {
            tokens.next();
            continue;
        }
        let Some((key, child)) = found else {
            break;
        };
        written = pointer::join(&written, key);
        node = child;
    }
    written
}

/// The pointers of the schemas with a name of their own (`$id`, `$anchor`, `$dynamicAnchor`), by the reference to it. None
/// where several have the same.
#[derive(Default)]
struct Names(HashMap<String, Option<String>>);

impl Names {
    fn collect(&mut self, node: &Node, kind: Kind, at: &str) {
        if kind == Kind::Schema {
            for (keyword, prefix) in [("$id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")] {
                if let Some(name) = node.get(keyword).and_then(Node::as_str) {
                    let entry = self.0.entry(format!("{prefix}{name}"));
                    entry
                        .and_modify(|known| *known = None)
                        .or_insert_with(|| Some(at.to_owned()));
                }
            }
        }
        match &node.value {
            _ if kind == Kind::Literal => {}
            Value::Object(members) => {
                for (key, member) in members {
                    self.collect(&member.node, kind.of_member(key), &pointer::join(at, key));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.collect(item, kind.of_item(), &format!("{at}/{index}"));
                }
            }
            _ => {}
        }
    }

    fn visit(&self, node: &mut Node, kind: Kind) {
        if kind == Kind::Schema {
            self.rewrite_schema(node);
        }
        match &mut node.value {
            _ if matches!(kind, Kind::Literal | Kind::Other) => {}
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    let is_flag = matches!(member.node.value, Value::Bool(_));
                    if !(is_flag && key == "additionalProperties") {
                        self.visit(&mut member.node, kind.of_member(key));
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.visit(item, kind.of_item());
                }
            }
            _ => {}
        }
    }

    fn rewrite_schema(&self, node: &mut Node) {
        let at = node.position;
        match &mut node.value {
            Value::Bool(true) => node.value = Value::Object(Object::new()),
            Value::Bool(false) => {
                let nothing = member(at, at, Value::Object(Object::new()));
                node.value = Value::Object([("not".to_owned(), nothing)].into_iter().collect());
            }
            Value::Object(members) => {
                // It has no meaning in 3.1.
                members.shift_remove("nullable");
                self.rewrite_references(members);
                rewrite_types(members);
                rewrite_const(members);
                rewrite_bound(members, "minimum", "exclusiveMinimum");
                rewrite_bound(members, "maximum", "exclusiveMaximum");
                rewrite_examples(members);
                rewrite_content(members);
                rewrite_unevaluated(members, "unevaluatedProperties", "additionalProperties");
                rewrite_unevaluated(members, "unevaluatedItems", "items");
                rewrite_siblings(members, at);
            }
            _ => {}
        }
    }

    /// Replaces the name of a schema by its pointer. A dynamic reference to a name that only one schema has is a reference.
    fn rewrite_references(&self, members: &mut Object) {
        let pointer_of = |member: &Member| {
            let known = self.0.get(member.node.as_str()?)?.as_ref()?;
            Some(Value::String(format!("#{known}")))
        };
        if let Some(reference) = members.get_mut("$ref")
            && let Some(pointer) = pointer_of(reference)
        {
            reference.node.value = pointer;
        }
        if members.contains_key("$ref") {
            return;
        }
        if let Some(pointer) = members.get("$dynamicRef").and_then(pointer_of)
            && let Some(mut reference) = members.shift_remove("$dynamicRef")
        {
            reference.node.value = pointer;
            members.insert("$ref".to_owned(), reference);
        }
    }
}

fn member(key_position: Position, position: Position, value: Value) -> Member {
    Member {
        key_position,
        node: Node { position, value },
    }
}

/// Writes the type `null` as `nullable` or, if it is the only one, as a value.
fn rewrite_types(members: &mut Object) {
    let Some(types) = members.get("type").cloned() else {
        return;
    };
    let at = types.node.position;
    let mut others: Vec<Node> = match types.node.value {
        Value::Array(types) => types,
        value => vec![Node {
            value,
            ..types.node
        }],
    };
    let all = others.len();
    others.retain(|name| name.as_str() != Some("null"));
    let with_null = others.len() < all;
    let lists_null = |key: &str, member: &Member| match &member.node.value {
        Value::Array(values) => values.iter().any(|value| value.value == Value::Null),
        value => key == "const" && *value == Value::Null,
    };
    let mut values = ["enum", "const"]
        .into_iter()
        .filter_map(|key| Some((key, members.get(key)?)));
    let is_valid = values.all(|(key, member)| lists_null(key, member));
    let flag = member(types.key_position, at, Value::Bool(true));
    if with_null && others.is_empty() {
        members.shift_remove("type");
        let null = Node {
            position: at,
            value: Value::Null,
        };
        let values = Value::Array(if is_valid { vec![null] } else { Vec::new() });
        members.shift_remove("const");
        members.insert("enum".to_owned(), member(types.key_position, at, values));
        members.insert("nullable".to_owned(), flag);
        return;
    }
    let value = match &mut others[..] {
        [one] => std::mem::replace(&mut one.value, Value::Null),
        _ => Value::Array(others),
    };
    if let Some(types) = members.get_mut("type") {
        types.node.value = value;
    }
    if with_null && is_valid {
        members.insert("nullable".to_owned(), flag);
    }
}

fn rewrite_const(members: &mut Object) {
    let Some(constant) = members.shift_remove("const") else {
        return;
    };
    let at = constant.node.position;
    let key_position = constant.key_position;
    let values = member(key_position, at, Value::Array(vec![constant.node]));
    if let Some(others) = members.insert("enum".to_owned(), values) {
        let object = [("enum".to_owned(), others)].into_iter().collect();
        push_all_of(members, key_position, at, object);
    }
}

fn push_all_of(members: &mut Object, key_position: Position, at: Position, object: Object) {
    let entry = members.entry("allOf".to_owned());
    let list = entry.or_insert_with(|| member(key_position, at, Value::Array(Vec::new())));
    if let Value::Array(items) = &mut list.node.value {
        items.push(Node {
            position: at,
            value: Value::Object(object),
        });
    }
}

/// Writes an exclusive bound as a bound with a flag. Of two bounds, the tighter one stays.
fn rewrite_bound(members: &mut Object, inclusive: &str, exclusive: &str) {
    let number = |key: &str| members.get(key)?.node.as_number()?.as_f64();
    let Some(bound) = number(exclusive) else {
        return;
    };
    let applies = match number(inclusive) {
        Some(other) if inclusive == "minimum" => bound >= other,
        Some(other) => bound <= other,
        None => true,
    };
    let Some(found) = members.shift_remove(exclusive).filter(|_| applies) else {
        return;
    };
    let flag = member(found.key_position, found.node.position, Value::Bool(true));
    members.insert(inclusive.to_owned(), found);
    members.insert(exclusive.to_owned(), flag);
}

fn rewrite_examples(members: &mut Object) {
    let is_one =
        |member: &Member| matches!(&member.node.value, Value::Array(items) if items.len() == 1);
    if members.contains_key("example") || !members.get("examples").is_some_and(is_one) {
        return;
    }
    if let Some(examples) = members.shift_remove("examples")
        && let Value::Array(mut items) = examples.node.value
        && let Some(node) = items.pop()
    {
        let key_position = examples.key_position;
        members.insert("example".to_owned(), Member { key_position, node });
    }
}

/// Writes the encodings that 3.0 has a format for as that format.
fn rewrite_content(members: &mut Object) {
    let text = |key: &str| members.get(key).and_then(|member| member.node.as_str());
    if members.contains_key("format") || !matches!(text("type"), None | Some("string")) {
        return;
    }
    let (keyword, format) = match (text("contentEncoding"), text("contentMediaType")) {
        (Some("base64"), None) => ("contentEncoding", "byte"),
        (None, Some("application/octet-stream")) => ("contentMediaType", "binary"),
        _ => return,
    };
    let Some(mut found) = members.shift_remove(keyword) else {
        return;
    };
    let (key_position, position) = (found.key_position, found.node.position);
    found.node.value = Value::String(format.to_owned());
    members.insert("format".to_owned(), found);
    members
        .entry("type".to_owned())
        .or_insert_with(|| member(key_position, position, Value::String("string".to_owned())));
}

/// Where no other schema applies to the value, `unevaluated…` is the same as the keyword that 3.0 has.
fn rewrite_unevaluated(members: &mut Object, unevaluated: &str, keyword: &str) {
    let sees_others = ["contains"]
        .iter()
        .chain(&IN_PLACE)
        .any(|key| members.contains_key(*key));
    if sees_others || members.contains_key(keyword) {
        return;
    }
    if let Some(found) = members.shift_remove(unevaluated) {
        members.insert(keyword.to_owned(), found);
    }
}

/// In 3.0 a `$ref` stands alone.
fn rewrite_siblings(members: &mut Object, at: Position) {
    if members.len() > 1
        && let Some(reference) = members.shift_remove("$ref")
    {
        let key_position = reference.key_position;
        let object = [("$ref".to_owned(), reference)].into_iter().collect();
        push_all_of(members, key_position, at, object);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use crate::Document;

    /// The schema as it is read.
    fn rewritten(schema: serde_json::Value) -> serde_json::Value {
        let text = json!({ "openapi": "3.1.0", "components": { "schemas": { "A": schema } } });
        let document = Document::parse("a.json", &text.to_string()).unwrap();
        let read = document.in_terms_of_3_0();
        read.pointer("/components/schemas/A").unwrap().to_json()
    }

    #[test]
    fn schemas_are_written_in_the_terms_of_3_0() {
        for (written, read) in [
            (
                json!({ "type": ["string", "null"] }),
                json!({ "type": "string", "nullable": true }),
            ),
            (
                json!({ "type": ["string", "null"], "enum": ["a"] }),
                json!({ "type": "string", "enum": ["a"] }),
            ),
            (
                json!({ "type": ["string", "null"], "enum": ["a", null] }),
                json!({ "type": "string", "enum": ["a", null], "nullable": true }),
            ),
            (
                json!({ "type": "null" }),
                json!({ "enum": [null], "nullable": true }),
            ),
            (
                json!({ "type": ["string", "integer"] }),
                json!({ "type": ["string", "integer"] }),
            ),
            (
                json!({ "type": "string", "nullable": true }),
                json!({ "type": "string" }),
            ),
            (json!({ "const": 1 }), json!({ "enum": [1] })),
            (
                json!({ "exclusiveMinimum": 1 }),
                json!({ "minimum": 1, "exclusiveMinimum": true }),
            ),
            (
                json!({ "exclusiveMinimum": 1, "minimum": 2 }),
                json!({ "minimum": 2 }),
            ),
            (
                json!({ "exclusiveMaximum": 1, "maximum": 2 }),
                json!({ "maximum": 1, "exclusiveMaximum": true }),
            ),
            (json!({ "examples": [7] }), json!({ "example": 7 })),
            (json!({ "items": true }), json!({ "items": {} })),
            (json!({ "not": false }), json!({ "not": { "not": {} } })),
            (
                json!({ "additionalProperties": false }),
                json!({ "additionalProperties": false }),
            ),
            (
                json!({ "unevaluatedProperties": { "type": "null" } }),
                json!({ "additionalProperties": { "enum": [null], "nullable": true } }),
            ),
            (
                json!({ "contentMediaType": "application/octet-stream" }),
                json!({ "type": "string", "format": "binary" }),
            ),
            (
                json!({ "$ref": "#/components/schemas/B", "maxLength": 5 }),
                json!({ "maxLength": 5, "allOf": [{ "$ref": "#/components/schemas/B" }] }),
            ),
            (
                json!({ "$ref": "#/components/schemas/B" }),
                json!({ "$ref": "#/components/schemas/B" }),
            ),
            (
                json!({ "$anchor": "a", "items": { "$ref": "#a" } }),
                json!({ "$anchor": "a", "items": { "$ref": "#/components/schemas/A" } }),
            ),
            (
                json!({ "default": { "type": ["string", "null"], "const": 1 } }),
                json!({ "default": { "type": ["string", "null"], "const": 1 } }),
            ),
        ] {
            assert_eq!(rewritten(written.clone()), read, "{written}");
        }
    }

    #[test]
    fn pointers_lead_to_what_is_written() {
        let text = "{openapi: 3.1.0, a: {$ref: x, allOf: [{}], type: [string, 'null'], const: 1}}";
        let document = Document::parse("a.yaml", &format!("# YAML\n{text}")).unwrap();
        for (read, written) in [
            ("/a/allOf/0", "/a/allOf/0"),
            ("/a/allOf/1", "/a"),
            ("/a/allOf/1/$ref", "/a/$ref"),
            ("/a/nullable", "/a/type"),
            ("/a/enum/0", "/a/const"),
        ] {
            assert_eq!(document.written_pointer(read), written, "{read}");
        }
    }
}
