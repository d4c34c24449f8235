//! Edits: what changed, in both documents, and where it stands in each.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Changed,
    Added,
    Removed,
}

/// Where in the revision something would stand that is gone from `holder`: at the first of those that followed it and are
/// still there, or the last of those before it.
pub(super) fn would_stand(base: &Tree<'_>, gone: Id, revision: &Tree<'_>, holder: Id) -> Id {
    let Some(parent) = base.parent(gone) else {
        return holder;
    };
    let still_there = |sibling: &Id| match base.key(*sibling) {
        "" => {
            let text = canonical::text(base.node(*sibling));
            let same = |item: &&Id| canonical::text(revision.node(**item)) == text;
            revision.items(holder).iter().find(same).copied()
        }
        key => revision.get(holder, key),
    };
    let siblings: Vec<Id> = match base.items(parent) {
        [] => base.members(parent).map(|(_, id)| id).collect(),
        items => items.to_vec(),
    };
    let own = siblings
        .iter()
        .position(|id| *id == gone)
        .unwrap_or_default();
    let (before, after) = siblings.split_at(own);
    let after = after.iter().skip(1).find_map(still_there);
    after
        .or_else(|| before.iter().rev().find_map(still_there))
        .unwrap_or(holder)
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

    /// The same place, and what exactly is meant there.
    pub(crate) fn item(mut self, item: impl Into<String>) -> Edit {
        self.item = item.into();
        self
    }
}
