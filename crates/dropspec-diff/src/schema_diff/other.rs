//! Compares the keywords that do not decide which values are valid: `readOnly` and `writeOnly`, lifecycle, the name of
//! the component, documentation, extensions; and unknown keywords.

use std::collections::BTreeSet;

use super::SchemaPair;
use super::wording::{describe_change, show_first};
use crate::edit::Edit;
use crate::lifecycle::{self, Lifecycle, LifecycleRules};
use crate::rules::{Role, change, rule};
use crate::schema::{Aspect, DOCUMENTATION};

impl SchemaPair<'_, '_> {
    /// Compares `readOnly` and `writeOnly`.
    pub(super) fn compare_access(&mut self) {
        let prefix = match (self.context.role, self.context.required) {
            (Role::RequestProperty, true) => Some("request-required-property"),
            (Role::RequestProperty, false) => Some("request-optional-property"),
            (Role::ResponseProperty, true) => Some("response-required-property"),
            (Role::ResponseProperty, false) => Some("response-optional-property"),
            _ => None,
        };
        let read_only = [change!("became-not-read-only"), change!("became-read-only")];
        let write_only = [
            change!("became-not-write-only"),
            change!("became-write-only"),
        ];
        let (base, revision) = (&self.base, &self.revision);
        for (keyword, changes, was, is) in [
            ("readOnly", read_only, base.read_only, revision.read_only),
            (
                "writeOnly",
                write_only,
                base.write_only,
                revision.write_only,
            ),
        ] {
            if was != is {
                let change = changes[usize::from(is)];
                let own = prefix.and_then(|prefix| change.rule_with_prefix(prefix));
                let rule = own.unwrap_or_else(|| self.context.role.rule(change));
                let what = format!("`{keyword}` {was} → {is}");
                self.report_rule(rule, self.edit(keyword), &what);
            }
        }
    }

    /// Compares deprecation, sunset and stability of a property.
    pub(super) fn compare_lifecycle(&mut self) {
        let old = Lifecycle::from_schema(&self.base);
        let new = Lifecycle::from_schema(&self.revision);
        let rules = LifecycleRules::for_property(self.context.role);
        let (stability, policy) = (self.context.stability, self.documents.policy);
        for event in lifecycle::compare(&rules, &old, &new, stability, policy) {
            let (base, revision) = (&self.base.sites, &self.revision.sites);
            let is_used = |word: &&&str| base.contains_key(**word) || revision.contains_key(**word);
            let spelling = event.keywords.iter().find(is_used);
            let edit = self.edit(spelling.unwrap_or(&event.keywords[0]));
            self.report_rule(event.rule, edit, &event.message);
            self.reported.extend(event.covers);
        }
    }

    pub(super) fn compare_component_name(&mut self) {
        let old = self.documents.base.component(self.base_set);
        let new = self.documents.revision.component(self.revision_set);
        if let (Some(old), Some(new)) = (old, new)
            && old != new
            && self.documents.policy.generated_clients
        {
            let edit = Edit::changed(self.base_site(), self.revision_site()).item("component");
            let what = format!("the component `{old}` became `{new}`");
            self.report(change!("component-renamed"), edit, &what);
        }
    }

    /// Compares all keywords that have no comparison of their own.
    pub(super) fn compare_other_keywords(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let keywords: BTreeSet<&str> = base
            .rest
            .keys()
            .chain(revision.rest.keys())
            .copied()
            .collect();
        for keyword in keywords {
            let (old, new) = (base.rest.get(keyword), revision.rest.get(keyword));
            if old == new || self.reported.contains(&keyword) {
                continue;
            }
            let edit = self.edit(keyword);
            let (old, new) = (old.and_then(show_first), new.and_then(show_first));
            let what = describe_change(keyword, old, new);
            let rule = match keyword {
                "xml" => {
                    self.report(change!("xml-changed"), edit, &what);
                    continue;
                }
                keyword if DOCUMENTATION.contains(&keyword) => rule!("documentation-changed"),
                keyword if keyword.starts_with("x-") => rule!("extension-changed"),
                _ => rule!("unclassified-change"),
            };
            self.report_rule(rule, edit, &what);
        }
    }

    /// Reports schemas that differ without any other report.
    pub(super) fn check_completeness(&mut self, before: usize) {
        let aspect = Aspect::Everything;
        let documents = &mut self.documents;
        let was = documents.base.shallow_digest(self.base_set, aspect);
        let is = documents.revision.shallow_digest(self.revision_set, aspect);
        if self.found.rule_matches.len() == before && was != is {
            let edit = Edit::changed(self.base_site(), self.revision_site()).item("schema");
            let (rule, what) = if self.base.ineffective == self.revision.ineffective {
                (
                    rule!("unclassified-change"),
                    "the schema changed in a way that has no rule",
                )
            } else {
                (
                    rule!("keyword-without-effect-changed"),
                    "a keyword changed that no value can violate",
                )
            };
            self.report_rule(rule, edit, what);
        }
    }
}
