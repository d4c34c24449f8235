//! Compares `discriminator`.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use super::{Presence, SchemaPair};
use crate::edit::{Edit, EditKind, outer_join, take_matches};
use crate::rules::{change, rule};
use crate::schema::{Aspect, Discriminator, Schema, Schemas, SetId};
use crate::tree::{Id, Tree};

impl<'d> SchemaPair<'_, 'd> {
    pub(super) fn compare_discriminator(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let (old, new) = match (&base.discriminator, &revision.discriminator) {
            (None, None) => return,
            (Some(old), Some(new)) => (old, new),
            (old, new) => {
                let site = |it: &Option<Rc<Discriminator<'_>>>| it.as_ref().map(|d| d.site);
                let parents = (self.base_site(), self.revision_site());
                let edit = Edit::between(site(old), site(new), parents).item("discriminator");
                let changes = [
                    change!("discriminator-removed"),
                    change!("discriminator-added"),
                ];
                self.report_presence(changes, old.is_none(), edit, "the discriminator");
                return;
            }
        };
        if old.property != new.property {
            let edit = Edit::changed(old.site, new.site).item("propertyName");
            let what = format!(
                "the discriminator property `{}` became `{}`",
                old.property, new.property
            );
            self.report(change!("discriminator-property-name-changed"), edit, &what);
        }
        self.compare_values_selected(old, new);
    }

    /// Compares the values of two discriminators, and the schemas that they select.
    fn compare_values_selected(&mut self, old: &Discriminator<'d>, new: &Discriminator<'d>) {
        let mut base_values = list_values(self.documents.base, &self.base, old);
        let mut revision_values = list_values(self.documents.revision, &self.revision, new);
        let is_whole = !self.documents.base.is_selected(self.base_set, old);
        if !is_whole {
            // The values of the other schemas are none of this one.
            let (base, revision) = (&self.documents.base, &self.documents.revision);
            let was = |it: &Selected<'d>| {
                it.schema
                    .is_some_and(|it| base.can_be(old, it, self.base_set))
            };
            let is = |it: &Selected<'d>| {
                it.schema
                    .is_some_and(|it| revision.can_be(new, it, self.revision_set))
            };
            let others_were: Vec<_> = base_values.extract_if(.., |_, it| !was(it)).collect();
            let others_are: Vec<_> = revision_values.extract_if(.., |_, it| !is(it)).collect();
            let written = |(value, it): &(Option<&'d str>, Selected<'d>)| (*value, it.written);
            if !others_were
                .iter()
                .map(written)
                .eq(others_are.iter().map(written))
            {
                let edit = Edit::changed(old.site, new.site).item("discriminator");
                let what = "the values of the discriminator for other schemas changed";
                self.report_rule(rule!("documentation-changed"), edit, what);
            }
        }
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for (value, was, is) in outer_join(&base_values, &revision_values) {
            let default = revision_values.get(&None).filter(|_| value.is_some());
            let is = is.or(default
                .filter(|it| was.is_some_and(|was| self.is_same_target(was, **it)))
                .copied());
            let (Some(was), Some(is)) = (was, is) else {
                removed.extend(was.map(|was| (*value, was)));
                added.extend(is.map(|is| (*value, is)));
                continue;
            };
            let item = value.unwrap_or("defaultMapping");
            let written =
                [was, is].map(|it| Some(it.site).filter(|_| it.source == Source::Mapping));
            let edit = Edit::between(written[0], written[1], (old.site, new.site)).item(item);
            if !self.is_same_target(was, is) {
                let edit = Edit::changed(was.site, is.site).item(item);
                let what = format!("{} selects another schema", name_value(*value));
                self.report(change!("discriminator-mapping-changed"), edit, &what);
                continue;
            }
            if edit.kind != EditKind::Changed {
                let now = if edit.kind == EditKind::Added {
                    "now"
                } else {
                    "no longer"
                };
                let what = format!(
                    "{} of the discriminator is {now} written",
                    name_value(*value)
                );
                self.report_rule(rule!("documentation-changed"), edit, &what);
            }
            if let (Some(base), Some(revision)) = (was.schema, is.schema)
                && is_whole
                && was.source != Source::Choice
            {
                self.add_child(base, revision, "discriminator", Presence::Required);
            }
        }
        let renamed = take_matches(&mut removed, &mut added, |(name, was), (other, is)| {
            name.is_some() && other.is_some() && self.is_same_target(*was, *is)
        });
        for ((name, was), (other, is)) in renamed {
            let (name, other) = (name.unwrap_or_default(), other.unwrap_or_default());
            // With one value of a mapping in place of another, the whole mapping changed.
            let whole = |tree: &Tree<'_>, it: Selected<'_>| match it.source {
                Source::Mapping => tree.parent(it.site).unwrap_or(it.site),
                _ => it.site,
            };
            let sites = (
                whole(&self.documents.base.tree, was),
                whole(&self.documents.revision.tree, is),
            );
            let item = format!("discriminator {name} → {other}");
            let edit = Edit::changed(sites.0, sites.1).item(item);
            let what = format!("the value `{name}` of the discriminator became `{other}`");
            self.report(change!("discriminator-value-renamed"), edit, &what);
        }
        // The choice reports its members.
        let list = |side: &Tree<'_>, own: &Discriminator<'_>, source| match source {
            Source::Mapping => own.site,
            _ => side.component_list("schemas"),
        };
        for (name, was) in removed
            .into_iter()
            .filter(|(_, it)| it.source != Source::Choice)
        {
            let list = list(&self.documents.revision.tree, new, was.source);
            self.report_value(name, Edit::removed(was.site, list));
        }
        for (name, is) in added
            .into_iter()
            .filter(|(_, it)| it.source != Source::Choice)
        {
            let list = list(&self.documents.base.tree, old, is.source);
            self.report_value(name, Edit::added(list, is.site));
        }
    }

    /// Whether two values select the same schema.
    fn is_same_target(&mut self, was: Selected<'d>, is: Selected<'d>) -> bool {
        match (was.schema, is.schema) {
            (Some(base), Some(revision)) => {
                self.members.contains(&(base, revision)) || self.is_same_component(base, revision)
            }
            _ => was.written == is.written,
        }
    }

    /// Reports a value that was added or removed.
    fn report_value(&mut self, value: Option<&str>, edit: Edit) {
        let changes = [
            change!("discriminator-mapping-deleted"),
            change!("discriminator-mapping-added"),
        ];
        let edit = edit.item(value.unwrap_or("defaultMapping"));
        let is_added = edit.kind == EditKind::Added;
        let subject = format!("{} of the discriminator", name_value(value));
        self.report_presence(changes, is_added, edit, &subject);
    }

    /// Whether two schemas are the same component, possibly renamed. A component that still exists was not renamed.
    fn is_same_component(&mut self, base: SetId, revision: SetId) -> bool {
        let (schemas, others) = (&mut self.documents.base, &mut self.documents.revision);
        let (old, new) = (schemas.component(base), others.component(revision));
        let still_exists = old.is_some_and(|name| {
            let path = ["components", "schemas", name];
            others.tree.path(Id::ROOT, &path).is_some()
        });
        let mut is_equal =
            || schemas.digest(base, Aspect::Validity) == others.digest(revision, Aspect::Validity);
        old == new || (!still_exists && is_equal())
    }
}

/// What a value of a discriminator selects.
#[derive(Clone, Copy)]
struct Selected<'d> {
    site: Id,
    schema: Option<SetId>,
    written: &'d str,
    source: Source,
}

/// Where a value of a discriminator comes from: what is not in the mapping has the name of its component.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Mapping,
    Choice,
    Subtype,
}

fn name_value(value: Option<&str>) -> String {
    match value {
        Some(value) => format!("the value `{value}`"),
        None => "the default".to_owned(),
    }
}

/// All values of a discriminator. None: all other values, and none.
fn list_values<'d>(
    schemas: &Schemas<'d>,
    schema: &Schema<'d>,
    discriminator: &Discriminator<'d>,
) -> BTreeMap<Option<&'d str>, Selected<'d>> {
    let mut values = BTreeMap::new();
    for (value, target) in &discriminator.mapping {
        let (site, schema, written) = (target.site, target.schema, target.written);
        let source = Source::Mapping;
        values.insert(
            *value,
            Selected {
                site,
                schema,
                written,
                source,
            },
        );
    }
    // The default of other values has its name as well.
    let mapped = values.iter().filter(|(value, _)| value.is_some());
    let mapped: HashSet<SetId> = mapped.filter_map(|(_, it)| it.schema).collect();
    let subtypes = discriminator.subtypes.iter();
    let subtypes = subtypes.map(|(name, (site, set))| (*name, *site, *set, Source::Subtype));
    let members = schema.choices.iter().flatten().flatten();
    let members = members
        .filter(|set| !mapped.contains(set))
        .filter_map(|set| {
            Some((
                schemas.component(*set)?,
                schemas.site(*set),
                *set,
                Source::Choice,
            ))
        });
    for (name, site, set, source) in subtypes.chain(members) {
        let (schema, written) = (Some(set), name);
        values.entry(Some(name)).or_insert(Selected {
            site,
            schema,
            written,
            source,
        });
    }
    values
}
