//! Edits: what changed, in both documents, and where it stands in each.

use std::collections::HashMap;

use crate::canonical;
use crate::tree::{Id, Tree};

/// An edit of the documents. What happens at one edit becomes one finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Edit {
    /// What changed, or for something new what it was put into.
    pub(crate) base: Id,
    /// What changed, or for something gone what it was taken from.
    pub(crate) revision: Id,
    pub(crate) sort: Sort,
    /// Tells edits apart that stand at one place, such as two values removed from one list.
    pub(crate) item: String,
}

/// Where an edit was made, in the documents that show it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct EditPlace {
    base: Option<Id>,
    revision: Option<Id>,
    item: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Changed,
    Added,
    Removed,
}

/// The items of lists of the revision by what they say, so that each list is read once.
#[derive(Default)]
pub(super) struct Siblings(HashMap<Id, HashMap<u64, Id>>);

/// How many neighbours are asked on each side.
const NEIGHBOURS: usize = 16;

impl Siblings {
    /// Where in the revision something would stand that is gone: at the first of those that followed it and are still
    /// there, or the last of those before it.
    pub(super) fn would_stand(&mut self, base: &Tree<'_>, revision: &Tree<'_>, edit: &Edit) -> Id {
        let holder = edit.revision;
        let Some(parent) = base.parent(edit.base) else {
            return holder;
        };
        let still_there = |sibling: &Id| match base.key(*sibling) {
            "" => self.item(base, *sibling, revision, holder),
            key => revision.get(holder, key),
        };
        let siblings: Vec<Id> = match base.items(parent) {
            [] => base.members(parent).map(|(_, id)| id).collect(),
            items => items.to_vec(),
        };
        let own = siblings.iter().position(|id| *id == edit.base);
        let (before, after) = siblings.split_at(own.unwrap_or_default());
        let after = after.iter().skip(1).take(NEIGHBOURS);
        let before = before.iter().rev().take(NEIGHBOURS);
        after.chain(before).find_map(still_there).unwrap_or(holder)
    }

    fn item(&mut self, base: &Tree<'_>, id: Id, revision: &Tree<'_>, list: Id) -> Option<Id> {
        let says = |tree: &Tree<'_>, id: Id| canonical::hash(&canonical::text(tree.node(id)));
        let items = self.0.entry(list).or_insert_with(|| {
            let items = revision.items(list).iter().rev();
            items.map(|item| (says(revision, *item), *item)).collect()
        });
        items.get(&says(base, id)).copied()
    }
}

impl Edit {
    pub(crate) fn changed(base: Id, revision: Id) -> Edit {
        Edit::new(Sort::Changed, base, revision)
    }

    /// `revision` is new in `base`.
    pub(crate) fn added(base: Id, revision: Id) -> Edit {
        Edit::new(Sort::Added, base, revision)
    }

    /// `base` is gone from `revision`.
    pub(crate) fn removed(base: Id, revision: Id) -> Edit {
        Edit::new(Sort::Removed, base, revision)
    }

    fn new(sort: Sort, base: Id, revision: Id) -> Edit {
        let item = String::new();
        Edit {
            base,
            revision,
            sort,
            item,
        }
    }

    /// What makes two edits one. What something new was put into, or something gone was taken from, differs with the
    /// way that led there: a schema stands by itself, and in an `allOf`.
    pub(super) fn place(&self) -> EditPlace {
        let (base, revision) = match self.sort {
            Sort::Changed => (Some(self.base), Some(self.revision)),
            Sort::Added => (None, Some(self.revision)),
            Sort::Removed => (Some(self.base), None),
        };
        EditPlace {
            base,
            revision,
            item: self.item.clone(),
        }
    }

    /// The same place, and what exactly is meant there.
    pub(crate) fn item(mut self, item: impl Into<String>) -> Edit {
        self.item = item.into();
        self
    }
}
