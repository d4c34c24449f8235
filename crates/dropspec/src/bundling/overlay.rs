//! OpenAPI Overlays 1.0 and 1.1: reads and applies them.

mod action;
mod merge;
mod order;

use dropspec_model::{Node, Position, Value};
pub(crate) use order::sort_responses;
use serde_json_path::JsonPath;

use crate::bundling::bundler::Bundler;

/// An overlay: changes of a document.
pub(crate) struct Overlay {
    actions: Vec<Action>,
}

/// One change, at all places that `target` selects.
struct Action {
    target: Query,
    change: Change,
    /// The JSON pointer of the action in the overlay.
    pointer: String,
}

/// A JSONPath expression (RFC 9535).
struct Query {
    path: JsonPath,
    text: String,
    at: Position,
}

enum Change {
    Update {
        value: Node,
        /// Whether an array is one new item of a selected array, as in 1.0, or a list of them.
        appends_arrays: bool,
    },
    Copy(Query),
    Remove,
    /// `remove: false`
    Nothing,
}

/// The document that an overlay extends, if this is the root of an overlay.
pub(crate) fn document_of(root: &Node) -> Option<(&str, Position)> {
    root.get("overlay")?;
    let extends = root.get("extends")?;
    Some((extends.as_str()?, extends.position))
}

impl Overlay {
    /// Reads an overlay, and reports what is wrong in it. `None` after an error.
    pub(crate) fn read(bundler: &mut Bundler<'_>, file: u32) -> Option<Overlay> {
        let root = bundler.files.get(file).root.clone();
        let errors = bundler.errors.len();
        let is_first = read_version(bundler, &root)?;
        let actions = root.get("actions").and_then(Node::as_array);
        let Some(items) = actions.filter(|items| !items.is_empty()) else {
            let at = root.get("actions").unwrap_or(&root).position;
            let help = "add `actions:` with a list of `{target: …, update: …}`";
            bundler.report_error(at, "/actions", "an overlay needs at least one action", help);
            return None;
        };
        let actions = items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| read_action(bundler, item, index, is_first));
        let actions: Vec<Action> = actions.collect();
        (bundler.errors.len() == errors).then_some(Overlay { actions })
    }
}

/// Reads the version; whether it is 1.0.
fn read_version(bundler: &mut Bundler<'_>, root: &Node) -> Option<bool> {
    let version = root.get("overlay");
    let text = version.and_then(Node::as_str).unwrap_or_default();
    if text.starts_with("1.0.") || text.starts_with("1.1.") {
        return Some(text.starts_with("1.0."));
    }
    let message = match version {
        Some(version) => format!("the overlay version {} is not supported", version.to_json()),
        None => "this is not an overlay: it has no `overlay`".to_owned(),
    };
    let at = version.unwrap_or(root).position;
    bundler.report_error(at, "/overlay", message, "write `overlay: 1.1.0`");
    None
}

fn read_action(
    bundler: &mut Bundler<'_>,
    item: &Node,
    index: usize,
    is_first: bool,
) -> Option<Action> {
    let pointer = format!("/actions/{index}");
    let Some(fields) = item.as_object() else {
        let help = "write `target` and one of `update`, `copy` and `remove`";
        bundler.report_error(item.position, &pointer, "an action must be an object", help);
        return None;
    };
    let known = ["target", "description", "update", "copy", "remove"];
    for (key, member) in fields {
        if !key.starts_with("x-") && !known.contains(&key.as_str()) {
            let message = format!("an action has no field `{key}`");
            let help = format!("write one of {}", known.join(", "));
            let pointer = dropspec_schema::pointer::join(&pointer, key);
            bundler.report_error(member.key_position, &pointer, message, &help);
        }
    }
    let Some(target) = item.get("target") else {
        let help = "add `target`, a JSONPath expression such as `$.paths.*.get`";
        bundler.report_error(item.position, &pointer, "the action has no `target`", help);
        return None;
    };
    let target = read_query(bundler, target, &pointer)?;
    let change = read_change(bundler, item, &pointer, is_first)?;
    Some(Action {
        target,
        change,
        pointer,
    })
}

fn read_change(
    bundler: &mut Bundler<'_>,
    item: &Node,
    pointer: &str,
    is_first: bool,
) -> Option<Change> {
    let remove = item.get("remove").map(|it| (it.as_bool(), it.position));
    let update = item.get("update");
    let copy = item.get("copy");
    let (at, message, help) = match (remove, update, copy) {
        (Some((Some(true), _)), _, _) => return Some(Change::Remove),
        (Some((None, at)), _, _) => {
            let message = "`remove` must be `true` or `false`";
            (at, message, "write `remove: true`")
        }
        (_, Some(_), Some(copy)) => {
            let message = "an action has either `update` or `copy`";
            (copy.position, message, "make two actions of them")
        }
        (_, Some(value), None) => {
            return Some(Change::Update {
                value: value.clone(),
                appends_arrays: is_first,
            });
        }
        (_, None, Some(copy)) if is_first => {
            let message = "`copy` is of Overlay 1.1, and this overlay is 1.0";
            (copy.position, message, "write `overlay: 1.1.0`")
        }
        (_, None, Some(copy)) => return read_query(bundler, copy, pointer).map(Change::Copy),
        (Some(_), None, None) => return Some(Change::Nothing),
        (None, None, None) => {
            let help = "add `update`, `copy` or `remove: true`";
            (item.position, "the action says no change", help)
        }
    };
    bundler.report_error(at, pointer, message, help);
    None
}

fn read_query(bundler: &mut Bundler<'_>, node: &Node, pointer: &str) -> Option<Query> {
    let help = "write it as in RFC 9535, such as `$.paths['/pets'].get`; a key like `x-a` needs brackets: `['x-a']`";
    let Value::String(text) = &node.value else {
        let message = "a JSONPath expression must be a string";
        bundler.report_error(node.position, pointer, message, help);
        return None;
    };
    match JsonPath::parse(text) {
        Ok(path) => Some(Query {
            path,
            text: text.clone(),
            at: node.position,
        }),
        Err(error) => {
            let message = format!("`{text}` is not a JSONPath expression: {}", error.message());
            bundler.report_error(node.position, pointer, message, help);
            None
        }
    }
}
