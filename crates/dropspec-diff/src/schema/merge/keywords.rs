//! Merges the value of one keyword into a schema. Each function returns whether it understands the value.

use std::collections::BTreeSet;

use dropspec_model::{Node, Value};

use crate::schema::{Bound, Number, Schema};

/// The limits of numbers, and of lengths and counts.
pub(super) const LIMITS: [&str; 8] = [
    "maximum",
    "minimum",
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "maxProperties",
    "minProperties",
];

pub(super) fn merge_flag(node: &Node, value: &mut bool) -> bool {
    match node.as_bool() {
        Some(truth) => {
            *value |= truth;
            true
        }
        None => false,
    }
}

/// An empty pattern matches everything, and an empty format is none.
pub(super) fn merge_text<'d>(texts: &mut BTreeSet<&'d str>, node: &'d Node) -> bool {
    texts.extend(node.as_str().filter(|text| !text.is_empty()));
    node.as_str().is_some()
}

pub(super) fn merge_types<'d>(schema: &mut Schema<'d>, node: &'d Node) -> bool {
    let own: Option<BTreeSet<&str>> = match &node.value {
        Value::String(name) => Some([name.as_str()].into()),
        Value::Array(items) => items.iter().map(Node::as_str).collect(),
        _ => None,
    };
    let Some(mut own) = own else {
        return false;
    };
    // OpenAPI 3.1 writes `nullable` as a type.
    if own.len() > 1 {
        own.remove("null");
    }
    schema.types = Some(match schema.types.take() {
        Some(others) => intersection(&others, &own),
        None => own,
    });
    true
}

/// The types in both sets; `integer` is a `number`.
fn intersection<'d>(a: &BTreeSet<&'d str>, b: &BTreeSet<&'d str>) -> BTreeSet<&'d str> {
    let covers = |types: &BTreeSet<&str>, name: &str| {
        types.contains(name) || (name == "integer" && types.contains("number"))
    };
    a.iter()
        .chain(b)
        .copied()
        .filter(|name| covers(a, name) && covers(b, name))
        .collect()
}

/// Merges a limit, such as `maximum` or `minItems`. Of two, the tighter one applies.
pub(super) fn merge_limit(
    schema: &mut Schema<'_>,
    keyword: &'static str,
    node: &Node,
    exclusive: bool,
) -> bool {
    let Some(value) = node.as_number().and_then(Number::new) else {
        return false;
    };
    schema.tighten(keyword, Bound { value, exclusive });
    true
}
