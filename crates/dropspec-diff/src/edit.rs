//! Edits: what changed between the two documents, and where.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use dropspec_model::Value;

use crate::canonical;
use crate::rules::RuleId;
use crate::tree::{Id, Tree};

/// An edit of the document. All rules that one edit triggers become one finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Edit {
    /// The node that changed or was removed; for an addition, the node that it was added to.
    pub(crate) base: Id,
    /// The node that changed or was added; for a removal, the node that it was removed from.
    pub(crate) revision: Id,
    pub(crate) kind: EditKind,
    /// Distinguishes edits of one node, such as two values removed from one list.
    pub(crate) item: String,
}

/// A rule that an edit triggers, and what changed.
pub(crate) struct RuleMatch {
    pub(crate) rule: RuleId,
    pub(crate) edit: Edit,
    pub(crate) message: String,
    /// Whether it is proved that no value that is sent becomes invalid.
    pub(crate) harmless: bool,
}

impl RuleMatch {
    /// Lowers a break to an info.
    pub(crate) fn lower(&mut self) {
        self.harmless = true;
        self.message
            .push_str("; no value that is sent becomes invalid");
    }
}

/// Whether a node changed, was added or was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum EditKind {
    Changed,
    Added,
    Removed,
}

/// An edit by the pointers of its nodes, in the terms of OpenAPI 3.0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EditedNodes {
    pub(crate) base: String,
    pub(crate) revision: String,
    pub(crate) kind: EditKind,
}

impl EditedNodes {
    /// The edit that leads from the revision to the base.
    pub(crate) fn reversed(&self) -> EditedNodes {
        EditedNodes {
            base: self.revision.clone(),
            revision: self.base.clone(),
            kind: match self.kind {
                EditKind::Changed => EditKind::Changed,
                EditKind::Added => EditKind::Removed,
                EditKind::Removed => EditKind::Added,
            },
        }
    }
}

/// What makes two edits the same edit: the nodes that changed and the item.
///
/// The node that something was added to or removed from does not count. It depends on how the comparison reached the
/// edit: a schema can be used directly and in an `allOf`.
pub(crate) type EditKey<'e> = (Option<Id>, Option<Id>, &'e str);

impl Edit {
    pub(crate) fn changed(base: Id, revision: Id) -> Edit {
        Edit::new(EditKind::Changed, base, revision)
    }

    /// `revision` was added to `base`.
    pub(crate) fn added(base: Id, revision: Id) -> Edit {
        Edit::new(EditKind::Added, base, revision)
    }

    /// `base` was removed from `revision`.
    pub(crate) fn removed(base: Id, revision: Id) -> Edit {
        Edit::new(EditKind::Removed, base, revision)
    }

    /// The edit of a node that either document has. `parents` are the nodes around it, in both documents; where neither
    /// has the node, they are what changed.
    pub(crate) fn between(base: Option<Id>, revision: Option<Id>, parents: (Id, Id)) -> Edit {
        match (base, revision) {
            (Some(base), Some(revision)) => Edit::changed(base, revision),
            (Some(base), None) => Edit::removed(base, parents.1),
            (None, Some(revision)) => Edit::added(parents.0, revision),
            (None, None) => Edit::changed(parents.0, parents.1),
        }
    }

    fn new(kind: EditKind, base: Id, revision: Id) -> Edit {
        let item = String::new();
        Edit {
            base,
            revision,
            kind,
            item,
        }
    }

    /// Sets the item.
    pub(crate) fn item(mut self, item: impl Into<String>) -> Edit {
        self.item = item.into();
        self
    }

    /// The values in both documents. They distinguish acknowledgements of different values.
    pub(crate) fn values(
        &self,
        (base, revision): (&Tree<'_>, &Tree<'_>),
        rule: RuleId,
    ) -> [Option<String>; 2] {
        let old = Some(self.base).filter(|_| self.kind != EditKind::Added);
        let new = Some(self.revision).filter(|_| self.kind != EditKind::Removed);
        [
            old.and_then(|id| edited_value(base, id, &self.item, rule)),
            new.and_then(|id| edited_value(revision, id, &self.item, rule)),
        ]
    }

    pub(crate) fn key(&self) -> EditKey<'_> {
        (
            Some(self.base).filter(|_| self.kind != EditKind::Added),
            Some(self.revision).filter(|_| self.kind != EditKind::Removed),
            &self.item,
        )
    }
}

/// The ends of rules about schemas inside which nothing is compared.
const CONDITIONS: [&str; 6] = [
    "-constraint-added",
    "-constraint-changed",
    "-constraint-removed",
    "-not-added",
    "-not-changed",
    "-not-removed",
];

/// Keywords that say more of what a condition demands.
const WITH_CONDITION: [&str; 4] = ["then", "else", "minContains", "maxContains"];

/// The value of a node that changed, was added or was removed. None for an array or an object, because other edits may
/// change it, unless it is a condition.
fn edited_value(tree: &Tree<'_>, id: Id, item: &str, rule: RuleId) -> Option<String> {
    let node = tree.node(id);
    if !matches!(node.value, Value::Object(_) | Value::Array(_)) {
        return Some(node.to_json().to_string());
    }
    if !CONDITIONS.iter().any(|end| rule.as_str().ends_with(end)) {
        return None;
    }
    let keyword = tree.key(id);
    let name = item.strip_prefix(keyword);
    let name = name.and_then(|name| name.strip_prefix('/'));
    let member = name.and_then(|name| tree.get(id, name));
    let parent = tree
        .parent(id)
        .filter(|_| ["if", "contains"].contains(&keyword));
    let beside = parent
        .into_iter()
        .flat_map(|parent| WITH_CONDITION.map(|it| tree.get(parent, it)));
    let parts = std::iter::once(member.unwrap_or(id)).chain(beside.flatten());
    Some(parts.map(|id| canonical::to_text(tree.node(id))).collect())
}

/// How many siblings are looked up on each side of a removed node.
const NEIGHBOURS: usize = 16;

/// Finds where in the revision a removed node was: the item of a list that has its place now; otherwise the first remaining
/// sibling after it, or the last one before it, or the node that it was removed from.
pub(crate) fn locate_removed(base: &Tree<'_>, revision: &Tree<'_>, edit: &Edit) -> Id {
    let holder = edit.revision;
    let Some(parent) = base.parent(edit.base) else {
        return holder;
    };
    let index = base.index(edit.base);
    if let Value::Array(_) = base.node(parent).value {
        let items = revision.items(holder);
        return *items.get(index).or(items.last()).unwrap_or(&holder);
    }
    let (before, after) = base.children(parent).split_at(index);
    let after = after.iter().skip(1).take(NEIGHBOURS);
    let mut near = after.chain(before.iter().rev().take(NEIGHBOURS));
    let remaining = near.find_map(|id| revision.get(holder, base.key(*id)));
    remaining.unwrap_or(holder)
}

/// Pairs the entries of two maps by key: first the entries of `old`, then those that only `new` has.
pub(crate) fn outer_join<'m, K: Ord, V: Copy>(
    old: &'m BTreeMap<K, V>,
    new: &'m BTreeMap<K, V>,
) -> impl Iterator<Item = (&'m K, Option<V>, Option<V>)> {
    let in_old = old
        .iter()
        .map(|(key, a)| (key, Some(*a), new.get(key).copied()));
    let only_new = new.iter().filter(|(key, _)| !old.contains_key(*key));
    in_old.chain(only_new.map(|(key, b)| (key, None, Some(*b))))
}

/// Takes items that match out of two lists, each with the first match that remains.
pub(crate) fn take_matches<A, B>(
    old: &mut Vec<A>,
    new: &mut Vec<B>,
    is_match: impl FnMut(&A, &B) -> bool,
) -> Vec<(A, B)> {
    take_matches_by((old, new), (|_: &A| 0, |_: &B| 0), is_match)
}

/// As [`take_matches`], of lists that can be long: items of different keys do not match.
pub(crate) fn take_matches_by<A, B>(
    (old, new): (&mut Vec<A>, &mut Vec<B>),
    (mut old_key, mut new_key): (impl FnMut(&A) -> u64, impl FnMut(&B) -> u64),
    mut is_match: impl FnMut(&A, &B) -> bool,
) -> Vec<(A, B)> {
    let mut by_key: HashMap<u64, VecDeque<(usize, B)>> = HashMap::new();
    for (index, b) in new.drain(..).enumerate() {
        by_key.entry(new_key(&b)).or_default().push_back((index, b));
    }
    let mut counterparts = Vec::new();
    let matched = old.extract_if(.., |a| {
        let alike = by_key.entry(old_key(a)).or_default();
        let counterpart = alike.iter().position(|(_, b)| is_match(a, b));
        let counterpart = counterpart.and_then(|index| alike.remove(index));
        let is_found = counterpart.is_some();
        counterparts.extend(counterpart.map(|(_, b)| b));
        is_found
    });
    let matched: Vec<A> = matched.collect();
    let mut others: Vec<(usize, B)> = by_key.into_values().flatten().collect();
    others.sort_by_key(|(index, _)| *index);
    new.extend(others.into_iter().map(|(_, b)| b));
    matched.into_iter().zip(counterparts).collect()
}

/// Takes pairs out of two lists, those with the least distance first. Items without a distance are not paired.
pub(crate) fn take_closest<A: Copy, B: Copy, D: Ord>(
    old: &mut Vec<A>,
    new: &mut Vec<B>,
    mut distance: impl FnMut(A, B) -> Option<D>,
) -> Vec<(A, B)> {
    let mut found = Vec::new();
    for (i, a) in old.iter().enumerate() {
        for (j, b) in new.iter().enumerate() {
            found.extend(distance(*a, *b).map(|distance| (distance, i, j)));
        }
    }
    found.sort();
    let (mut taken_old, mut taken_new) = (BTreeSet::new(), BTreeSet::new());
    found.retain(|(_, i, j)| {
        let is_free = !taken_old.contains(i) && !taken_new.contains(j);
        is_free && taken_old.insert(*i) && taken_new.insert(*j)
    });
    let pairs = found.iter().map(|(_, i, j)| (old[*i], new[*j])).collect();
    let (mut i, mut j) = (0.., 0..);
    old.retain(|_| i.next().is_none_or(|i| !taken_old.contains(&i)));
    new.retain(|_| j.next().is_none_or(|j| !taken_new.contains(&j)));
    pairs
}
