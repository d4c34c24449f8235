//! Whether the nodes of a set allow `null`.

use std::collections::{HashMap, HashSet};

use crate::schema::choices;
use crate::schema::nullable::node_allows_null;
use crate::tree::{Id, Tree};

/// Whether `null` is valid: every node that no other leads to must allow it. By OpenAPI 3.0.3, `nullable` has no meaning
/// without a `type`, but it is common beside an `allOf`, and then applies to the whole.
pub(super) fn allows_null(tree: &Tree<'_>, atoms: &[Id]) -> bool {
    let inner: HashSet<Id> = atoms
        .iter()
        .flat_map(|atom| parts(tree, *atom).into_iter().filter(move |it| it != atom))
        .collect();
    let outer = atoms.iter().filter(|atom| !inner.contains(atom));
    let mut outer: Vec<Id> = outer.copied().collect();
    if outer.is_empty() {
        // A circle of nodes.
        outer = atoms.to_vec();
    }
    let mut known = HashMap::new();
    outer
        .iter()
        .all(|atom| node_allows_null(tree, *atom, &mut known))
}

/// The schemas that apply to the same value as a node.
fn parts(tree: &Tree<'_>, atom: Id) -> Vec<Id> {
    let mut parts = tree.list(atom, "allOf").to_vec();
    parts.extend(choices::find_single(tree, atom));
    parts.into_iter().map(|part| tree.resolve(part)).collect()
}
