//! The tags of a document that divide its operations, and their order (OpenAPI 3.2: `summary`, `parent`, `kind`).

use serde_json::Value;

/// The entry of the list of tags with this name.
pub fn find<'d>(document: &'d Value, name: &str) -> Option<&'d Value> {
    let tags = document.get("tags").and_then(Value::as_array);
    let mut tags = tags.into_iter().flatten();
    tags.find(|tag| tag.get("name").and_then(Value::as_str) == Some(name))
}

/// The tag that an operation stands under: its first one for navigation, or else its first one.
pub fn of_operation<'d>(document: &Value, operation: &'d Value) -> Option<&'d str> {
    let names = operation.get("tags").and_then(Value::as_array);
    let mut names = names.into_iter().flatten().filter_map(Value::as_str);
    let first = names.clone().next();
    names
        .find(|name| is_for_navigation(document, name))
        .or(first)
}

/// What readers see of a tag: its summary, or else its name.
pub fn title<'d>(document: &'d Value, name: &'d str) -> &'d str {
    let summary = find(document, name).and_then(|tag| tag.get("summary"));
    summary.and_then(Value::as_str).unwrap_or(name)
}

/// A tag, its parent and so on, to the one without a parent. A circle ends where it begins again.
pub fn ancestry<'d>(document: &'d Value, name: &'d str) -> Vec<&'d str> {
    let mut found = vec![name];
    let parent = |name: &str| find(document, name)?.get("parent")?.as_str();
    while let Some(parent) = found.last().and_then(|name| parent(name))
        && !found.contains(&parent)
    {
        found.push(parent);
    }
    found
}

fn is_for_navigation(document: &Value, name: &str) -> bool {
    let kind = find(document, name).and_then(|tag| tag.get("kind"));
    kind.is_none_or(|kind| kind == "nav")
}
