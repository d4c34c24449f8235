//! `properties`, `required`, `additionalProperties`, `items`.

use std::collections::BTreeSet;

use super::{Pair, Required, Role};
use crate::finding::Side;
use crate::lifecycle::{self, Lifecycle, PROPERTY};
use crate::schema::{Additional, SetId};
use crate::session::Edit;

impl<'d> Pair<'_, 'd> {
    pub(super) fn items(&mut self) {
        match (self.base.items, self.revision.items) {
            (Some(base), Some(revision)) => self.child(base, revision, "[]", Required::Yes),
            (None, None) => {}
            // What became an array, or is none any more, has another type; its items come or go with that.
            _ if self.base.may_be("array") != self.revision.may_be("array") => {}
            // Without `items`, an item may be anything, as with `{}`.
            (None, Some(set)) if !self.session.revision.is_annotation(set) => {
                let edit = self.edit("items");
                self.report("items-restricted", edit, "items must follow a schema now");
            }
            (Some(set), None) if !self.session.base.is_annotation(set) => {
                let edit = self.edit("items");
                self.report("items-generalized", edit, "items may be anything now");
            }
            _ => {
                let edit = self.edit("items");
                self.report_as(
                    "documentation-changed".into(),
                    edit,
                    "`items` changed in words",
                );
            }
        }
    }

    pub(super) fn properties(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        for (name, set) in &base.properties {
            match revision.properties.get(name) {
                Some(other) => {
                    let required = match revision.required.contains_key(name) {
                        true => Required::Yes,
                        false => Required::No,
                    };
                    self.child(*set, *other, name, required);
                }
                None => self.property_removed(name, *set),
            }
        }
        for (name, set) in &revision.properties {
            if !base.properties.contains_key(name) {
                self.property_added(name, *set);
            }
        }
        let names: BTreeSet<&str> = base
            .required
            .keys()
            .chain(revision.required.keys())
            .copied()
            .collect();
        for name in names {
            let came_or_went =
                base.properties.contains_key(name) != revision.properties.contains_key(name);
            let was = base.required.contains_key(name);
            let is = revision.required.contains_key(name);
            if !came_or_went && was != is {
                self.requirement(name);
            }
        }
    }

    fn requirement(&mut self, name: &'d str) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let edit = match (base.required.get(name), revision.required.get(name)) {
            (Some(site), _) => {
                let list = revision.keyword("required", self.revision_site());
                Edit::removed(*site, list)
            }
            (_, Some(site)) => {
                let list = base.keyword("required", self.base_site());
                Edit::added(list, *site)
            }
            (None, None) => return,
        };
        let required = revision.required.contains_key(name);
        // Whether it travels at all is a matter of who promised it.
        let property = match required {
            true => revision
                .properties
                .get(name)
                .map(|set| self.session.revision.get(*set)),
            false => base
                .properties
                .get(name)
                .map(|set| self.session.base.get(*set)),
        };
        let is =
            |flag: fn(&crate::schema::Schema<'_>) -> bool| property.as_deref().is_some_and(flag);
        let change = match required {
            true => "became-required",
            false => "became-optional",
        };
        let what = match required {
            true => format!("`{name}` is required now"),
            false => format!("`{name}` is not required any more"),
        };
        let prefix = self.setting.role.inner().prefix();
        let hidden = self.one_way().is_some();
        let rule = match self.setting.role.inner() {
            Role::RequestProperty if hidden || is(|p| p.read_only) => {
                "request-read-only-property-changed".to_owned()
            }
            Role::RequestProperty if required && is(|p| !p.defaults.is_empty()) => {
                "request-property-became-required-with-default".to_owned()
            }
            Role::ResponseProperty if hidden || is(|p| p.write_only) => {
                format!("response-write-only-property-{change}")
            }
            Role::ParameterProperty if required && self.setting.in_header => {
                "request-header-property-became-required".to_owned()
            }
            _ => format!("{prefix}-{change}"),
        };
        self.report_as(rule, edit.item(name), &what);
    }

    fn property_removed(&mut self, name: &'d str, set: SetId) {
        let base = self.base.clone();
        let property = self.session.base.get(set);
        let site = self.property_site(name, set, Side::Base);
        let list = self.revision.keyword("properties", self.revision_site());
        let edit = Edit::removed(site, list).item(name);
        let required = match base.required.contains_key(name) {
            true => "required",
            false => "optional",
        };
        let what = format!("the property `{name}` is gone");
        let closed = self.revision.additional == Additional::Forbidden;
        let hidden = self.one_way().is_some();
        match self.setting.role {
            Role::RequestBody | Role::RequestProperty if hidden || property.read_only => {
                self.report_as("request-read-only-property-changed".into(), edit, &what);
            }
            Role::RequestBody | Role::RequestProperty => {
                if closed {
                    let refused = format!("{what}, and the object takes no others");
                    let rule = "request-property-forbidden".to_owned();
                    self.report_as(rule, edit.clone(), &refused);
                }
                self.report_as("request-property-removed".into(), edit.clone(), &what);
                self.case_change(name, edit);
            }
            Role::ResponseBody | Role::ResponseProperty => {
                let kind = if hidden || property.write_only {
                    "-write-only"
                } else {
                    ""
                };
                let rule = format!("response-{required}{kind}-property-removed");
                self.report_as(rule, edit.clone(), &what);
                self.case_change(name, edit);
            }
            role => self.report_as(format!("{}-property-removed", role.prefix()), edit, &what),
        }
    }

    fn property_added(&mut self, name: &'d str, set: SetId) {
        let revision = self.revision.clone();
        let property = self.session.revision.get(set);
        let site = self.property_site(name, set, Side::Revision);
        let list = self.base.keyword("properties", self.base_site());
        let edit = Edit::added(list, site).item(name);
        let is_required = revision.required.contains_key(name);
        let required = if is_required { "required" } else { "optional" };
        let what = format!("the {required} property `{name}` is new");
        let hidden = self.one_way().is_some();
        let rule = match self.setting.role {
            // Nobody sends it, as when it goes.
            Role::RequestBody | Role::RequestProperty if hidden || property.read_only => {
                "request-read-only-property-changed".to_owned()
            }
            Role::RequestBody | Role::RequestProperty if is_required => {
                match property.defaults.is_empty() {
                    true => "new-required-request-property".to_owned(),
                    false => "new-required-request-property-with-default".to_owned(),
                }
            }
            Role::RequestBody | Role::RequestProperty => "new-optional-request-property".to_owned(),
            Role::ResponseBody | Role::ResponseProperty => {
                let kind = if hidden || property.write_only {
                    "-write-only"
                } else {
                    ""
                };
                format!("response-{required}{kind}-property-added")
            }
            Role::Parameter | Role::ParameterProperty if is_required && self.setting.in_header => {
                "new-required-request-header-property".to_owned()
            }
            role => format!("{}-{required}-property-added", role.prefix()),
        };
        self.report_as(rule, edit.clone(), &what);
        let life = Lifecycle::of_schema(&property);
        let (promised, policy) = (self.setting.promised, self.session.policy);
        if let Some((change, what)) = lifecycle::arrival(&PROPERTY, &life, promised, policy) {
            let prefix = self.setting.role.inner().prefix();
            let what = format!("the property `{name}` {what}");
            self.report_as(format!("{prefix}-{change}"), edit, &what);
        }
    }

    /// `petName` and `pet_name` are one property to a person, and two to a generated client.
    fn case_change(&mut self, name: &str, edit: Edit) {
        let plain = |name: &str| {
            let kept = name.chars().filter(char::is_ascii_alphanumeric);
            kept.collect::<String>().to_ascii_lowercase()
        };
        let revision = self.revision.clone();
        let mut new = revision.properties.keys();
        let twin = new.find(|other| {
            !self.base.properties.contains_key(*other) && plain(other) == plain(name)
        });
        if let Some(twin) = twin {
            let what = format!("the property `{name}` is called `{twin}` now");
            self.report_as("property-case-changed".to_owned(), edit, &what);
        }
    }

    /// Where the property is declared, not what its `$ref` leads to.
    fn property_site(&self, name: &str, set: SetId, side: Side) -> crate::tree::Id {
        let (schemas, atoms) = match side {
            Side::Base => (&self.session.base, self.session.base.atoms(self.base_set)),
            Side::Revision => {
                let schemas = &self.session.revision;
                (schemas, schemas.atoms(self.revision_set))
            }
        };
        let declared = atoms.iter().find_map(|atom| {
            schemas
                .tree
                .get(schemas.tree.get(*atom, "properties")?, name)
        });
        declared.unwrap_or_else(|| schemas.site(set))
    }

    pub(super) fn additional(&mut self) {
        let (old, new) = (self.base.additional, self.revision.additional);
        let edit = self.edit("additionalProperties");
        match (old, new) {
            (Additional::Schema(base), Additional::Schema(revision)) => {
                self.child(base, revision, "{}", Required::No);
            }
            (Additional::Any, Additional::Any) | (Additional::Forbidden, Additional::Forbidden) => {
            }
            (_, Additional::Forbidden) => {
                let what = "no further properties are possible";
                self.report("additional-properties-forbidden", edit, what);
            }
            (Additional::Forbidden, _) => {
                let what = "further properties are possible now";
                self.report("additional-properties-allowed", edit, what);
            }
            (Additional::Any, Additional::Schema(set))
                if self.session.revision.is_annotation(set) =>
            {
                let what = "further properties are described now";
                self.report_as("documentation-changed".into(), edit, what);
            }
            (Additional::Schema(set), Additional::Any) if self.session.base.is_annotation(set) => {
                let what = "further properties are described no more";
                self.report_as("documentation-changed".into(), edit, what);
            }
            (Additional::Any, Additional::Schema(_)) => {
                let what = "further properties must follow a schema now";
                self.report("additional-properties-restricted", edit, what);
            }
            (Additional::Schema(_), Additional::Any) => {
                let what = "further properties may be anything now";
                self.report("additional-properties-generalized", edit, what);
            }
        }
    }
}
