//! `allOf`: what its members mean together is compared as one schema. Here stands what is said when a member comes or goes
//! and the rest stays as it was.

use super::Pair;
use crate::finding::Side;
use crate::schema::{Aspect, Schemas};
use crate::session::Edit;
use crate::tree::Id;

impl Pair<'_, '_> {
    /// If all that happened to an `allOf` is that members came or went, that is what is said, and the comparison goes on
    /// without them. Any other rearrangement means what the schemas together mean.
    pub(super) fn all_of(&mut self) {
        let (base, revision) = (self.base_site(), self.revision_site());
        let Some((base_root, revision_root)) = self.roots() else {
            return;
        };
        let old = members(&self.session.base, base_root);
        let new = members(&self.session.revision, revision_root);
        if old.is_empty() && new.is_empty() {
            return;
        }
        let own_base = own_keywords(&self.session.base, base_root);
        if own_base != own_keywords(&self.session.revision, revision_root) {
            return;
        }
        let old = digests(&mut self.session.base, &old);
        let new = digests(&mut self.session.revision, &new);
        let (gone, come) = (difference(&old, &new), difference(&new, &old));
        match (gone.is_empty(), come.is_empty()) {
            (true, false) if self.is_worth_telling(&old, &come, Side::Revision) => {
                let list = self.base.keyword("allOf", base);
                for member in &come {
                    self.all_of_member("all-of-added", Edit::added(list, *member), Side::Revision);
                }
                let rest = self.session.revision.at_without(revision_root, &come);
                self.narrow(self.base_set, rest);
            }
            (false, true) if self.is_worth_telling(&new, &gone, Side::Base) => {
                let list = self.revision.keyword("allOf", revision);
                for member in &gone {
                    self.all_of_member("all-of-removed", Edit::removed(*member, list), Side::Base);
                }
                let rest = self.session.base.at_without(base_root, &gone);
                self.narrow(rest, self.revision_set);
            }
            _ => {}
        }
    }

    /// A member beside others, one that changes the meaning, or one that only describes; what is left is a schema that
    /// was written in place and now stands in an `allOf`.
    fn is_worth_telling(&mut self, kept: &[(u64, Id)], moved: &[Id], side: Side) -> bool {
        let meaning = |pair: &mut Self| {
            let base = pair.session.base.digest(pair.base_set, Aspect::Wire);
            base != pair
                .session
                .revision
                .digest(pair.revision_set, Aspect::Wire)
        };
        let describing = moved.iter().all(|member| self.describes(*member, side));
        !kept.is_empty() || describing || meaning(self)
    }

    fn describes(&mut self, member: Id, side: Side) -> bool {
        let schemas = match side {
            Side::Base => &mut self.session.base,
            Side::Revision => &mut self.session.revision,
        };
        let set = schemas.at(member);
        schemas.is_annotation(set)
    }

    fn all_of_member(&mut self, change: &str, edit: Edit, side: Side) {
        let member = match side {
            Side::Base => edit.base,
            Side::Revision => edit.revision,
        };
        let suffix = match self.describes(member, side) {
            true => "-annotation-only",
            false => "",
        };
        let what = match side {
            Side::Base => "`allOf` has one schema less",
            Side::Revision => "`allOf` has one schema more",
        };
        self.report(&format!("{change}{suffix}"), edit.item("allOf"), what);
    }

    /// The nodes with the `allOf`s, if each set comes from one node.
    fn roots(&self) -> Option<(Id, Id)> {
        let base = self.session.base.root(self.base_set)?;
        let revision = self.session.revision.root(self.revision_set)?;
        Some((base, revision))
    }
}

fn members(schemas: &Schemas<'_>, root: Id) -> Vec<Id> {
    schemas.tree.list(root, "allOf").to_vec()
}

/// What a node says beside its `allOf`, as it is written.
fn own_keywords(schemas: &Schemas<'_>, root: Id) -> Vec<(String, String)> {
    let mut own: Vec<(String, String)> = schemas
        .tree
        .members(root)
        .filter(|(keyword, _)| *keyword != "allOf")
        .map(|(keyword, id)| {
            let text = crate::canonical::text(schemas.tree.node(id));
            (keyword.to_owned(), text)
        })
        .collect();
    own.sort_unstable();
    own
}

fn digests(schemas: &mut Schemas<'_>, members: &[Id]) -> Vec<(u64, Id)> {
    members
        .iter()
        .map(|member| {
            let set = schemas.at(*member);
            (schemas.digest(set, Aspect::Everything), *member)
        })
        .collect()
}

/// The members of `all` that have no partner in `others`.
fn difference(all: &[(u64, Id)], others: &[(u64, Id)]) -> Vec<Id> {
    let mut left: Vec<u64> = others.iter().map(|(digest, _)| *digest).collect();
    let mut without = Vec::new();
    for (digest, id) in all {
        match left.iter().position(|other| other == digest) {
            Some(index) => {
                left.swap_remove(index);
            }
            None => without.push(*id),
        }
    }
    without
}
