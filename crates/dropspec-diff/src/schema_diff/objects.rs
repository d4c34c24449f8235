//! Compares `properties`, `required`, `additionalProperties` and `items`.

use std::collections::HashSet;

use super::{Presence, SchemaPair};
use crate::edit::{Edit, outer_join};
use crate::finding::Side;
use crate::lifecycle::{self, Lifecycle, LifecycleRules};
use crate::rules::{Change, Role, change, rule};
use crate::schema::{Additional, Schema, SetId};
use crate::tree::Id;

impl<'d> SchemaPair<'_, 'd> {
    pub(super) fn compare_items(&mut self) {
        let (base, revision) = (self.base.items, self.revision.items);
        let changes = [change!("items-generalized"), change!("items-restricted")];
        match (base, revision) {
            // A value that was sent alone is one item now.
            (None, Some(items)) if self.became_repeated() => {
                self.add_child(self.base_set, items, "[]", Presence::Required);
            }
            (Some(base), Some(revision)) => {
                self.add_child(base, revision, "[]", Presence::Required);
            }
            // If the schema became an array, or is no longer one, its type changed.
            _ if self.base.allows_type("array") != self.revision.allows_type("array") => {}
            _ => self.report_inner(base, revision, changes, "items", "items"),
        }
    }

    /// Reports a schema for what is inside a value, by the first of the changes if it was removed. Without one, everything
    /// is valid there.
    pub(super) fn report_inner(
        &mut self,
        base: Option<SetId>,
        revision: Option<SetId>,
        changes: [Change; 2],
        keyword: &str,
        subject: &str,
    ) {
        let (side, set, what) = match (base, revision) {
            (Some(set), None) => (Side::Base, set, "no longer need to match a schema"),
            (None, Some(set)) => (Side::Revision, set, "must match a schema"),
            _ => return,
        };
        let edit = self.edit(keyword);
        if self.schemas_of_document(side).is_annotation(set) {
            let what = format!("the documentation of {subject} changed");
            self.report_rule(rule!("documentation-changed"), edit, &what);
        } else {
            let change = changes[usize::from(side == Side::Revision)];
            self.report(change, edit, &format!("{subject} {what}"));
        }
    }

    pub(super) fn compare_properties(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let renamed = self.find_renamed();
        let is_renamed: HashSet<&str> = renamed.iter().flat_map(|(was, is)| [*was, *is]).collect();
        for (name, old, new) in outer_join(&base.properties, &revision.properties) {
            match (old, new) {
                _ if is_renamed.contains(name) => {}
                (Some(old), Some(new)) => {
                    let presence = if revision.required.contains_key(name) {
                        Presence::Required
                    } else {
                        Presence::Optional
                    };
                    self.add_child(old, new, name, presence);
                }
                (Some(old), None) => {
                    let site = self.find_property(name, old, Side::Base);
                    let edit = Edit::removed(site, self.keyword_nodes("properties").1);
                    self.report_removed_property(name, old, edit.item(*name));
                    if let Some(others) = self.find_unnamed(name, Side::Revision) {
                        self.compare_with_unnamed(name, old, others);
                    }
                }
                (None, Some(new)) => {
                    let site = self.find_property(name, new, Side::Revision);
                    let edit = Edit::added(self.keyword_nodes("properties").0, site);
                    self.report_added_property(name, new, edit.item(*name));
                    if let Some(others) = self.find_unnamed(name, Side::Base) {
                        self.compare_with_unnamed(name, others, new);
                    }
                }
                (None, None) => {}
            }
        }
        for (was, is) in renamed {
            self.report_renamed_property(was, is);
        }
        for (name, was, is) in outer_join(&base.required, &revision.required) {
            let in_both =
                base.properties.contains_key(name) == revision.properties.contains_key(name);
            if in_both && was.is_some() != is.is_some() {
                self.report_requirement(name, was, is);
            }
        }
    }

    fn report_requirement(&mut self, name: &'d str, was: Option<Id>, is: Option<Id>) {
        let edit = Edit::between(was, is, self.keyword_nodes("required")).item(name);
        let required = is.is_some();
        // The document that requires the property decides whether requests or responses contain it.
        let (side, owner, change, what) = if required {
            let change = change!("became-required");
            (Side::Revision, self.revision.clone(), change, "required")
        } else {
            (
                Side::Base,
                self.base.clone(),
                change!("became-optional"),
                "optional",
            )
        };
        let property = owner.properties.get(name);
        let property = property.map(|set| self.schemas_of_document(side).get(*set));
        let is = |flag: fn(&Schema<'_>) -> bool| property.as_deref().is_some_and(flag);
        let hidden = self.one_way().is_some();
        let role = self.context.role.inner();
        let rule = match role {
            Role::RequestProperty if hidden || is(|p| p.read_only) => {
                rule!("request-read-only-property-changed")
            }
            Role::RequestProperty if required && is(|p| !p.defaults.is_empty()) => {
                rule!("request-property-became-required-with-default")
            }
            Role::ResponseProperty if hidden || is(|p| p.write_only) => {
                if required {
                    rule!("response-write-only-property-became-required")
                } else {
                    rule!("response-write-only-property-became-optional")
                }
            }
            Role::ParameterProperty if required && self.context.in_header => {
                rule!("request-header-property-became-required")
            }
            role => role.rule(change),
        };
        self.report_rule(rule, edit, &format!("the property `{name}` became {what}"));
    }

    pub(super) fn report_removed_property(&mut self, name: &'d str, set: SetId, edit: Edit) {
        let property = self.documents.base.get(set);
        let required = self.base.required.contains_key(name);
        let what = format!("the property `{name}` was removed");
        let closed =
            self.forbids_unevaluated() || self.revision.additional == Additional::Forbidden;
        let closed = closed && self.find_unnamed(name, Side::Revision).is_none();
        let hidden = self.one_way().is_some();
        let role = self.context.role.inner();
        let rule = match role {
            Role::RequestProperty if hidden || property.read_only => {
                rule!("request-read-only-property-changed")
            }
            Role::RequestProperty => {
                if closed {
                    let what = format!("{what}, and the object accepts no others");
                    let rule = rule!("request-property-forbidden");
                    self.report_rule(rule, edit.clone(), &what);
                }
                rule!("request-property-removed")
            }
            Role::ResponseProperty => match (required, hidden || property.write_only) {
                (true, false) => rule!("response-required-property-removed"),
                (false, false) => rule!("response-optional-property-removed"),
                (true, true) => rule!("response-required-write-only-property-removed"),
                (false, true) => rule!("response-optional-write-only-property-removed"),
            },
            _ => self.context.role.rule(change!("property-removed")),
        };
        self.report_rule(rule, edit.clone(), &what);
        let is_sent = match role {
            Role::RequestProperty => !hidden && !property.read_only,
            role => role == Role::ResponseProperty,
        };
        if is_sent {
            self.report_case_change(name, edit);
        }
    }

    pub(super) fn report_added_property(&mut self, name: &'d str, set: SetId, edit: Edit) {
        let property = self.documents.revision.get(set);
        let required = self.revision.required.contains_key(name);
        let hidden = self.one_way().is_some();
        let rule = match self.context.role.inner() {
            // No request contains it.
            Role::RequestProperty if hidden || property.read_only => {
                rule!("request-read-only-property-changed")
            }
            Role::RequestProperty => match (required, property.defaults.is_empty()) {
                (true, true) => rule!("new-required-request-property"),
                (true, false) => rule!("new-required-request-property-with-default"),
                (false, _) => rule!("new-optional-request-property"),
            },
            Role::ResponseProperty => match (required, hidden || property.write_only) {
                (true, false) => rule!("response-required-property-added"),
                (false, false) => rule!("response-optional-property-added"),
                (true, true) => rule!("response-required-write-only-property-added"),
                (false, true) => rule!("response-optional-write-only-property-added"),
            },
            Role::ParameterProperty if required && self.context.in_header => {
                rule!("new-required-request-header-property")
            }
            _ => self.context.role.rule(if required {
                change!("required-property-added")
            } else {
                change!("optional-property-added")
            }),
        };
        let word = if required { "required" } else { "optional" };
        let what = format!("the {word} property `{name}` was added");
        self.report_rule(rule, edit.clone(), &what);
        let life = Lifecycle::from_schema(&property);
        let rules = LifecycleRules::for_property(self.context.role.inner());
        let (stability, policy) = (self.context.stability, self.documents.policy);
        if let Some((rule, what)) = lifecycle::check_added(&rules, &life, stability, policy) {
            self.report_rule(rule, edit.clone(), &format!("the property `{name}` {what}"));
        }
        if let Some(text) = &life.unknown_stability {
            let rule = self.context.role.inner().rule(change!("stability-invalid"));
            let what = lifecycle::describe_unknown_stability(text);
            let edit = edit.item(format!("{name}: stability"));
            self.report_rule(rule, edit, &format!("the property `{name}`: {what}"));
        }
    }

    /// Reports a property that was added in another case: `petName` and `pet_name` differ in a generated client.
    fn report_case_change(&mut self, name: &str, edit: Edit) {
        let normalize = |name: &str| {
            let letters = name.chars().filter(char::is_ascii_alphanumeric);
            letters.collect::<String>().to_ascii_lowercase()
        };
        let (base, revision) = (&self.base, &self.revision);
        let by_letters = self.added_by_letters.get_or_insert_with(|| {
            let new = revision.properties.keys().rev();
            let added = new.filter(|other| !base.properties.contains_key(*other));
            added.map(|other| (normalize(other), *other)).collect()
        });
        if let Some(renamed) = by_letters.get(&normalize(name)).copied() {
            let what = format!("the property `{name}` became `{renamed}`");
            self.report_rule(rule!("property-case-changed"), edit, &what);
        }
    }

    /// The node that declares a property, which is not the target of its `$ref`.
    pub(super) fn find_property(&mut self, name: &str, set: SetId, side: Side) -> Id {
        let owner = match side {
            Side::Base => self.base_set,
            Side::Revision => self.revision_set,
        };
        let schemas = self.schemas_of_document(side);
        let tree = &schemas.tree;
        let mut atoms = schemas.atoms(owner).iter();
        let declared = atoms.find_map(|atom| tree.get(tree.get(*atom, "properties")?, name));
        declared.unwrap_or_else(|| schemas.site(set))
    }
}
