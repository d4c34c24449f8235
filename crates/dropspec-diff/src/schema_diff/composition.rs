//! Compares `oneOf`, `anyOf` and `not`, in any order of their members.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::{Presence, SchemaPair};
use crate::edit::{Edit, take_matches};
use crate::finding::Side;
use crate::rules::{Change, change};
use crate::schema::{
    Aspect, Choice, ChoiceKind, DIGEST_DEPTH, Schema, Schemas, SetId, same_schema,
};
use crate::tree::Id;

/// The changes of `oneOf` or `anyOf`.
struct ChoiceChanges {
    introduced: Change,
    lifted: Change,
    added: Change,
    removed: Change,
}

/// The changes of a keyword whose rules have a name, such as `one-of-added`.
macro_rules! choice_changes {
    ($name:literal) => {
        ChoiceChanges {
            introduced: change!(concat!($name, "-introduced")),
            lifted: change!(concat!($name, "-lifted")),
            added: change!(concat!($name, "-added")),
            removed: change!(concat!($name, "-removed")),
        }
    };
}

/// By [`ChoiceKind`].
const CHANGES: [ChoiceChanges; 2] = [choice_changes!("one-of"), choice_changes!("any-of")];

/// Which of `oneOf` and `anyOf` a schema has, and how many of each.
fn count_choices(schema: &Schema<'_>) -> [usize; 2] {
    [schema.choices[0].len(), schema.choices[1].len()]
}

impl SchemaPair<'_, '_> {
    /// Reports an object that became a choice between objects, as one edit; returns whether it did.
    pub(super) fn compare_wrapping(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let was_object = !base.properties.is_empty() && !base.has_choices();
        let one_of = &revision.choices[ChoiceKind::OneOf as usize];
        let schemas = &mut *self.documents.revision;
        let wrapped = was_object
            && !one_of.is_empty()
            && revision.properties.is_empty()
            && one_of
                .iter()
                .flatten()
                .all(|member| !schemas.get(*member).properties.is_empty());
        if wrapped {
            let edit = Edit::changed(self.base_site(), self.keyword_nodes("oneOf").1);
            let what = "the object became a choice between objects";
            self.report(change!("wrapped-in-one-of"), edit.item("oneOf"), what);
        }
        wrapped
    }

    /// Where one document has a choice and the other one a choice of one schema, continues with the latter as a choice.
    pub(super) fn keep_choices(&mut self) {
        let (base, revision) = (self.base_set, self.revision_set);
        let kept = match (self.base.has_choices(), self.revision.has_choices()) {
            (true, false) => (Some(base), self.documents.revision.keep_choices(revision)),
            (false, true) => (self.documents.base.keep_choices(base), Some(revision)),
            _ => return,
        };
        let (Some(base), Some(revision)) = kept else {
            return;
        };
        let kinds = |schema: &Schema<'_>| count_choices(schema).map(|count| count > 0);
        let old = kinds(&self.documents.base.get(base));
        if old == kinds(&self.documents.revision.get(revision)) {
            self.replace_sets(base, revision);
        }
    }

    pub(super) fn compare_choices(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        for kind in ChoiceKind::ALL {
            let index = kind as usize;
            self.compare_lists(kind, &base.choices[index], &revision.choices[index]);
        }
    }

    /// Compares lists that apply together. Lists of equal meaning are equal; the others are paired in their order.
    fn compare_lists(&mut self, kind: ChoiceKind, old: &[Choice], new: &[Choice]) {
        let member = |choices: &[Choice], index: usize| -> Choice {
            choices.get(index).cloned().unwrap_or_default()
        };
        // The most common case needs no order.
        if kind == ChoiceKind::OneOf && old.len() <= 1 && new.len() <= 1 {
            self.compare_choice(kind, 0, &member(old, 0), &member(new, 0));
            return;
        }
        let aspect = Aspect::Everything;
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        let mut old = base.normalize(old, kind, aspect, DIGEST_DEPTH);
        let mut new = revision.normalize(new, kind, aspect, DIGEST_DEPTH);
        if old.len() > 1 || new.len() > 1 {
            take_matches(&mut old, &mut new, |a, b| {
                digest_all(base, a, aspect) == digest_all(revision, b, aspect)
            });
        }
        for index in 0..old.len().max(new.len()) {
            self.compare_choice(kind, index, &member(&old, index), &member(&new, index));
        }
    }

    /// Compares a schema with a choice that contains it: a schema equals a choice with no other member. Returns whether
    /// this is the case.
    pub(super) fn compare_choice_of_itself(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        if base.has_choices() == revision.has_choices() {
            return false;
        }
        let aspect = Aspect::Validity;
        let (schemas, others) = (&mut *self.documents.base, &mut *self.documents.revision);
        let was = schemas.digest(self.base_set, aspect);
        let is = others.digest(self.revision_set, aspect);
        for kind in ChoiceKind::ALL {
            let index = kind as usize;
            let first = |schema: &Schema<'_>| schema.choices[index].first().cloned();
            let became_choice = revision.is_plain_choice();
            let (old, new) = match (first(&base), first(&revision)) {
                (None, Some(new))
                    if became_choice && digest_all(others, &new, aspect).contains(&was) =>
                {
                    (vec![self.base_set], new)
                }
                (Some(old), None)
                    if base.is_plain_choice()
                        && digest_all(schemas, &old, aspect).contains(&is) =>
                {
                    (old, vec![self.revision_set])
                }
                _ => continue,
            };
            self.compare_choice(kind, 0, &old, &new);
            self.compare_nullable();
            return true;
        }
        false
    }

    /// Whether other members of the choices allow `null` than before: then what is found of the members says it.
    pub(super) fn do_members_decide_about_null(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        count_choices(&base) == count_choices(&revision)
            && count_nullable(self.documents.base, &base)
                != count_nullable(self.documents.revision, &revision)
    }

    /// Compares the members of two lists; `index` distinguishes lists that apply together.
    fn compare_choice(&mut self, kind: ChoiceKind, index: usize, old: &[SetId], new: &[SetId]) {
        let (changes, keyword) = (&CHANGES[kind as usize], kind.keyword());
        if old.is_empty() != new.is_empty() {
            let mut edit = self.edit(keyword);
            if index > 0 {
                edit = edit.item(format!("{keyword} {index}"));
            }
            let changes = [changes.lifted, changes.introduced];
            self.report_presence(changes, old.is_empty(), edit, &format!("`{keyword}`"));
            return;
        }
        if kind == ChoiceKind::OneOf {
            self.check_ambiguity(new);
        }
        let (pairs, removed, added) = self.pair_members(old, new);
        let closed = self.forbids_unevaluated();
        for (base, revision) in &pairs {
            let step = self.documents.base.member_step(*base, keyword);
            self.add_child(*base, *revision, &step, Presence::Required);
            if let Some((child, _)) = self.found.children.last_mut() {
                child.context.closed = closed;
            }
        }
        self.members.extend(pairs);
        let replaced = self.find_replaced(&removed, &added);
        let lists = self.keyword_nodes(keyword);
        let removed = removed.into_iter().map(|set| (Side::Base, set));
        for (side, set) in removed.chain(added.into_iter().map(|set| (Side::Revision, set))) {
            let schemas = self.schemas_of_document(side);
            let (site, member) = (schemas.site(set), schemas.describe(set));
            let mut replaced = replaced.iter();
            let (change, edit, what) = match side {
                Side::Base => {
                    let replaced = replaced.find(|(old, _)| *old == site);
                    let edit = Edit::between(Some(site), replaced.map(|(_, new)| *new), lists);
                    (changes.removed, edit, "removed from")
                }
                Side::Revision => {
                    let replaced = replaced.find(|(_, new)| *new == site);
                    let edit = Edit::between(replaced.map(|(old, _)| *old), Some(site), lists);
                    (changes.added, edit, "added to")
                }
            };
            let what = format!("{member} was {what} `{keyword}`");
            self.report(change, edit.item(keyword), &what);
        }
    }

    /// Reports values that were valid and that several members of a `oneOf` accept now.
    fn check_ambiguity(&mut self, new: &[SetId]) {
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        let sets = (self.base_set, self.revision_set);
        let aspect = Aspect::Validity;
        let is_selected = self.revision.discriminator.is_some();
        if is_selected
            || new.len() < 2
            || same_schema(base, sets.0, revision, sets.1, aspect)
            || are_told_apart(revision, new)
        {
            return;
        }
        let instances = &mut *self.documents.instances;
        if instances.is_ambiguous((base, revision), sets, new) {
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
}

/// Whether no value is valid by two of these objects, as each requires a property with values of its own.
fn are_told_apart(schemas: &mut Schemas<'_>, members: &[SetId]) -> bool {
    let members = members.iter().map(|it| schemas.get(*it));
    let members: Vec<Rc<Schema<'_>>> = members.collect();
    let is_object = |it: &Rc<Schema<'_>>| {
        let types = it.types.as_ref();
        !it.nullable && types.is_some_and(|types| types.iter().eq(["object"].iter()))
    };
    let mut required = members[0].required.keys();
    members.iter().all(is_object)
        && required.any(|name| {
            let mut seen = HashSet::new();
            members.iter().all(|member| {
                let property = member.required.get(name).and(member.properties.get(name));
                let property = property.map(|set| schemas.get(*set));
                let property = property.filter(|it| !it.nullable && !it.read_only);
                let values = property.and_then(|it| it.enumeration.clone());
                values.is_some_and(|values| values.into_keys().all(|it| seen.insert(it)))
            })
        })
}

/// How many members of each choice allow `null`, in any order of the choices.
fn count_nullable(schemas: &mut Schemas<'_>, schema: &Schema<'_>) -> Vec<usize> {
    let counts = schema.choices.iter().flatten().map(|choice| {
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
