//! Compares `oneOf`, `anyOf` and `not`, in any order of their members.

use std::collections::HashMap;

use super::{Presence, SchemaPair};
use crate::edit::{Edit, take_matches};
use crate::rules::{Change, change};
use crate::schema::{Aspect, Choice, ChoiceKind, Schema, Schemas, SetId, same_schema};
use crate::tree::Id;

/// The changes of `oneOf` or `anyOf`.
struct ChoiceChanges {
    keyword: &'static str,
    introduced: Change,
    lifted: Change,
    added: Change,
    removed: Change,
}

/// The changes of a keyword whose rules have a name, such as `one-of-added`.
macro_rules! choice_changes {
    ($keyword:literal, $name:literal) => {
        &ChoiceChanges {
            keyword: $keyword,
            introduced: change!(concat!($name, "-introduced")),
            lifted: change!(concat!($name, "-lifted")),
            added: change!(concat!($name, "-added")),
            removed: change!(concat!($name, "-removed")),
        }
    };
}

impl ChoiceChanges {
    fn for_kind(kind: ChoiceKind) -> &'static ChoiceChanges {
        match kind {
            ChoiceKind::OneOf => choice_changes!("oneOf", "one-of"),
            ChoiceKind::AnyOf => choice_changes!("anyOf", "any-of"),
        }
    }
}

impl SchemaPair<'_, '_> {
    /// Reports an object that became a choice between objects, as one edit; returns whether it did.
    pub(super) fn compare_wrapping(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let was_object = !base.properties.is_empty() && !base.is_composed();
        let is_choice = !revision.one_of.is_empty() && revision.properties.is_empty();
        let schemas = &mut *self.documents.revision;
        let mut members = revision.one_of.iter().flatten();
        let wrapped = was_object
            && is_choice
            && members.all(|member| !schemas.get(*member).properties.is_empty());
        if wrapped {
            let edit = Edit::changed(self.base_site(), self.keyword_nodes("oneOf").1);
            let what = "the object became a choice between objects";
            self.report(change!("wrapped-in-one-of"), edit.item("oneOf"), what);
        }
        wrapped
    }

    /// Where one document has a choice and the other one a choice of one schema, continues with the latter as a choice.
    pub(super) fn keep_choices(&mut self) {
        let (was, is) = (self.base.is_composed(), self.revision.is_composed());
        if was == is {
            return;
        }
        let kinds = |schema: &Schema<'_>| (schema.one_of.is_empty(), schema.any_of.is_empty());
        let (mut base, mut revision) = (self.base_set, self.revision_set);
        let kept = if was {
            self.documents.revision.keep_choices(revision)
        } else {
            self.documents.base.keep_choices(base)
        };
        let Some(kept) = kept else {
            return;
        };
        if was {
            revision = kept
        } else {
            base = kept
        }
        let old = kinds(&self.documents.base.get(base));
        if old == kinds(&self.documents.revision.get(revision)) {
            self.replace_sets(base, revision);
        }
    }

    pub(super) fn compare_choices(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        self.compare_lists(ChoiceKind::OneOf, &base.one_of, &revision.one_of);
        self.compare_lists(ChoiceKind::AnyOf, &base.any_of, &revision.any_of);
    }

    /// Compares lists that apply together. Lists of equal meaning are equal; the others are paired in their order.
    fn compare_lists(&mut self, kind: ChoiceKind, old: &[Choice], new: &[Choice]) {
        let members = |choices: &[Choice], index: usize| -> Choice {
            choices.get(index).cloned().unwrap_or_default()
        };
        // The most common case needs no order.
        if kind == ChoiceKind::OneOf && old.len() <= 1 && new.len() <= 1 {
            self.compare_choice(kind, 0, &members(old, 0), &members(new, 0));
            return;
        }
        let aspect = Aspect::Everything;
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        let mut old = base.normal_choices(old, kind, aspect);
        let mut new = revision.normal_choices(new, kind, aspect);
        if old.len() > 1 || new.len() > 1 {
            take_matches(&mut old, &mut new, |a, b| {
                digest_all(base, a, aspect) == digest_all(revision, b, aspect)
            });
        }
        for index in 0..old.len().max(new.len()) {
            self.compare_choice(kind, index, &members(&old, index), &members(&new, index));
        }
    }

    /// Compares a schema with a choice that contains it: a schema equals a choice with no other member. Returns whether
    /// this is the case.
    pub(super) fn compare_choice_of_itself(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        if base.is_composed() == revision.is_composed() {
            return false;
        }
        let aspect = Aspect::Validity;
        for (kind, old, new) in [
            (ChoiceKind::OneOf, &base.one_of, &revision.one_of),
            (ChoiceKind::AnyOf, &base.any_of, &revision.any_of),
        ] {
            let first = |choices: &[Choice]| choices.first().cloned().unwrap_or_default();
            let (old, new) = (first(old), first(new));
            let (schemas, others) = (&mut *self.documents.base, &mut *self.documents.revision);
            let was = schemas.digest(self.base_set, aspect);
            let is = others.digest(self.revision_set, aspect);
            if !base.is_composed()
                && revision.is_plain_choice()
                && digest_all(others, &new, aspect).contains(&was)
            {
                self.compare_choice(kind, 0, &[self.base_set], &new);
                self.compare_nullable();
                return true;
            }
            if !revision.is_composed()
                && base.is_plain_choice()
                && digest_all(schemas, &old, aspect).contains(&is)
            {
                self.compare_choice(kind, 0, &old, &[self.revision_set]);
                self.compare_nullable();
                return true;
            }
        }
        false
    }

    /// Whether other members of the choices allow `null` than before: then what is found of the members says it.
    pub(super) fn do_members_decide_about_null(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let kinds = |schema: &Schema<'_>| (schema.one_of.len(), schema.any_of.len());
        kinds(&base) == kinds(&revision)
            && count_nullable(self.documents.base, &base)
                != count_nullable(self.documents.revision, &revision)
    }

    /// Compares the members of two lists; `index` distinguishes lists that apply together.
    fn compare_choice(&mut self, kind: ChoiceKind, index: usize, old: &[SetId], new: &[SetId]) {
        let changes = ChoiceChanges::for_kind(kind);
        let keyword = changes.keyword;
        if old.is_empty() != new.is_empty() {
            let mut edit = self.edit(keyword);
            if index > 0 {
                edit = edit.item(format!("{keyword} {index}"));
            }
            let (change, what) = if old.is_empty() {
                (changes.introduced, "added")
            } else {
                (changes.lifted, "removed")
            };
            self.report(change, edit, &format!("`{keyword}` was {what}"));
            return;
        }
        if kind == ChoiceKind::OneOf {
            self.check_ambiguity(new);
        }
        let (pairs, removed, added) = self.pair_members(old, new);
        for (base, revision) in pairs {
            let step = self.documents.base.member_step(base, keyword);
            self.add_child(base, revision, &step, Presence::Required);
            self.compare_implicit_value(base, revision);
        }
        let replaced = self.find_replaced(&removed, &added);
        let lists = self.keyword_nodes(keyword);
        for set in removed {
            let site = self.documents.base.site(set);
            let edit = match replaced.iter().find(|(old, _)| *old == site) {
                Some((_, new)) => Edit::changed(site, *new),
                None => Edit::removed(site, lists.1),
            };
            let member = self.documents.base.describe(set);
            let what = format!("{member} was removed from `{keyword}`");
            self.report(changes.removed, edit.item(keyword), &what);
        }
        for set in added {
            let site = self.documents.revision.site(set);
            let edit = match replaced.iter().find(|(_, new)| *new == site) {
                Some((old, _)) => Edit::changed(*old, site),
                None => Edit::added(lists.0, site),
            };
            let member = self.documents.revision.describe(set);
            let what = format!("{member} was added to `{keyword}`");
            self.report(changes.added, edit.item(keyword), &what);
        }
    }

    /// Reports values that were valid and that several members of a `oneOf` accept now.
    fn check_ambiguity(&mut self, new: &[SetId]) {
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        let sets = (self.base_set, self.revision_set);
        let aspect = Aspect::Validity;
        let is_selected = self.revision.discriminator.is_some();
        if is_selected || new.len() < 2 || same_schema(base, sets.0, revision, sets.1, aspect) {
            return;
        }
        let instances = &mut *self.documents.instances;
        if instances
            .find_ambiguous(base, revision, sets, new)
            .is_some()
        {
            let what = "a value that was valid matches several schemas of `oneOf` now";
            let edit = self.edit("oneOf").item("ambiguous");
            self.report(change!("one-of-became-ambiguous"), edit, what);
        }
    }

    /// Finds removed and added members with the same JSON pointer: one edit replaced one by the other.
    fn find_replaced(&self, removed: &[SetId], added: &[SetId]) -> Vec<(Id, Id)> {
        let (base, revision) = (&self.documents.base, &self.documents.revision);
        let added = added.iter().map(|set| revision.site(*set));
        let pointers: HashMap<String, Id> = added
            .map(|site| (revision.tree.pointer(site), site))
            .collect();
        let removed = removed.iter().map(|set| base.site(*set));
        removed
            .filter_map(|site| Some((site, *pointers.get(&base.tree.pointer(site))?)))
            .collect()
    }

    /// Compares the values of a discriminator without a mapping: the names of the components.
    fn compare_implicit_value(&mut self, base: SetId, revision: SetId) {
        let (schema, other) = (self.base.clone(), self.revision.clone());
        let (Some(old), Some(new)) = (&schema.discriminator, &other.discriminator) else {
            return;
        };
        // A mapping is assumed to be complete.
        if !old.mapping.is_empty() || !new.mapping.is_empty() {
            return;
        }
        let old_name = self.documents.base.component(base);
        let new_name = self.documents.revision.component(revision);
        if old_name != new_name {
            let edit = Edit::changed(
                self.documents.base.site(base),
                self.documents.revision.site(revision),
            );
            let [old, new] = [old_name, new_name].map(|name| name.unwrap_or("(none)"));
            let what = format!("the value `{old}` of the discriminator became `{new}`");
            let change = change!("discriminator-value-renamed");
            self.report(change, edit.item("discriminator"), &what);
        }
    }
}

/// How many members of each choice allow `null`, in any order of the choices.
fn count_nullable(schemas: &mut Schemas<'_>, schema: &Schema<'_>) -> Vec<usize> {
    let choices = schema.one_of.iter().chain(&schema.any_of);
    let counts = choices.map(|choice| {
        let members = choice.iter();
        members
            .filter(|it| schemas.get(**it).accepts_null())
            .count()
    });
    let mut counts: Vec<usize> = counts.collect();
    counts.sort_unstable();
    counts
}

fn digest_all(schemas: &mut Schemas<'_>, sets: &[SetId], aspect: Aspect) -> Vec<u64> {
    let digests = sets.iter().map(|set| schemas.digest(*set, aspect));
    digests.collect()
}

pub(super) fn sort_by_digest(
    schemas: &mut Schemas<'_>,
    sets: &[SetId],
    aspect: Aspect,
) -> Vec<SetId> {
    let mut sets = sets.to_vec();
    sets.sort_by_cached_key(|set| schemas.digest(*set, aspect));
    sets
}
