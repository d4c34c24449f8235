//! `oneOf`, `anyOf`, `not`: compared as sets of meaning.

use std::collections::HashMap;

use super::{Pair, Required};
use crate::schema::{Aspect, Choice, Of, Schemas, SetId, same_schema};
use crate::session::Edit;
use crate::tree::Id;

impl Pair<'_, '_> {
    /// An object that became a choice between objects is one edit, whatever else looks changed because of it.
    pub(super) fn wrapping(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let was_object = !base.properties.is_empty() && !base.is_composed();
        let is_choice = !revision.one_of.is_empty() && revision.properties.is_empty();
        let objects = revision.one_of.iter().flatten().all(|member| {
            let member = self.session.revision.get(*member);
            !member.properties.is_empty()
        });
        let wrapped = was_object && is_choice && objects;
        if wrapped {
            let edit = Edit::changed(
                self.base_site(),
                self.revision.keyword("oneOf", self.revision_site()),
            );
            let what = "the object became a choice between objects";
            self.report("wrapped-in-one-of", edit.item("oneOf"), what);
        }
        wrapped
    }

    pub(super) fn choices(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        self.lists(Of::Exactly, &base.one_of, &revision.one_of);
        self.lists(Of::AtLeast, &base.any_of, &revision.any_of);
    }

    /// Lists that hold together are paired with those that mean the same, the others in their order.
    fn lists(&mut self, of: Of, old: &[Choice], new: &[Choice]) {
        // Most often there is one list at most, and nothing to put in order.
        if of == Of::Exactly && old.len() <= 1 && new.len() <= 1 {
            let members = |choices: &[Choice]| choices.first().cloned().unwrap_or_default();
            self.choice(of, 0, &members(old), &members(new));
            return;
        }
        let mut old = self.session.base.choices(old, of, Aspect::Everything);
        let mut new = self.session.revision.choices(new, of, Aspect::Everything);
        if old.len() > 1 || new.len() > 1 {
            let mut digests: Vec<Vec<u64>> = Vec::new();
            for choice in &new {
                digests.push(everything(&mut self.session.revision, choice));
            }
            old.retain(|choice| {
                let digest = everything(&mut self.session.base, choice);
                let twin = digests.iter().position(|other| *other == digest);
                if let Some(twin) = twin {
                    digests.remove(twin);
                    new.remove(twin);
                }
                twin.is_none()
            });
        }
        for index in 0..old.len().max(new.len()) {
            let members = |choices: &[Choice]| choices.get(index).cloned().unwrap_or_default();
            self.choice(of, index, &members(&old), &members(&new));
        }
    }

    /// A schema is the same as a choice of nothing but itself, so that a schema that became a choice with others, or was
    /// chosen from them, is a choice that changed.
    pub(super) fn choice_of_itself(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        if base.is_composed() == revision.is_composed() {
            return false;
        }
        for (of, old, new) in [
            (Of::Exactly, base.one_of.first(), revision.one_of.first()),
            (Of::AtLeast, base.any_of.first(), revision.any_of.first()),
        ] {
            let old = old.map_or(&[][..], Vec::as_slice);
            let new = new.map_or(&[][..], Vec::as_slice);
            let own = self.session.base.digest(self.base_set, Aspect::Wire);
            let now = self
                .session
                .revision
                .digest(self.revision_set, Aspect::Wire);
            let became = !base.is_composed()
                && revision.says_only_choices()
                && wire(&mut self.session.revision, new).contains(&own);
            let was = !revision.is_composed()
                && base.says_only_choices()
                && wire(&mut self.session.base, old).contains(&now);
            if became {
                let old = [self.base_set];
                self.choice(of, 0, &old, new);
                return true;
            }
            if was {
                let new = [self.revision_set];
                self.choice(of, 0, old, &new);
                return true;
            }
        }
        false
    }

    /// Compares the members of two lists; `index` tells lists apart that hold together.
    fn choice(&mut self, of: Of, index: usize, old: &[SetId], new: &[SetId]) {
        let (keyword, name) = match of {
            Of::Exactly => ("oneOf", "one-of"),
            Of::AtLeast => ("anyOf", "any-of"),
        };
        if old.is_empty() != new.is_empty() {
            let (end, what) = match old.is_empty() {
                true => ("introduced", "became a choice"),
                false => ("lifted", "is a choice no more"),
            };
            let edit = self.edit(keyword);
            let edit = match index {
                0 => edit,
                index => edit.item(format!("{keyword} {index}")),
            };
            self.report(
                &format!("{name}-{end}"),
                edit,
                &format!("it {what} (`{keyword}`)"),
            );
            return;
        }
        let (pairs, gone, come) = self.pair_up(old, new);
        for (base, revision) in pairs {
            self.child(base, revision, keyword, Required::Yes);
            self.implicit_value(base, revision);
        }
        let replaced = self.replaced(&gone, &come);
        let list = self.revision.keyword(keyword, self.revision_site());
        for set in gone {
            let site = self.session.base.site(set);
            let edit = match replaced.iter().find(|(old, _)| *old == site) {
                Some((_, new)) => Edit::changed(site, *new),
                None => Edit::removed(site, list),
            };
            let shown = self.session.base.name(set);
            let what = format!("`{keyword}` has {shown} no more");
            self.report(&format!("{name}-removed"), edit.item(keyword), &what);
        }
        let list = self.base.keyword(keyword, self.base_site());
        for set in come {
            let site = self.session.revision.site(set);
            let edit = match replaced.iter().find(|(_, new)| *new == site) {
                Some((old, _)) => Edit::changed(*old, site),
                None => Edit::added(list, site),
            };
            let shown = self.session.revision.name(set);
            let what = format!("`{keyword}` has {shown}, too");
            self.report(&format!("{name}-added"), edit.item(keyword), &what);
        }
    }

    /// A schema in the place of another, however different, is one edit: where both stand.
    fn replaced(&self, gone: &[SetId], come: &[SetId]) -> Vec<(Id, Id)> {
        let (base, revision) = (&self.session.base, &self.session.revision);
        let come = come.iter().map(|set| revision.site(*set));
        let places: HashMap<String, Id> = come
            .map(|site| (revision.tree.pointer(site), site))
            .collect();
        let gone = gone.iter().map(|set| base.site(*set));
        gone.filter_map(|site| Some((site, *places.get(&base.tree.pointer(site))?)))
            .collect()
    }

    /// Without a mapping, the discriminator's value is the component's name.
    fn implicit_value(&mut self, base: SetId, revision: SetId) {
        let (schema, other) = (self.base.clone(), self.revision.clone());
        let (Some(old), Some(new)) = (&schema.discriminator, &other.discriminator) else {
            return;
        };
        // A mapping is taken for the whole list of values.
        if !old.mapping.is_empty() || !new.mapping.is_empty() {
            return;
        }
        let old_name = self.session.base.component(base);
        let new_name = self.session.revision.component(revision);
        if old_name != new_name {
            let edit = Edit::changed(
                self.session.base.site(base),
                self.session.revision.site(revision),
            );
            let what = format!(
                "the discriminator's value `{}` is `{}` now",
                old_name.unwrap_or("(none)"),
                new_name.unwrap_or("(none)")
            );
            self.report(
                "discriminator-value-renamed",
                edit.item("discriminator"),
                &what,
            );
        }
    }

    pub(super) fn not(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let session = &mut *self.session;
        let mut same = |aspect: Aspect| {
            let old = session.base.sorted(&base.not, aspect);
            let new = session.revision.sorted(&revision.not, aspect);
            let mut pairs = old.iter().zip(&new);
            old.len() == new.len()
                && pairs.all(|(a, b)| {
                    same_schema(&mut session.base, *a, &mut session.revision, *b, aspect)
                })
        };
        if same(Aspect::Everything) {
            return;
        }
        let only_words = same(Aspect::Wire);
        let edit = self.edit("not");
        if only_words {
            let what = "what is excluded is described otherwise";
            self.report_as("documentation-changed".into(), edit, what);
            return;
        }
        let change = match (base.not.is_empty(), revision.not.is_empty()) {
            (true, _) => "not-added",
            (_, true) => "not-removed",
            _ => "not-changed",
        };
        self.report(change, edit, "what is excluded changed");
    }
}

fn wire(schemas: &mut Schemas<'_>, sets: &[SetId]) -> Vec<u64> {
    let digests = sets.iter().map(|set| schemas.digest(*set, Aspect::Wire));
    digests.collect()
}

fn everything(schemas: &mut Schemas<'_>, sets: &[SetId]) -> Vec<u64> {
    let digests = sets
        .iter()
        .map(|set| schemas.digest(*set, Aspect::Everything));
    digests.collect()
}
