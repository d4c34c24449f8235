//! The entries of two maps or lists, paired by their names.

use std::collections::BTreeMap;

use crate::canonical;
use crate::edit::{Edit, EditKind, outer_join};
use crate::rules::RuleId;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// A node of the base and one of the revision.
pub(super) type Pair = (Id, Id);

/// The outermost nodes.
pub(super) const ROOTS: Pair = (Id::ROOT, Id::ROOT);

/// An entry that either document has.
pub(super) struct Entry {
    pub(super) name: String,
    /// Its addition or removal; an edit of both nodes if both documents have it.
    pub(super) edit: Edit,
}

impl Entry {
    /// The nodes, if both documents have it.
    pub(super) fn pair(&self) -> Option<Pair> {
        let Edit { base, revision, .. } = self.edit;
        (self.edit.kind == EditKind::Changed).then_some((base, revision))
    }
}

/// The entries of two maps, whose nodes are `parents`.
pub(super) fn pair_up(
    parents: Pair,
    (old, new): (BTreeMap<String, Id>, BTreeMap<String, Id>),
) -> Vec<Entry> {
    let joined = outer_join(&old, &new).map(|(name, base, revision)| Entry {
        name: name.clone(),
        edit: Edit::between(base, revision, parents),
    });
    joined.collect()
}

impl<'d> Session<'d> {
    /// Reads something of both documents.
    pub(super) fn both<T>(&self, pair: Pair, read: impl Fn(&Tree<'d>, Id) -> T) -> (T, T) {
        let (base, revision) = pair;
        (
            read(&self.base.tree, base),
            read(&self.revision.tree, revision),
        )
    }

    /// Whether the values of the nodes differ, `$ref`s not followed.
    pub(super) fn texts_differ(&self, pair: Pair) -> bool {
        let (old, new) = self.both(pair, |tree, id| canonical::to_text(tree.node(id)));
        old != new
    }

    /// The entries of the map or list `key`, by the names that `read` gives them.
    pub(super) fn entries(
        &self,
        pair: Pair,
        key: &str,
        read: impl Fn(&Tree<'d>, Id) -> BTreeMap<String, Id>,
    ) -> Vec<Entry> {
        pair_up(self.containers(pair.0, pair.1, key), self.both(pair, read))
    }

    /// The members of the object `key`.
    pub(super) fn members(&self, pair: Pair, key: &str) -> Vec<Entry> {
        self.entries(pair, key, |tree, id| {
            let members = tree.members_of(id, key);
            members.map(|(name, id)| (name.to_owned(), id)).collect()
        })
    }

    /// Reports an entry that was added or removed by `rules`; by `changed` if it was edited in any way.
    pub(super) fn report_entry(
        &mut self,
        entry: Entry,
        rules: [RuleId; 2],
        changed: RuleId,
        subject: &str,
    ) {
        match entry.pair() {
            Some(pair) if self.texts_differ(pair) => {
                self.report(changed, entry.edit, format!("{subject} changed"));
            }
            _ => self.report_presence(rules, entry.edit, subject),
        }
    }
}
