//! `oneOf`, `anyOf`, `not`: compared as sets of meaning. Members are paired with those that mean the same or most
//! nearly the same, wherever they stand in the list.

use super::{Pair, Required};
use crate::schema::{Aspect, Schema, Schemas, SetId};
use crate::session::Edit;

/// How much two schemas must have in common to be versions of one another, of 1.
const ALIKE: f64 = 0.5;

/// Members paired, those only in the base, those only in the revision.
type Pairing = (Vec<(SetId, SetId)>, Vec<SetId>, Vec<SetId>);

impl Pair<'_, '_> {
    /// An object that became a choice between objects is one edit, whatever else looks changed because of it.
    pub(super) fn wrapping(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let was_object = !base.properties.is_empty() && !base.is_composed();
        let is_choice = !revision.one_of.is_empty() && revision.properties.is_empty();
        let objects = revision.one_of.iter().all(|member| {
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
        self.choice("oneOf", "one-of", &base.one_of, &revision.one_of);
        self.choice("anyOf", "any-of", &base.any_of, &revision.any_of);
    }

    /// A schema is the same as a choice of nothing but itself, so that a schema that became a choice with others, or was
    /// chosen from them, is a choice that changed.
    pub(super) fn choice_of_itself(&mut self) -> bool {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        if base.is_composed() == revision.is_composed() {
            return false;
        }
        for (keyword, name, old, new) in [
            ("oneOf", "one-of", &base.one_of, &revision.one_of),
            ("anyOf", "any-of", &base.any_of, &revision.any_of),
        ] {
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
                self.choice(keyword, name, &old, new);
                return true;
            }
            if was {
                let new = [self.revision_set];
                self.choice(keyword, name, old, &new);
                return true;
            }
        }
        false
    }

    fn choice(&mut self, keyword: &str, name: &str, old: &[SetId], new: &[SetId]) {
        if old.is_empty() != new.is_empty() {
            let (end, what) = match old.is_empty() {
                true => ("introduced", "became a choice"),
                false => ("lifted", "is a choice no more"),
            };
            let edit = self.edit(keyword);
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
        let list = self.revision.keyword(keyword, self.revision_site());
        for set in gone {
            let edit = Edit::removed(self.session.base.site(set), list);
            let shown = self.session.base.name(set);
            let what = format!("`{keyword}` has {shown} no more");
            self.report(&format!("{name}-removed"), edit.item(keyword), &what);
        }
        let list = self.base.keyword(keyword, self.base_site());
        for set in come {
            let edit = Edit::added(list, self.session.revision.site(set));
            let shown = self.session.revision.name(set);
            let what = format!("`{keyword}` has {shown}, too");
            self.report(&format!("{name}-added"), edit.item(keyword), &what);
        }
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
        let old = wire(&mut self.session.base, &base.not);
        let new = wire(&mut self.session.revision, &revision.not);
        if old == new {
            return;
        }
        let change = match (old.is_empty(), new.is_empty()) {
            (true, _) => "not-added",
            (_, true) => "not-removed",
            _ => "not-changed",
        };
        let edit = self.edit("not");
        self.report(change, edit, "what is excluded changed");
    }

    /// First those that mean the same, then those of one name, then those most alike.
    fn pair_up(&mut self, old: &[SetId], new: &[SetId]) -> Pairing {
        let mut pairs = Vec::new();
        let mut gone = old.to_vec();
        let mut come = new.to_vec();
        for step in [Step::Meaning, Step::Name, Step::Title] {
            gone.retain(|base| {
                let twin = come
                    .iter()
                    .position(|revision| self.matches(step, *base, *revision));
                match twin {
                    Some(twin) => {
                        pairs.push((*base, come.remove(twin)));
                        false
                    }
                    None => true,
                }
            });
        }
        loop {
            let mut best = (ALIKE, None);
            for (i, base) in gone.iter().enumerate() {
                for (j, revision) in come.iter().enumerate() {
                    let alike = self.alikeness(*base, *revision);
                    if alike > best.0 {
                        best = (alike, Some((i, j)));
                    }
                }
            }
            let Some((i, j)) = best.1 else {
                return (pairs, gone, come);
            };
            pairs.push((gone.remove(i), come.remove(j)));
        }
    }

    fn matches(&mut self, step: Step, base: SetId, revision: SetId) -> bool {
        let (schemas, others) = (&mut self.session.base, &mut self.session.revision);
        match step {
            Step::Meaning => {
                schemas.digest(base, Aspect::Wire) == others.digest(revision, Aspect::Wire)
            }
            Step::Name => {
                let name = schemas.component(base);
                name.is_some() && name == others.component(revision)
            }
            Step::Title => {
                let (old, new) = (schemas.get(base), others.get(revision));
                let both_written_in_place =
                    schemas.component(base).is_none() && others.component(revision).is_none();
                both_written_in_place
                    && old.rest.get("title") == new.rest.get("title")
                    && (old.rest.contains_key("title") || same_kind(&old, &new))
            }
        }
    }

    fn alikeness(&mut self, base: SetId, revision: SetId) -> f64 {
        let named = |schemas: &Schemas<'_>, set| schemas.component(set).is_some();
        // Two components of different names are different things, however alike.
        if named(&self.session.base, base) && named(&self.session.revision, revision) {
            return 0.0;
        }
        let (old, new) = (
            self.session.base.get(base),
            self.session.revision.get(revision),
        );
        if old.types != new.types {
            return 0.0;
        }
        let shared = old
            .properties
            .keys()
            .filter(|name| new.properties.contains_key(*name));
        let all = old.properties.len() + new.properties.len();
        match all {
            0 => 1.0,
            all => 2.0 * shared.count() as f64 / all as f64,
        }
    }
}

#[derive(Clone, Copy)]
enum Step {
    Meaning,
    Name,
    Title,
}

fn wire(schemas: &mut Schemas<'_>, sets: &[SetId]) -> Vec<u64> {
    let digests = sets.iter().map(|set| schemas.digest(*set, Aspect::Wire));
    let mut digests: Vec<u64> = digests.collect();
    digests.sort_unstable();
    digests
}

/// What schemas without a name are told apart by.
fn same_kind(a: &Schema<'_>, b: &Schema<'_>) -> bool {
    a.types == b.types && a.properties.keys().eq(b.properties.keys())
}
