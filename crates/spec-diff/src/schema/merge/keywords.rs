//! Merges the value of one keyword into a schema. Each function returns whether it understands the value.

use std::collections::BTreeSet;

use spec_model::{Node, Value};

use crate::schema::{Bound, Number, Schema};

/// Counts of which the smallest applies.
pub(super) const UPPER: [&str; 3] = ["maxLength", "maxItems", "maxProperties"];
/// Counts of which the largest applies; absent equals 0.
pub(super) const LOWER: [&str; 3] = ["minLength", "minItems", "minProperties"];

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

pub(super) fn merge_count(schema: &mut Schema<'_>, keyword: &'static str, node: &Node) -> bool {
    let Some(value) = node.as_number().and_then(Number::new) else {
        return false;
    };
    let entry = schema.counts.entry(keyword).or_insert(value);
    let is_tighter = if LOWER.contains(&keyword) {
        value > *entry
    } else {
        value < *entry
    };
    if is_tighter {
        *entry = value;
    }
    true
}

/// Merges `minimum` or `maximum`, given its exclusive flag. Of two bounds, the tighter one applies.
pub(super) fn merge_bound(
    bound: &mut Option<Bound>,
    node: &Node,
    exclusive: bool,
    is_tighter: fn(&Number, &Number) -> bool,
) -> bool {
    let Some(value) = node.as_number().and_then(Number::new) else {
        return false;
    };
    let replaces =
        |other: &Bound| is_tighter(&value, &other.value) || (value == other.value && exclusive);
    if bound.as_ref().is_none_or(replaces) {
        *bound = Some(Bound { value, exclusive });
    }
    true
}

/// Merges `exclusiveMinimum` or `exclusiveMaximum`: a number (OpenAPI 3.1), or a flag, which has no effect by itself.
pub(super) fn merge_exclusive(
    bound: &mut Option<Bound>,
    node: &Node,
    is_tighter: fn(&Number, &Number) -> bool,
) -> bool {
    node.as_bool().is_some() || merge_bound(bound, node, true, is_tighter)
}
