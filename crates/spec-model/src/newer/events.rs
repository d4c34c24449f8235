//! Writes the data of server-sent events as what they mean: where `data` is JSON in a text (`contentSchema`), the schema of the event
//! has that of the value. Code writes and reads the text.

use spec_schema::{BodyKind, Framing, pointer, pointer_of_reference};

use crate::node::{MAX_DEPTH, Node, Value};

/// Rewrites the schema of the events of a media type at a pointer, if it is that of events.
pub(super) fn rewrite_data(root: &Node, media_type: &mut Node, at: &str) {
    let tokens = pointer::tokens(at).unwrap_or_default();
    let framing = tokens.last().and_then(|name| Framing::of(name));
    for key in ["itemSchema", "x-item-schema"] {
        let schema = media_type
            .get(key)
            .filter(|_| framing == Some(Framing::Events));
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
    let value = data.and_then(content_schema).cloned();
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
fn content_schema(data: &Node) -> Option<&Node> {
    let media_type = data.get("contentMediaType")?.as_str()?;
    let schema = data.get("contentSchema")?;
    let is_text = schema.get("type").and_then(Node::as_str) == Some("string");
    (BodyKind::of(media_type) == BodyKind::Json && !is_text).then_some(schema)
}
