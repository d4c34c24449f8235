//! Compares the members of `allOf`. Otherwise an `allOf` is compared as one merged schema.

use std::collections::BTreeMap;

use super::SchemaPair;
use crate::edit::{Edit, take_matches};
use crate::finding::Side;
use crate::rules::change;
use crate::schema::{Aspect, Schemas};
use crate::tree::Id;

impl<'d> SchemaPair<'_, 'd> {
    /// If members were only added to an `allOf` or only removed from it, and nothing else changed, reports them and
    /// continues without them.
    pub(super) fn compare_all_of(&mut self) {
        let base = self.documents.base.root(self.base_set);
        let revision = self.documents.revision.root(self.revision_set);
        let (Some(base_root), Some(revision_root)) = (base, revision) else {
            return;
        };
        let has_members =
            |schemas: &Schemas<'_>, root| !schemas.tree.list(root, "allOf").is_empty();
        if !has_members(self.documents.base, base_root)
            && !has_members(self.documents.revision, revision_root)
        {
            return;
        }
        let own_base = other_keywords(self.documents.base, base_root);
        if own_base != other_keywords(self.documents.revision, revision_root) {
            return;
        }
        let old = digest_members(self.documents.base, base_root);
        let new = digest_members(self.documents.revision, revision_root);
        let (mut removed, mut added) = (old.clone(), new.clone());
        take_matches(&mut removed, &mut added, |(a, _), (b, _)| a == b);
        let [removed, added] = [removed, added]
            .map(|members| -> Vec<Id> { members.into_iter().map(|(_, member)| member).collect() });
        let lists = self.keyword_nodes("allOf");
        // In a response, a member that other members imply was no promise of its own.
        let is_implied = !self.context.role.is_request() && self.accept_the_same();
        let (side, kept, changed) = match (removed.is_empty(), added.is_empty()) {
            (true, false) => (Side::Revision, old, added),
            (false, true) => (Side::Base, new, removed),
            _ => return,
        };
        if !self.is_reported(&kept, &changed, side) {
            return;
        }
        for member in &changed {
            let only_describes =
                side == Side::Base && is_implied || self.only_describes(*member, side);
            let (edit, changes, what) = match side {
                Side::Revision => {
                    let all_of = change!("all-of-added");
                    let annotation = change!("all-of-added-annotation-only");
                    (
                        Edit::added(lists.0, *member),
                        [all_of, annotation],
                        "added to",
                    )
                }
                Side::Base => {
                    let all_of = change!("all-of-removed");
                    let annotation = change!("all-of-removed-annotation-only");
                    (
                        Edit::removed(*member, lists.1),
                        [all_of, annotation],
                        "removed from",
                    )
                }
            };
            let change = changes[usize::from(only_describes)];
            let what = format!("a schema was {what} `allOf`");
            self.report(change, edit.item("allOf"), &what);
        }
        let root = match side {
            Side::Base => base_root,
            Side::Revision => revision_root,
        };
        let rest = self
            .schemas_of_document(side)
            .set_at_without(root, &changed);
        match side {
            Side::Base => self.replace_sets(rest, self.revision_set),
            Side::Revision => self.replace_sets(self.base_set, rest),
        }
    }

    /// Whether the members are reported: members beside others, members that change which values are valid, and members
    /// that only describe. Otherwise a schema was only wrapped in an `allOf`, or unwrapped.
    fn is_reported(&mut self, kept: &[(u64, Id)], changed: &[Id], side: Side) -> bool {
        if changed.is_empty() {
            return false;
        }
        let only_describe = changed
            .iter()
            .all(|member| self.only_describes(*member, side));
        !kept.is_empty() || only_describe || !self.accept_the_same()
    }

    fn accept_the_same(&mut self) -> bool {
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        let digest = base.digest(self.base_set, Aspect::Validity);
        digest == revision.digest(self.revision_set, Aspect::Validity)
    }

    fn only_describes(&mut self, member: Id, side: Side) -> bool {
        let schemas = self.schemas_of_document(side);
        let set = schemas.set_at(member);
        schemas.is_annotation(set)
    }
}

/// The keywords of a node except `allOf`, as text.
fn other_keywords<'d>(schemas: &Schemas<'d>, root: Id) -> BTreeMap<&'d str, String> {
    let members = schemas.tree.members(root);
    members
        .filter(|(keyword, _)| *keyword != "allOf")
        .map(|(keyword, id)| (keyword, crate::canonical::to_text(schemas.tree.node(id))))
        .collect()
}

/// The members of `allOf` with their digests.
fn digest_members(schemas: &mut Schemas<'_>, root: Id) -> Vec<(u64, Id)> {
    let members = schemas.tree.list(root, "allOf").to_vec();
    members
        .into_iter()
        .map(|member| {
            let set = schemas.set_at(member);
            (schemas.digest(set, Aspect::Everything), member)
        })
        .collect()
}
