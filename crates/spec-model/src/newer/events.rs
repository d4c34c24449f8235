//! Writes the bodies of streams as what they mean. Where the `data` of a server-sent event is JSON in a text (`contentSchema`), the
//! schema of the event has that of the value; code writes and reads the text. A `schema` of a stream that is no text is that of its items.

use serde_json::json;
use spec_schema::{BodyKind, Framing, pointer, pointer_of_reference};

use crate::node::{MAX_DEPTH, Node, Value};
use crate::objects::{Kind, ObjectType};

/// The keys of the schema of the items of a stream.
const ITEM_SCHEMAS: [&str; 2] = ["itemSchema", "x-item-schema"];

/// Keywords of schemas of other values than texts.
const OF_VALUES: [&str; 5] = [
    "properties",
    "additionalProperties",
    "oneOf",
    "anyOf",
    "allOf",
];

/// Makes the `schema` of each response that is a stream without a schema of items the schema of its items: no text of events or
/// lines is an object. Whether there is such a response.
pub(super) fn take_schemas_of_items(root: &mut Node, minor_version: u8) -> bool {
    let whole = root.clone();
    let mut found = false;
    Kind::DOCUMENT.walk(root, "", &mut |node, kind, at| {
        if kind == Kind::Object(ObjectType::MediaType)
            && at.contains("/responses/")
            && let Some(items) = schema_of_items(&whole, node, at, minor_version)
        {
            node.remove("schema");
            node.set("x-item-schema", items.value);
            found = true;
        }
    });
    found
}

/// What the `schema` of a media type at a pointer says of the items of a stream: an array is one of all items, as OpenAPI 3.2 says;
/// in older documents another value is an item, or of events their `data`.
fn schema_of_items(root: &Node, media_type: &Node, at: &str, minor_version: u8) -> Option<Node> {
    let framing = framing_at(at).filter(|framing| *framing != Framing::Parts)?;
    let schema = media_type.get("schema")?;
    if ITEM_SCHEMAS.iter().any(|key| media_type.get(key).is_some()) {
        return None;
    }
    let mut resolved = schema;
    for _ in 0..MAX_DEPTH {
        let reference = resolved.get("$ref").and_then(Node::as_str);
        let Some(reference) = reference else { break };
        resolved = root.pointer(&pointer_of_reference(reference)?)?;
    }
    match resolved.get("type").and_then(Node::as_str) {
        Some("array") => return resolved.get("items").cloned(),
        Some("string") => return None,
        None if !OF_VALUES.iter().any(|key| resolved.get(key).is_some()) => return None,
        _ if minor_version > 1 => return None,
        _ if framing != Framing::Events => return Some(schema.clone()),
        _ => {}
    }
    let text = json!({ "type": "string" });
    let properties =
        json!({ "data": {}, "event": text, "id": text, "retry": { "type": "integer" } });
    let event = json!({ "type": "object", "required": ["data"], "properties": properties });
    let mut event = Node::of_json(event, schema.position);
    event
        .get_mut("properties")?
        .set("data", schema.value.clone());
    Some(event)
}

/// How the items of a media type at a pointer are told apart.
fn framing_at(at: &str) -> Option<Framing> {
    let tokens = pointer::tokens(at)?;
    Framing::of(tokens.last()?)
}

/// Rewrites the schema of the events of a media type at a pointer, if it is that of events.
pub(super) fn rewrite_data(root: &Node, media_type: &mut Node, at: &str) {
    let is_events = framing_at(at) == Some(Framing::Events);
    for key in ITEM_SCHEMAS {
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
    let data = follow(root, data, 0)?;
    let media_type = data.get("contentMediaType")?.as_str()?;
    let schema = data.get("contentSchema")?;
    let is_text = follow(root, schema, 0)?.get("type").and_then(Node::as_str) == Some("string");
    (BodyKind::of(media_type) == BodyKind::Json && !is_text).then_some(schema)
}

/// The schema that a schema refers to, or itself.
fn follow<'n>(root: &'n Node, schema: &'n Node, depth: usize) -> Option<&'n Node> {
    match schema.get("$ref").and_then(Node::as_str) {
        None => Some(schema),
        Some(_) if depth >= MAX_DEPTH => None,
        Some(reference) => {
            let target = root.pointer(&pointer_of_reference(reference)?)?;
            follow(root, target, depth + 1)
        }
    }
}
