//! Writes the schemas of OpenAPI 3.1 (JSON Schema 2020-12) in the terms of OpenAPI 3.0, as far as 3.0 has them.
//! Keywords that 3.0 lacks stay; the schemas in them are rewritten, too.

mod alternatives;
mod events;
mod paths;

use std::collections::HashMap;

use dropspec_schema::{BodyKind, pointer};
use serde_json::json;

use crate::node::{Member, Node, Object, Position, Value};
use crate::objects::{Kind, ObjectType};

/// The keywords of 3.0, each with those of 3.1 that it can stand for.
const WRITTEN_AS: [(&str, &[&str]); 9] = [
    ("nullable", &["type"]),
    ("enum", &["const", "type"]),
    ("minimum", &["exclusiveMinimum"]),
    ("maximum", &["exclusiveMaximum"]),
    ("example", &["examples"]),
    ("format", &["contentEncoding", "contentMediaType"]),
    ("additionalProperties", &["unevaluatedProperties"]),
    ("items", &["unevaluatedItems"]),
    ("x-item-schema", &["schema"]),
];
/// Keywords with schemas for the same value. What these evaluate, `unevaluatedProperties` does not see alone.
#[rustfmt::skip]
const IN_PLACE: [&str; 10] = [
    "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "contains",
];

/// The pointers of the schemas with a name of their own (`$id`, `$anchor`, `$dynamicAnchor`), by the reference to it. None
/// where several have the same.
type Names = HashMap<String, Option<String>>;

/// Rewrites a document.
pub(crate) fn rewrite(root: &Node) -> Node {
    let mut root = root.clone();
    let mut names = Names::new();
    Kind::DOCUMENT.walk(&mut root, "", &mut |node, kind, at| {
        for (keyword, prefix) in [("$id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")] {
            if let Some(name) = node.get(keyword).and_then(Node::as_str)
                && kind == Kind::SCHEMA
            {
                let entry = names.entry(format!("{prefix}{name}"));
                let entry = entry.and_modify(|known| *known = None);
                entry.or_insert_with(|| Some(at.to_owned()));
            }
        }
    });
    let media_types = root.pointer("/components/mediaTypes").cloned();
    Kind::DOCUMENT.walk(&mut root, "", &mut |node, kind, at| {
        let position = node.position;
        paths::follow_media_type(node, kind, media_types.as_ref());
        match &mut node.value {
            Value::Object(members) if kind == Kind::PATH_ITEM => paths::lift_operations(members),
            Value::Object(members) if kind == Kind::PARAMETER => paths::rewrite_query(members),
            _ if kind != Kind::SCHEMA => {}
            Value::Bool(_) if at.ends_with("/additionalProperties") => {}
            Value::Bool(true) => node.value = Node::of_json(json!({}), position).value,
            Value::Bool(false) => node.value = Node::of_json(json!({ "not": {} }), position).value,
            Value::Object(members) => rewrite_schema(members, position, &names),
            _ => {}
        }
    });
    root
}

/// Rewrites a document of any version to generate code from it: one of 3.1 or 3.2 as [`rewrite`] does, and lists of types as
/// alternatives of one type each. `None` if it stays as it is.
pub(crate) fn rewrite_for_code(root: &Node, minor_version: u8) -> Option<Node> {
    if minor_version == 0 {
        let mut root = root.clone();
        return events::take_schemas_of_items(&mut root, 0).then_some(root);
    }
    let mut root = rewrite(root);
    events::take_schemas_of_items(&mut root, minor_version);
    let whole = root.clone();
    Kind::DOCUMENT.walk(&mut root, "", &mut |node, kind, at| {
        if kind == Kind::Object(ObjectType::MediaType) {
            events::rewrite_data(&whole, node, at);
        }
        if let (Kind::SCHEMA, Value::Object(members)) = (kind, &mut node.value) {
            alternatives::split_types(members);
        }
    });
    Some(root)
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
        let moved = paths::MOVED_UP.iter().find_map(|above| {
            let within = above.iter().try_fold(node, |node, key| node.get(key))?;
            Some((above, within.child(token)?.1))
        });
        if let (None, Some((above, child))) = (found, moved) {
            let keys = above.iter().copied().chain([token.as_str()]);
            written = keys.fold(written, |written, key| pointer::join(&written, key));
            node = child;
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

fn rewrite_schema(members: &mut Object, at: Position, names: &Names) {
    // It has no meaning in 3.1.
    members.shift_remove("nullable");
    rewrite_references(members, names);
    rewrite_types(members);
    if let Some(Member { key_position, node }) = members.shift_remove("const") {
        let position = node.position;
        let values = Value::Array(vec![node]);
        let values = Member::new(key_position, position, values);
        if let Some(others) = members.insert("enum".to_owned(), values) {
            push_all_of(members, "enum", others, position);
        }
    }
    rewrite_bound(members, "minimum", "exclusiveMinimum");
    rewrite_bound(members, "maximum", "exclusiveMaximum");
    if !members.contains_key("example")
        && let Some(Member { key_position, node }) = members.get("examples")
        && let Some([example]) = node.as_array()
    {
        let example = Member {
            key_position: *key_position,
            node: example.clone(),
        };
        members.shift_remove("examples");
        members.insert("example".to_owned(), example);
    }
    rewrite_content(members);
    for (keyword, older) in [
        ("unevaluatedProperties", "additionalProperties"),
        ("unevaluatedItems", "items"),
    ] {
        // Where no other schema applies to the value, both are the same.
        let mut others = IN_PLACE.iter().chain([&older]);
        if !others.any(|key| members.contains_key(*key))
            && let Some(found) = members.shift_remove(keyword)
        {
            members.insert(older.to_owned(), found);
        }
    }
    // In 3.0 a `$ref` stands alone.
    if members.len() > 1
        && let Some(reference) = members.shift_remove("$ref")
    {
        push_all_of(members, "$ref", reference, at);
    }
}

/// Replaces the name of a schema by its pointer. A dynamic reference to a name that only one schema has is a reference.
fn rewrite_references(members: &mut Object, names: &Names) {
    for key in ["$ref", "$dynamicRef"] {
        let Some(reference) = members.get_mut(key) else {
            continue;
        };
        let name = reference.node.as_str().unwrap_or_default();
        if let Some(Some(pointer)) = names.get(name) {
            reference.node.value = Value::String(format!("#{pointer}"));
            if key == "$dynamicRef"
                && let Some(reference) = members.shift_remove(key)
            {
                members.insert("$ref".to_owned(), reference);
            }
        }
        return;
    }
}

/// Writes the type `null` as `nullable` or, if it is the only one, as a value.
fn rewrite_types(members: &mut Object) {
    let Some(Member { key_position, node }) = members.get("type").cloned() else {
        return;
    };
    let at = node.position;
    let mut types = match node.value {
        Value::Array(types) => types,
        _ => vec![node],
    };
    let all = types.len();
    types.retain(|name| name.as_str() != Some("null"));
    let with_null = types.len() < all;
    let values = members.get("enum").map(|it| &it.node);
    let values = values.map(|values| values.as_array().unwrap_or_default());
    let constant = members
        .get("const")
        .map(|it| std::slice::from_ref(&it.node));
    let has_null = |values: &[Node]| values.iter().any(|value| value.value == Value::Null);
    let is_valid = values.is_none_or(has_null) && constant.is_none_or(has_null);
    let mut set = |key: &str, value| {
        members.insert(key.to_owned(), Member::new(key_position, at, value));
    };
    if with_null && (is_valid || types.is_empty()) {
        set("nullable", Value::Bool(true));
    }
    match types.len() {
        0 if with_null => {
            let null = Node::of_json(json!(null), at);
            set(
                "enum",
                Value::Array(Vec::from_iter(is_valid.then_some(null))),
            );
            members.shift_remove("type");
            members.shift_remove("const");
        }
        1 => set("type", types.remove(0).value),
        _ => set("type", Value::Array(types)),
    }
}

fn push_all_of(members: &mut Object, key: &str, member: Member, at: Position) {
    let key_position = member.key_position;
    let object = [(key.to_owned(), member)].into_iter().collect();
    let entry = members.entry("allOf".to_owned());
    let list = entry.or_insert_with(|| Member::new(key_position, at, Value::Array(Vec::new())));
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
    let flag = Member::new(found.key_position, found.node.position, Value::Bool(true));
    members.insert(inclusive.to_owned(), found);
    members.insert(exclusive.to_owned(), flag);
}

/// Writes the encodings that 3.0 has a format for as that format.
fn rewrite_content(members: &mut Object) {
    let text = |key: &str| members.get(key).and_then(|member| member.node.as_str());
    let is_text = matches!(text("type"), None | Some("string"));
    let (keyword, format) = match (text("contentEncoding"), text("contentMediaType")) {
        _ if members.contains_key("format") || !is_text => return,
        (Some("base64"), None) => ("contentEncoding", "byte"),
        (Some("binary"), None) => ("contentEncoding", "binary"),
        (None, Some(it)) if BodyKind::of(it) == BodyKind::Bytes => ("contentMediaType", "binary"),
        _ => return,
    };
    // The format says no more than `application/octet-stream`.
    let stays = text(keyword).is_some_and(|it| it.contains('/') && !it.ends_with("octet-stream"));
    let Some(Member { key_position, node }) = members.shift_remove(keyword) else {
        return;
    };
    for (key, value) in [("format", format), ("type", "string")] {
        let member = Member::new(key_position, node.position, Value::String(value.into()));
        members.entry(key.to_owned()).or_insert(member);
    }
    if stays {
        members.insert(keyword.to_owned(), Member { key_position, node });
    }
}

#[cfg(test)]
mod tests;
