//! Whether a value is only read or only written.

use std::collections::HashSet;

use crate::schema::choices;
use crate::tree::{Id, Tree};

/// Whether a node, a schema of its `allOf`, or the only schema beside `null` of its choice has a flag.
pub(super) fn has_flag(tree: &Tree<'_>, node: Id, flag: &str) -> bool {
    let mut waiting = vec![node];
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
