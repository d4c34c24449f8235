//! Compares `discriminator`.

use std::rc::Rc;

use super::{Presence, SchemaPair};
use crate::edit::{Edit, EditKind, outer_join, take_matches};
use crate::rules::{change, rule};
use crate::schema::{Aspect, Discriminator, MappingTarget, SetId};
use crate::tree::Id;

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
        for (value, base, revision) in outer_join(&old.mapping, &new.mapping) {
            let site = |target: Option<MappingTarget<'_>>| target.map(|t| t.site);
            let edit = Edit::between(site(base), site(revision), (old.site, new.site));
            let edit = edit.item(value.unwrap_or("defaultMapping"));
            let subject = match value {
                Some(value) => format!("the value `{value}`"),
                None => "the default".to_owned(),
            };
            if let (Some(base), Some(revision)) = (base, revision) {
                let same = match (base.schema, revision.schema) {
                    (Some(base), Some(revision)) => self.is_same_component(base, revision),
                    _ => base.written == revision.written,
                };
                if !same {
                    let what = format!("{subject} selects another schema");
                    self.report(change!("discriminator-mapping-changed"), edit, &what);
                }
            } else if revision.is_none()
                && base.is_some_and(|it| self.is_still_selected(*value, it, new))
            {
                let what = format!("{subject} of the discriminator is no longer written");
                self.report_rule(rule!("documentation-changed"), edit, &what);
            } else {
                self.report_value(&subject, edit);
            }
        }
        if !self.documents.base.is_selected(self.base_set, old) {
            self.compare_selected(old, new);
        }
    }

    /// Whether a value without an entry in the mapping selects the same schema by its name, or as the default.
    fn is_still_selected(
        &mut self,
        value: Option<&str>,
        target: MappingTarget<'d>,
        new: &Discriminator<'d>,
    ) -> bool {
        let revision = &mut self.documents.revision;
        let path = ["components", "schemas", value.unwrap_or_default()];
        let by_name = revision.tree.path(Id::ROOT, &path);
        let by_name = by_name.map(|node| revision.set_at(node));
        let default = new.mapping.get(&None).and_then(|default| default.schema);
        match (target.schema, by_name.or(default)) {
            (Some(base), Some(revision)) => self.is_same_component(base, revision),
            _ => false,
        }
    }

    /// Reports a value that was added or removed.
    fn report_value(&mut self, subject: &str, edit: Edit) {
        let changes = [
            change!("discriminator-mapping-deleted"),
            change!("discriminator-mapping-added"),
        ];
        let is_added = edit.kind == EditKind::Added;
        let subject = format!("{subject} of the discriminator");
        self.report_presence(changes, is_added, edit, &subject);
    }

    /// Compares the schemas that the discriminators select.
    fn compare_selected(&mut self, old: &Discriminator<'d>, new: &Discriminator<'d>) {
        for (value, target) in &old.mapping {
            let other = new.mapping.get(value).and_then(|other| other.schema);
            if let (Some(base), Some(revision)) = (target.schema, other)
                && self.is_same_component(base, revision)
            {
                self.add_child(base, revision, "discriminator", Presence::Required);
            }
        }
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for (name, was, is) in outer_join(&old.subtypes, &new.subtypes) {
            match (was, is) {
                (Some((_, base)), Some((_, revision))) => {
                    self.add_child(base, revision, "discriminator", Presence::Required);
                }
                (was, is) => {
                    removed.extend(was.map(|(site, set)| (*name, site, set)));
                    added.extend(is.map(|(site, set)| (*name, site, set)));
                }
            }
        }
        let (base, revision) = (&mut self.documents.base, &mut self.documents.revision);
        let renamed = take_matches(&mut removed, &mut added, |(.., old), (.., new)| {
            base.digest(*old, Aspect::Validity) == revision.digest(*new, Aspect::Validity)
        });
        for ((name, site, _), (other, id, _)) in renamed {
            let edit = Edit::changed(site, id).item("discriminator");
            let what = format!("the value `{name}` of the discriminator became `{other}`");
            self.report(change!("discriminator-value-renamed"), edit, &what);
        }
        let base_list = self.documents.base.tree.component_list("schemas");
        let revision_list = self.documents.revision.tree.component_list("schemas");
        for (name, site, _) in removed {
            let value = format!("the value `{name}`");
            self.report_value(&value, Edit::removed(site, revision_list));
        }
        for (name, id, _) in added {
            let value = format!("the value `{name}`");
            self.report_value(&value, Edit::added(base_list, id));
        }
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
