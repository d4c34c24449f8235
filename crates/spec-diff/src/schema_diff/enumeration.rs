//! `enum`, `x-extensible-enum`, `default`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Pair, Role, shown};
use crate::session::Edit;
use crate::tree::Id;

impl Pair<'_, '_> {
    pub(super) fn enumerations(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        match (&base.enumeration, &revision.enumeration) {
            (None, None) => {}
            (None, Some(_)) => {
                let edit = self.edit("enum");
                let what = "only listed values are possible now";
                if self.setting.role == Role::ParameterProperty && self.setting.in_header {
                    self.report_as("request-header-property-became-enum".into(), edit, what);
                } else {
                    self.report("became-enum", edit, what);
                }
            }
            (Some(_), None) => {
                let edit = self.edit("enum");
                self.report("became-not-enum", edit, "any value is possible now");
            }
            (Some(old), Some(new)) => self.values("enum", "enum-value", old, new),
        }
        let keyword = "x-extensible-enum";
        match (&base.extensible_enum, &revision.extensible_enum) {
            (None, None) => {}
            (Some(old), Some(new)) => self.values(keyword, "x-extensible-enum-value", old, new),
            // Such a list is open: without it the same values are possible as with it.
            (old, _) => {
                let what = match old {
                    None => "an open list names values now",
                    Some(_) => "no open list names values any more",
                };
                let edit = self.edit(keyword);
                self.report_as("extension-changed".to_owned(), edit, what);
            }
        }
    }

    fn values(
        &mut self,
        keyword: &str,
        name: &str,
        old: &BTreeMap<String, Id>,
        new: &BTreeMap<String, Id>,
    ) {
        for (value, site) in old.iter().filter(|(value, _)| !new.contains_key(*value)) {
            let list = self.revision.keyword(keyword, self.revision_site());
            let edit = Edit::removed(*site, list).item(value.clone());
            let what = format!("`{}` is possible no more", shown(value));
            if self.setting.role == Role::ResponseBody && keyword == "enum" {
                self.report_as("response-mediatype-enum-value-removed".into(), edit, &what);
            } else {
                self.report(&format!("{name}-removed"), edit, &what);
            }
        }
        for (value, site) in new.iter().filter(|(value, _)| !old.contains_key(*value)) {
            let list = self.base.keyword(keyword, self.base_site());
            let edit = Edit::added(list, *site).item(value.clone());
            let what = format!("`{}` is possible now", shown(value));
            self.report(&format!("{name}-added"), edit, &what);
        }
    }

    pub(super) fn defaults(&mut self) {
        if self.base.defaults == self.revision.defaults {
            return;
        }
        let first = |values: &BTreeSet<String>| match values.first() {
            Some(value) => format!("`{}`", shown(value)),
            None => "none".to_owned(),
        };
        let (old, new) = (&self.base.defaults, &self.revision.defaults);
        let what = format!("`default` {} → {}", first(old), first(new));
        let change = match (old.is_empty(), new.is_empty()) {
            (true, _) => "default-value-added",
            (_, true) => "default-value-removed",
            _ => "default-value-changed",
        };
        let edit = self.edit("default").item(what.clone());
        if self.setting.role == Role::Parameter && self.setting.required {
            let rule = "request-required-parameter-default-value-changed";
            self.report_as(rule.to_owned(), edit, &what);
        } else {
            self.report(change, edit, &what);
        }
    }
}
