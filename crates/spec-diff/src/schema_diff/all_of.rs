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
        if removed.is_empty() && self.is_reported(&old, &added, Side::Revision) {
            for member in &added {
                let only_describes = self.only_describes(*member, Side::Revision);
                let edit = Edit::added(lists.0, *member);
                self.report_member(edit, only_describes, Side::Revision);
            }
            let rest = self
                .documents
                .revision
                .set_at_without(revision_root, &added);
            self.replace_sets(self.base_set, rest);
        } else if added.is_empty() && self.is_reported(&new, &removed, Side::Base) {
            for member in &removed {
                let only_describes = is_implied || self.only_describes(*member, Side::Base);
                let edit = Edit::removed(*member, lists.1);
                self.report_member(edit, only_describes, Side::Base);
            }
            let rest = self.documents.base.set_at_without(base_root, &removed);
            self.replace_sets(rest, self.revision_set);
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
        let schemas = self.schemas(side);
        let set = schemas.set_at(member);
        schemas.is_annotation(set)
    }

    pub(super) fn schemas(&mut self, side: Side) -> &mut Schemas<'d> {
        match side {
            Side::Base => self.documents.base,
            Side::Revision => self.documents.revision,
        }
    }

    fn report_member(&mut self, edit: Edit, only_describes: bool, side: Side) {
        let change = match (side, only_describes) {
            (Side::Revision, false) => change!("all-of-added"),
            (Side::Revision, true) => change!("all-of-added-annotation-only"),
            (Side::Base, false) => change!("all-of-removed"),
            (Side::Base, true) => change!("all-of-removed-annotation-only"),
        };
        let what = match side {
            Side::Base => "a schema was removed from `allOf`",
            Side::Revision => "a schema was added to `allOf`",
        };
        self.report(change, edit.item("allOf"), what);
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
