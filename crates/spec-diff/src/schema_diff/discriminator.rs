//! `discriminator`.

use super::{Pair, Required};
use crate::schema::{Aspect, Discriminator, SetId};
use crate::session::Edit;
use crate::tree::Id;

impl<'d> Pair<'_, 'd> {
    pub(super) fn discriminator(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let (old, new) = match (&base.discriminator, &revision.discriminator) {
            (None, None) => return,
            (None, Some(new)) => {
                let edit = Edit::added(self.base_site(), new.site).item("discriminator");
                let what = format!("`{}` tells the schema now", new.property);
                self.report("discriminator-added", edit, &what);
                return;
            }
            (Some(old), None) => {
                let edit = Edit::removed(old.site, self.revision_site()).item("discriminator");
                let what = format!("`{}` tells the schema no more", old.property);
                self.report("discriminator-removed", edit, &what);
                return;
            }
            (Some(old), Some(new)) => (old, new),
        };
        if old.property != new.property {
            let edit = Edit::changed(old.site, new.site).item("propertyName");
            let what = format!(
                "`{}` tells the schema instead of `{}`",
                new.property, old.property
            );
            self.report("discriminator-property-name-changed", edit, &what);
        }
        for (value, target) in &old.mapping {
            match new.mapping.get(value) {
                None => {
                    let edit = Edit::removed(target.site, new.site).item(*value);
                    let what = format!("the value `{value}` is gone");
                    self.report("discriminator-mapping-deleted", edit, &what);
                }
                Some(other) => {
                    let same = match (target.schema, other.schema) {
                        (Some(base), Some(revision)) => self.is_same_component(base, revision),
                        _ => target.written == other.written,
                    };
                    if !same {
                        let edit = Edit::changed(target.site, other.site).item(*value);
                        let what = format!("the value `{value}` stands for another schema");
                        self.report("discriminator-mapping-changed", edit, &what);
                    }
                }
            }
        }
        for (value, target) in &new.mapping {
            if !old.mapping.contains_key(value) {
                let edit = Edit::added(old.site, target.site).item(*value);
                let what = format!("the value `{value}` is new");
                self.report("discriminator-mapping-added", edit, &what);
            }
        }
        if !self.session.base.is_told_apart(self.base_set, old) {
            self.told_apart(old, new);
        }
    }

    /// The schemas behind the values.
    fn told_apart(&mut self, old: &Discriminator<'d>, new: &Discriminator<'d>) {
        for (value, target) in &old.mapping {
            let other = new.mapping.get(value).and_then(|other| other.schema);
            if let (Some(base), Some(revision)) = (target.schema, other)
                && self.is_same_component(base, revision)
            {
                self.child(base, revision, "discriminator", Required::Yes);
            }
        }
        let mut come: Vec<(&str, Id, SetId)> = new
            .heirs
            .iter()
            .filter(|(name, _)| !old.heirs.contains_key(*name))
            .map(|(name, (id, set))| (*name, *id, *set))
            .collect();
        let lists = self.session.component_lists("schemas");
        for (name, (site, base)) in &old.heirs {
            if let Some((_, revision)) = new.heirs.get(name) {
                self.child(*base, *revision, "discriminator", Required::Yes);
                continue;
            }
            let digest = self.session.base.digest(*base, Aspect::Wire);
            let revision = &mut self.session.revision;
            let twin = come
                .iter()
                .position(|(_, _, other)| revision.digest(*other, Aspect::Wire) == digest);
            match twin {
                Some(twin) => {
                    let (other, id, _) = come.remove(twin);
                    let edit = Edit::changed(*site, id).item("discriminator");
                    let what = format!("the discriminator's value `{name}` is `{other}` now");
                    self.report("discriminator-value-renamed", edit, &what);
                }
                None => {
                    let what = format!("the value `{name}` is gone");
                    let edit = Edit::removed(*site, lists.1);
                    self.report("discriminator-mapping-deleted", edit, &what);
                }
            }
        }
        for (name, id, _) in come {
            let what = format!("the value `{name}` is new");
            let edit = Edit::added(lists.0, id);
            self.report("discriminator-mapping-added", edit, &what);
        }
    }

    /// A component that was renamed, or changed in itself, is still what is meant; another one is not, however alike.
    fn is_same_component(&mut self, base: SetId, revision: SetId) -> bool {
        let (schemas, others) = (&mut self.session.base, &mut self.session.revision);
        let (old, new) = (schemas.component(base), others.component(revision));
        let still_there = old.is_some_and(|name| {
            let way = ["components", "schemas", name];
            others.tree.path(Id::ROOT, &way).is_some()
        });
        let mut same_meaning =
            || schemas.digest(base, Aspect::Wire) == others.digest(revision, Aspect::Wire);
        old == new || (!still_there && same_meaning())
    }
}
