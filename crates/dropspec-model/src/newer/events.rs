//! Writes the bodies of streams as what they mean. Where the `data` of a server-sent event is JSON in a text (`contentSchema`), the
//! schema of the event has that of the value; code writes and reads the text. A `schema` of a stream that is no text is that of its items.

use dropspec_schema::{
    BodyKind, EVENT_FIELDS, Framing, ITEM_SCHEMA_KEYS, pointer, pointer_of_reference,
};
use serde_json::json;

use crate::node::{MAX_DEPTH, Node, Value};
use crate::objects::{Kind, ObjectType};

/// Keywords with alternatives for a value, or with parts of its schema.
const COMBINATIONS: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// Makes the `schema` of each successful response that is a stream without a schema of items the schema of its items: no text of
/// events or lines is an object. Whether there is such a response.
pub(super) fn take_schemas_of_items(root: &mut Node, minor_version: u8) -> bool {
    let whole = root.clone();
    let mut found = false;
    Kind::DOCUMENT.walk(root, "", &mut |node, kind, at| {
        if kind == Kind::Object(ObjectType::MediaType)
            && is_of_success(at)
            && let Some(items) = schema_of_items(&whole, node, at, minor_version)
        {
            node.remove("schema");
            node.set("x-item-schema", items.value);
            found = true;
        }
    });
    found
}

/// Whether a media type at a pointer is of a response that this service sends, and that may be a success.
fn is_of_success(at: &str) -> bool {
    let tokens = pointer::tokens(at).unwrap_or_default();
    let tokens: Vec<&str> = tokens.iter().map(AsRef::as_ref).collect();
    match tokens[..] {
        ["components", "responses", _, "content", _] => true,
        ["paths", _, _, "responses", status, "content", _] => status.starts_with('2'),
        _ => false,
    }
}

/// What the `schema` of a media type at a pointer says of the items of a stream: an array is one of all items, as OpenAPI 3.2 says;
/// in older documents another value is an item. The schema of an item of events is that of the event in 3.2, and in older documents
/// that of its `data`, unless it describes an event.
fn schema_of_items(root: &Node, media_type: &Node, at: &str, minor_version: u8) -> Option<Node> {
    let framing = framing_at(at).filter(|framing| *framing != Framing::Parts)?;
    let schema = media_type.get("schema")?;
    if ITEM_SCHEMA_KEYS
        .iter()
        .any(|key| media_type.get(key).is_some())
    {
        return None;
    }
    let of_array = resolve(root, schema)?.get("items");
    let is_older = minor_version < 2;
    let item = match of_array {
        Some(items) => items,
        None if is_older && is_value(root, schema, 0) => schema,
        None => return None,
    };
    if framing != Framing::Events || !is_older || is_event(root, item, 0) {
        return Some(item.clone());
    }
    let text = json!({ "type": "string" });
    let properties =
        json!({ "data": {}, "event": text, "id": text, "retry": { "type": "integer" } });
    // Clients are told of no event without data.
    let event = json!({ "type": "object", "required": ["data"], "properties": properties });
    let mut event = Node::of_json(event, item.position);
    event.get_mut("properties")?.set("data", item.value.clone());
    Some(event)
}

/// The schema that a schema refers to, or the schema itself.
fn resolve<'n>(root: &'n Node, mut schema: &'n Node) -> Option<&'n Node> {
    for _ in 0..MAX_DEPTH {
        let Some(reference) = schema.get("$ref").and_then(Node::as_str) else {
            return Some(schema);
        };
        schema = root.pointer(&pointer_of_reference(reference)?)?;
    }
    None
}

/// Whether a schema is that of other values than texts.
fn is_value(root: &Node, schema: &Node, depth: usize) -> bool {
    let Some(schema) = resolve(root, schema).filter(|_| depth < MAX_DEPTH) else {
        return false;
    };
    match schema.get("type").and_then(Node::as_str) {
        Some(name) => name != "string",
        None if schema.get("properties").is_some() => true,
        None => {
            let combined = COMBINATIONS
                .iter()
                .filter_map(|key| schema.get(key)?.as_array());
            let mut members = combined.flatten();
            members.any(|member| is_value(root, member, depth + 1))
        }
    }
}

/// Whether a schema describes an event: an object with `data` and no other properties than those of events.
fn is_event(root: &Node, schema: &Node, depth: usize) -> bool {
    let Some(schema) = resolve(root, schema).filter(|_| depth < MAX_DEPTH) else {
        return false;
    };
    if let Some(properties) = schema.get("properties").and_then(Node::as_object) {
        let mut names = properties.keys();
        return properties.contains_key("data")
            && names.all(|name| EVENT_FIELDS.contains(&name.as_str()));
    }
    let alternatives = COMBINATIONS[..2].iter();
    let mut alternatives = alternatives.filter_map(|key| schema.get(key)?.as_array());
    alternatives.next().is_some_and(|members| {
        let mut members = members.iter();
        members.all(|member| is_event(root, member, depth + 1))
    })
}

/// How the items of a media type at a pointer are told apart.
fn framing_at(at: &str) -> Option<Framing> {
    let tokens = pointer::tokens(at)?;
    Framing::of(tokens.last()?)
}

/// Rewrites the schema of the events of a media type at a pointer, if it is that of events.
pub(super) fn rewrite_data(root: &Node, media_type: &mut Node, at: &str) {
    let is_events = framing_at(at) == Some(Framing::Events);
    for key in ITEM_SCHEMA_KEYS {
        let schema = media_type.get(key).filter(|_| is_events);
        if let Some(schema) = schema.and_then(|it| with_values(root, it, 0)) {
            media_type.set(key, schema.value);
        }
    }
}

/// The schema of an event with the schema of its data in place of their text, or with a copy of the component that it refers to.
/// `None` if its data, or those of one of its alternatives, are no JSON.
fn with_values(root: &Node, schema: &Node, depth: usize) -> Option<Node> {
    if depth >= MAX_DEPTH {
        return None;
    }
    if let Some(reference) = schema.get("$ref").and_then(Node::as_str) {
        let target = root.pointer(&pointer_of_reference(reference)?)?;
        return with_values(root, target, depth + 1);
    }
    let mut schema = schema.clone();
    let mut has_alternatives = false;
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::Array(variants)) = schema.get_mut(key).map(|it| &mut it.value) {
            for variant in variants {
                *variant = with_values(root, variant, depth + 1)?;
                has_alternatives = true;
            }
        }
    }
    let data = schema.get("properties").and_then(|it| it.get("data"));
    let value = data.and_then(|data| content_schema(root, data)).cloned();
    let properties = schema.get_mut("properties");
    match (properties, value) {
        (Some(properties), Some(value)) => properties.set("data", value.value),
        // Beside alternatives, it is what they have in common.
        (Some(properties), None) if has_alternatives => {
            properties.remove("data");
        }
        _ if has_alternatives => {}
        _ => return None,
    }
    Some(schema)
}

/// The schema of the JSON value in a text.
fn content_schema<'n>(root: &'n Node, data: &'n Node) -> Option<&'n Node> {
    let data = resolve(root, data)?;
    let media_type = data.get("contentMediaType")?.as_str()?;
    let schema = data.get("contentSchema")?;
    let is_text = resolve(root, schema)?.get("type").and_then(Node::as_str) == Some("string");
    (BodyKind::of(media_type) == BodyKind::Json && !is_text).then_some(schema)
}
