//! What the keywords of a node say about `null`.

use std::collections::HashMap;

use crate::tree::{Id, Tree};

/// The nodes in circles that were decided, and those on the way. What is decided of them depends on where the way began.
#[derive(Default)]
pub(super) struct Way {
    known: HashMap<Id, bool>,
    is_circle: bool,
}

/// Decides by all keywords that say something about `null`.
pub(super) fn node_allows_null(tree: &Tree<'_>, node: Id, way: &mut Way) -> bool {
    let node = tree.resolve(node);
    if let Some(allows) = tree.null_allowed.borrow().get(&node) {
        return *allows;
    }
    if let Some(allows) = way.known.get(&node) {
        way.is_circle = true;
        return *allows;
    }
    // A node that leads back to itself adds nothing.
    way.known.insert(node, true);
    let before = std::mem::take(&mut way.is_circle);
    let own = own_keywords_allow_null(tree, node);
    let allows =
        own == Own::Allows || (own == Own::LeavesOpen && parts_allow_null(tree, node, way));
    way.known.insert(node, allows);
    if !way.is_circle {
        tree.null_allowed.borrow_mut().insert(node, allows);
    }
    way.is_circle |= before;
    allows
}

/// Whether a node describes `null` alone, by an `enum`. Its type means nothing: OpenAPI 3.0 has none for it, and dropshot writes
/// `string`. In 3.1 another type excludes `null`, unless it is one of several.
pub(super) fn is_schema_of_null(tree: &Tree<'_>, node: Id) -> bool {
    let values = tree.list(node, "enum");
    let type_allows_null = !tree.document().uses_json_schema() || tree.flag(node, "nullable");
    type_allows_null && matches!(values, [only] if is_null(tree, *only))
}

/// What `nullable`, `type` and `enum` of a node say about `null`.
#[derive(PartialEq)]
enum Own {
    /// It is valid whatever stands beside them.
    Allows,
    LeavesOpen,
    Forbids,
}

fn own_keywords_allow_null(tree: &Tree<'_>, node: Id) -> Own {
    let is_nullable = tree.flag(node, "nullable");
    let is_newer = tree.document().uses_json_schema();
    let values = tree.list(node, "enum");
    let lists_null = values.iter().any(|value| is_null(tree, *value));
    // In 3.1 it comes from a list of types, and what is beside it has a say, too. In 3.0 only an `enum` has.
    if is_nullable && !is_newer && (values.is_empty() || lists_null) {
        return Own::Allows;
    }
    let names_null = |name: &Id| tree.node(*name).as_str() == Some("null");
    let by_type = is_nullable
        || tree
            .get(node, "type")
            .is_none_or(|types| names_null(&types))
        || tree.list(node, "type").iter().any(names_null)
        || is_schema_of_null(tree, node);
    if by_type && (values.is_empty() || lists_null) {
        Own::LeavesOpen
    } else {
        Own::Forbids
    }
}

/// Whether the schemas for the same value inside a node allow `null`.
fn parts_allow_null(tree: &Tree<'_>, node: Id, way: &mut Way) -> bool {
    let mut allows = |part: Id| node_allows_null(tree, part, way);
    let mut count = |keyword: &str| {
        let members = tree.list(node, keyword);
        let allowing = members.iter().filter(|member| allows(**member)).count();
        (allowing, members.len())
    };
    let (all, any, one) = (count("allOf"), count("anyOf"), count("oneOf"));
    let by_condition = match tree.get(node, "if").map(&mut allows) {
        Some(true) => tree.get(node, "then").is_none_or(&mut allows),
        Some(false) => tree.get(node, "else").is_none_or(&mut allows),
        None => true,
    };
    all.0 == all.1
        && (any.0 > 0 || any.1 == 0)
        && (one.0 == 1 || one.1 == 0)
        && by_condition
        && !tree.get(node, "not").is_some_and(allows)
}

fn is_null(tree: &Tree<'_>, value: Id) -> bool {
    tree.node(value).value == dropspec_model::Value::Null
}
