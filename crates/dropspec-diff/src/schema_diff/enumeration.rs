//! Compares `enum`, `x-extensible-enum` and `default`.

use std::collections::{BTreeMap, BTreeSet};

use super::SchemaPair;
use super::types::contains;
use super::wording::{describe_change, shorten, show_first};
use crate::edit::{Edit, EditKind, outer_join};
use crate::rules::{Change, Role, change, rule};
use crate::schema::{Schema, type_of_text};
use crate::tree::Id;

impl SchemaPair<'_, '_> {
    /// Whether either schema lists its values, all of which the bounds, lengths and patterns of the other one accept: then
    /// these make no further difference.
    pub(super) fn is_decided_by_enum(&self) -> bool {
        let (base, revision) = (&self.base, &self.revision);
        [(base, revision), (revision, base)]
            .into_iter()
            .any(|(own, other)| {
                let values = own.enumeration.as_ref();
                values.is_some_and(|values| other.accepts_scalars(values.keys()))
            })
    }

    pub(super) fn compare_enums(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        match (&base.enumeration, &revision.enumeration) {
            (None, None) => {}
            (None, Some(_)) => {
                let edit = self.edit("enum");
                let what = "only listed values are valid";
                if self.context.role == Role::ParameterProperty && self.context.in_header {
                    let rule = rule!("request-header-property-became-enum");
                    self.report_rule(rule, edit, what);
                } else {
                    self.report(change!("became-enum"), edit, what);
                }
            }
            (Some(_), None) => {
                let edit = self.edit("enum");
                let what = "any value is valid, no longer only listed ones";
                self.report(change!("became-not-enum"), edit, what);
            }
            (Some(old), Some(new)) => {
                let changes = [change!("enum-value-removed"), change!("enum-value-added")];
                self.compare_listed("enum", changes, old, new);
            }
        }
        let keyword = "x-extensible-enum";
        match (&base.extensible_enum, &revision.extensible_enum) {
            (None, None) => {}
            (Some(old), Some(new)) => {
                let changes = [
                    change!("x-extensible-enum-value-removed"),
                    change!("x-extensible-enum-value-added"),
                ];
                self.compare_listed(keyword, changes, old, new);
            }
            // The list is open, so that the valid values are the same without it.
            (old, _) => {
                let what = match old {
                    None => "the open enum was added",
                    Some(_) => "the open enum was removed",
                };
                self.report_rule(rule!("extension-changed"), self.edit(keyword), what);
            }
        }
    }

    /// The text of a listed value. Without types, `1` and `"1"` are one text.
    fn sent_text<'v>(&self, value: &'v str) -> &'v str {
        let text = value.trim_matches('"');
        if self.context.typed || text == "null" {
            value
        } else {
            text
        }
    }

    fn sent_texts<'v>(&self, values: &'v BTreeMap<String, Id>) -> BTreeSet<&'v str> {
        values.keys().map(|value| self.sent_text(value)).collect()
    }

    /// Whether both schemas list the same texts, of whatever types. Of values with types, those that the types allow are listed.
    pub(super) fn lists_same_texts(&self) -> bool {
        let texts = |schema: &Schema<'_>| -> Option<BTreeSet<String>> {
            let values = schema.enumeration.as_ref()?.keys();
            let is_valid = |value: &&String| {
                let kind = type_of_text(value).filter(|_| self.context.typed);
                kind.is_none_or(|kind| contains(&schema.types, &Some([kind].into())))
            };
            let texts = values
                .filter(is_valid)
                .map(|it| self.sent_text(it).to_owned());
            Some(texts.collect())
        };
        let (old, new) = (texts(&self.base), texts(&self.revision));
        old.is_some() && old == new
    }

    /// Compares the values that a keyword lists, such as `enum`. Reports each removed value as `changes[0]` and each
    /// added one as `changes[1]`.
    fn compare_listed(
        &mut self,
        keyword: &str,
        changes: [Change; 2],
        old: &BTreeMap<String, Id>,
        new: &BTreeMap<String, Id>,
    ) {
        let lists = self.keyword_nodes(keyword);
        let (was, is) = (self.sent_texts(old), self.sent_texts(new));
        for (value, base, revision) in outer_join(old, new) {
            let text = self.sent_text(value);
            if base.is_some() != revision.is_some() && was.contains(text) && is.contains(text) {
                continue;
            }
            let edit = Edit::between(base, revision, lists).item(value);
            let value = shorten(value);
            let is_body_enum = self.context.role == Role::ResponseBody && keyword == "enum";
            match edit.kind {
                EditKind::Changed => {}
                EditKind::Removed if is_body_enum => {
                    let what = format!("the value `{value}` was removed");
                    let rule = rule!("response-mediatype-enum-value-removed");
                    self.report_rule(rule, edit, &what);
                }
                EditKind::Added | EditKind::Removed => {
                    let is_added = edit.kind == EditKind::Added;
                    self.report_presence(changes, is_added, edit, &format!("the value `{value}`"));
                }
            }
        }
    }

    pub(super) fn compare_defaults(&mut self) {
        let (old, new) = (&self.base.defaults, &self.revision.defaults);
        if old == new {
            return;
        }
        let what = describe_change("default", show_first(old), show_first(new));
        let change = match (old.is_empty(), new.is_empty()) {
            (true, _) => change!("default-value-added"),
            (_, true) => change!("default-value-removed"),
            _ => change!("default-value-changed"),
        };
        let edit = self.edit("default").item(what.clone());
        // The default of a value that is always sent is never used.
        let unused = match self.context.role {
            Role::Parameter => Some(rule!("request-required-parameter-default-value-changed")),
            Role::RequestProperty => Some(rule!("request-required-property-default-value-changed")),
            _ => None,
        };
        match unused.filter(|_| self.context.required) {
            Some(rule) => self.report_rule(rule, edit, &what),
            None => self.report(change, edit, &what),
        }
    }
}
