//! What a schema says beside which values are valid: who sends it, how long it stays, what it is called, how it is
//! described; and keywords that nobody knows.

use std::collections::BTreeSet;

use super::{Pair, Role, shown};
use crate::lifecycle::{self, Lifecycle};
use crate::schema::DOCUMENTATION;
use crate::session::Edit;

impl Pair<'_, '_> {
    /// `readOnly` and `writeOnly`.
    pub(super) fn access(&mut self) {
        let flags = [
            (
                "readOnly",
                "read-only",
                self.base.read_only,
                self.revision.read_only,
            ),
            (
                "writeOnly",
                "write-only",
                self.base.write_only,
                self.revision.write_only,
            ),
        ];
        for (keyword, name, was, is) in flags {
            if was == is {
                continue;
            }
            let not = if is { "" } else { "not-" };
            let required = match self.setting.required {
                true => "required",
                false => "optional",
            };
            let rule = match self.setting.role {
                Role::RequestProperty => {
                    format!("request-{required}-property-became-{not}{name}")
                }
                Role::ResponseProperty => {
                    format!("response-{required}-property-became-{not}{name}")
                }
                role => format!("{}-became-{not}{name}", role.prefix()),
            };
            let edit = self.edit(keyword);
            self.report_as(rule, edit, &format!("`{keyword}` is {is} now"));
        }
    }

    /// Deprecation, sunset and stability of a property.
    pub(super) fn lifecycle(&mut self) {
        let old = Lifecycle::of_schema(&self.base);
        let new = Lifecycle::of_schema(&self.revision);
        let prefix = self.setting.role.prefix();
        let policy = self.session.policy;
        for event in lifecycle::property_events(&old, &new, self.setting.promised, policy) {
            let edit = self.edit(self.spelling(event.keywords));
            self.report_as(format!("{prefix}-{}", event.change), edit, &event.what);
            self.told.extend(event.covers);
        }
    }

    /// The spelling of a keyword that either schema has.
    fn spelling(&self, keywords: &'static [&'static str]) -> &'static str {
        let (base, revision) = (&self.base.sites, &self.revision.sites);
        let used = |word: &&&str| base.contains_key(**word) || revision.contains_key(**word);
        keywords.iter().find(used).unwrap_or(&keywords[0])
    }

    pub(super) fn component_name(&mut self) {
        let old = self.session.base.component(self.base_set);
        let new = self.session.revision.component(self.revision_set);
        if let (Some(old), Some(new)) = (old, new)
            && old != new
            && self.session.policy.generated_clients
        {
            let edit = Edit::changed(self.base_site(), self.revision_site()).item("component");
            let what = format!("the component `{old}` is called `{new}` now");
            self.report("component-renamed", edit, &what);
        }
    }

    /// Every other keyword.
    pub(super) fn remainder(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let keywords: BTreeSet<&str> = base
            .rest
            .keys()
            .chain(revision.rest.keys())
            .copied()
            .collect();
        for keyword in keywords {
            let (old, new) = (base.rest.get(keyword), revision.rest.get(keyword));
            if old == new || self.told.contains(&keyword) {
                continue;
            }
            let edit = self.edit(keyword);
            let show = |values: Option<&BTreeSet<String>>| match values.and_then(BTreeSet::first) {
                Some(value) => format!("`{}`", shown(value)),
                None => "none".to_owned(),
            };
            let what = format!("`{keyword}` {} → {}", show(old), show(new));
            match keyword {
                "xml" => self.report("xml-changed", edit, &what),
                keyword if DOCUMENTATION.contains(&keyword) => {
                    self.report_as("documentation-changed".to_owned(), edit, &what);
                }
                keyword if keyword.starts_with("x-") => {
                    self.report_as("extension-changed".to_owned(), edit, &what);
                }
                _ => self.report_as("unclassified-change".to_owned(), edit, &what),
            }
        }
    }
}
