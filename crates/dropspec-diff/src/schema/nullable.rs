//! Whether nodes allow `null`, and whether their values are only read or only written.

use std::collections::HashSet;

use super::choices;
use super::null_keywords::{Way, node_allows_null};
use crate::tree::{Id, Tree};

/// Whether the nodes of a set together allow `null`: every node that no other leads to must. By OpenAPI 3.0.3, `nullable` has no
/// meaning without a `type`, but it is common beside an `allOf`, and then applies to the whole.
pub(super) fn allows_null(tree: &Tree<'_>, atoms: &[Id]) -> bool {
    let inner = atoms.iter().flat_map(|atom| {
        let mut parts = tree.list(*atom, "allOf").to_vec();
        parts.extend(choices::find_single(tree, *atom));
        let parts = parts.into_iter().map(|part| tree.resolve(part));
        parts.filter(move |part| part != atom)
    });
    let inner: HashSet<Id> = inner.collect();
    // Of a circle, all nodes.
    let is_circle = atoms.iter().all(|atom| inner.contains(atom));
    let mut outer = atoms
        .iter()
        .filter(|atom| is_circle || !inner.contains(atom));
    let mut way = Way::default();
    outer.all(|atom| node_allows_null(tree, *atom, &mut way))
}

/// Whether a node, a schema of its `allOf`, or the only schema beside `null` of its choice has a flag.
pub(super) fn has_flag(tree: &Tree<'_>, nodes: &[Id], flag: &str) -> bool {
    let mut waiting = nodes.to_vec();
    let mut met = HashSet::new();
    while let Some(node) = waiting.pop() {
        let node = tree.resolve(node);
        if !met.insert(node) {
            continue;
        }
        if tree.flag(node, flag) {
            return true;
        }
        waiting.extend(tree.list(node, "allOf"));
        for keyword in choices::KEYWORDS {
            let members = tree.list(node, keyword).iter();
            let mut others = members.filter(|it| !choices::accepts_only_null(tree, **it));
            if let (Some(only), None) = (others.next(), others.next()) {
                waiting.push(*only);
            }
        }
    }
    false
}
