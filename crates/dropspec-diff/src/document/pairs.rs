//! Compares the parts of two elements: entries of maps and lists, paired by their names, and fields.

use std::collections::{BTreeMap, BTreeSet};

use dropspec_model::Value;
use dropspec_schema::METHODS;

use crate::canonical;
use crate::edit::{Edit, EditKind, outer_join};
use crate::lifecycle::{self, Lifecycle, LifecycleRules};
use crate::rules::{RuleId, rule};
use crate::session::Session;
use crate::tree::{Id, Pair, Tree};

/// An entry that either document has.
pub(super) struct PairedEntry {
    pub(super) name: String,
    /// Its addition or removal; an edit of both nodes if both documents have it.
    pub(super) edit: Edit,
}

impl PairedEntry {
    /// The nodes, if both documents have it.
    pub(super) fn pair(&self) -> Option<Pair> {
        let Edit { base, revision, .. } = self.edit;
        (self.edit.kind == EditKind::Changed).then_some((base, revision))
    }
}

/// The entries of two maps, whose nodes are `parents`.
pub(super) fn pair_up(
    parents: Pair,
    (old, new): (BTreeMap<String, Id>, BTreeMap<String, Id>),
) -> Vec<PairedEntry> {
    let joined = outer_join(&old, &new).map(|(name, base, revision)| PairedEntry {
        name: name.clone(),
        edit: Edit::between(base, revision, parents),
    });
    joined.collect()
}

/// How a field is compared.
#[derive(Clone, Copy)]
pub(super) enum FieldComparison<'s> {
    /// By other code.
    Elsewhere,
    /// As a flag, which is false where it is absent. The rules are those for true → false and false → true.
    Flag([RuleId; 2]),
    /// As a value.
    Value(RuleId),
    /// As an object with this subject in messages, `$ref`s followed.
    Object(RuleId, &'s str),
}

/// Fields that only describe.
const DOCUMENTATION: [&str; 14] = [
    "title",
    "summary",
    "description",
    "example",
    "examples",
    "externalDocs",
    "termsOfService",
    "contact",
    "license",
    "x-hideTryItPanel",
    "x-successor",
    "x-deprecated-since",
    "x-logo",
    "x-tagGroups",
];

impl<'d> Session<'d> {
    /// Whether the values of the nodes differ, `$ref`s not followed.
    pub(super) fn texts_differ(&self, pair: Pair) -> bool {
        let (old, new) = self.both(pair, |tree, id| canonical::to_text(tree.node(id)));
        old != new
    }

    /// The nodes behind `$ref`s.
    pub(super) fn resolve(&self, (base, revision): Pair) -> Pair {
        (
            self.base.tree.resolve(base),
            self.revision.tree.resolve(revision),
        )
    }

    /// The entries of the map or list `key`, by the names that `read` gives them.
    pub(super) fn entries(
        &self,
        pair: Pair,
        key: &str,
        read: impl Fn(&Tree<'d>, Id) -> BTreeMap<String, Id>,
    ) -> Vec<PairedEntry> {
        pair_up(self.containers(pair, key), self.both(pair, read))
    }

    /// The members of the object `key`.
    pub(super) fn members(&self, pair: Pair, key: &str) -> Vec<PairedEntry> {
        self.entries(pair, key, |tree, id| {
            let members = tree.members_of(id, key);
            members.map(|(name, id)| (name.to_owned(), id)).collect()
        })
    }

    /// Reports an entry that was added or removed by `rules`; by `changed` if it was edited in any way.
    pub(super) fn report_entry(
        &mut self,
        entry: PairedEntry,
        rules: [RuleId; 2],
        changed: RuleId,
        subject: &str,
    ) {
        match entry.pair() {
            Some(pair) if self.texts_differ(pair) => {
                self.report(changed, entry.edit, format!("{subject} changed"));
            }
            _ => self.report_presence(rules, entry.edit, subject),
        }
    }

    /// Compares all fields of an element of this name in messages: those of the list as it says, and the others by
    /// [`Session::compare_other_fields`].
    pub(super) fn compare_all_fields(
        &mut self,
        pair: Pair,
        subject: &str,
        fields: &[(&str, FieldComparison<'_>)],
    ) {
        for (key, field) in fields {
            let (rule, message) = match field {
                FieldComparison::Elsewhere => continue,
                FieldComparison::Flag(rules) => {
                    let (was, is) = self.both(pair, |tree, id| tree.flag(id, key));
                    if was == is {
                        continue;
                    }
                    let message = format!("{subject}: `{key}` {was} → {is}");
                    (rules[usize::from(is)], message)
                }
                FieldComparison::Value(rule) => {
                    let (old, new) = self.both(pair, |tree, id| {
                        let value = tree.get(id, key);
                        value.map(|id| canonical::to_text(tree.node(id)))
                    });
                    if old == new {
                        continue;
                    }
                    (*rule, format!("{subject}: `{key}` changed"))
                }
                FieldComparison::Object(rule, subject) => {
                    let (old, new) = self.both(pair, |tree, id| tree.get(id, key));
                    if !self.elements_differ(old, new) {
                        continue;
                    }
                    (*rule, format!("{subject} changed"))
                }
            };
            self.report_keyword(rule, pair, key, message);
        }
        let known: Vec<&str> = fields.iter().map(|(key, _)| *key).collect();
        self.compare_other_fields(pair, &known);
    }

    /// Compares the fields of an element except those that are `known` to another comparison. A field whose value does not
    /// have the form that the other comparison expects is compared here.
    pub(super) fn compare_other_fields(&mut self, pair: Pair, known: &[&str]) {
        let (was, is) = self.both(pair, |tree, id| tree.node(id).as_object().is_some());
        if !(was && is) && self.texts_differ(pair) {
            let edit = Edit::changed(pair.0, pair.1).item("value");
            self.report(rule!("unclassified-change"), edit, "the value changed");
        }
        let (old, new) = self.both(pair, |tree, id| -> Vec<_> {
            tree.members(id).map(|(key, _)| key).collect()
        });
        let known: BTreeSet<&str> = known.iter().copied().collect();
        for key in old.into_iter().chain(new).collect::<BTreeSet<&str>>() {
            let (old, new) = self.both(pair, |tree, id| tree.get(id, key));
            let (was, is) = self.both(pair, |tree, id| {
                tree.get(id, key).is_none_or(|id| has_form(tree, id))
            });
            let is_known = known.contains(key) && was && is;
            if is_known || (old.is_some() == new.is_some() && !self.elements_differ(old, new)) {
                continue;
            }
            let edit = Edit::between(old, new, pair).item(key);
            let what = match edit.kind {
                EditKind::Changed => "changed",
                EditKind::Removed => "was removed",
                EditKind::Added => "was added",
            };
            let rule = match key {
                key if DOCUMENTATION.contains(&key) => rule!("documentation-changed"),
                key if key.starts_with("x-") => rule!("extension-changed"),
                _ => rule!("unclassified-change"),
            };
            self.report(rule, edit, format!("`{key}` {what}"));
        }
    }

    /// As [`Session::compare_other_fields`], for the object `key` if both documents have it.
    pub(super) fn compare_other_fields_of(&mut self, pair: Pair, key: &str, known: &[&str]) {
        if let (Some(base), Some(revision)) = self.both(pair, |tree, id| tree.get(id, key)) {
            self.compare_other_fields((base, revision), known);
        }
    }

    /// Compares deprecation, sunset and stability; returns the extensions whose changes were reported.
    pub(super) fn compare_lifecycle(
        &mut self,
        rules: &LifecycleRules,
        pair: Pair,
        message_prefix: &str,
    ) -> Vec<(&'static str, FieldComparison<'static>)> {
        let (old, new) = self.both(pair, Lifecycle::from_node);
        let mut reported = Vec::new();
        for event in lifecycle::compare(rules, &old, &new, self.stability(), self.policy) {
            let edit = self.keyword_edit(pair, event.keywords);
            let message = format!("{message_prefix}{}", event.message);
            self.report(event.rule, edit, message);
            reported.extend(
                event
                    .covers
                    .iter()
                    .map(|key| (*key, FieldComparison::Elsewhere)),
            );
        }
        reported
    }
}

/// Whether the value of a field has the form that OpenAPI requires of it. Other fields may have any.
fn has_form(tree: &Tree<'_>, id: Id) -> bool {
    let value = &tree.node(id).value;
    let is_component = tree.component_list(tree.key(id)) == id;
    match tree.key(id) {
        key if is_component || METHODS.contains(&key) => matches!(value, Value::Object(_)),
        "required" | "deprecated" | "explode" | "allowReserved" | "allowEmptyValue" => {
            matches!(value, Value::Bool(_))
        }
        "tags" | "parameters" | "servers" | "security" => matches!(value, Value::Array(_)),
        "openapi" | "operationId" | "x-required-access" | "name" | "in" | "style"
        | "authorizationUrl" | "tokenUrl" | "refreshUrl" => matches!(value, Value::String(_)),
        "info" | "paths" | "components" | "x-rate-limits" | "x-error-codes" | "flows"
        | "scopes" | "requestBody" | "responses" | "headers" | "content" | "links" | "schema"
        | "itemSchema" | "x-item-schema" => {
            matches!(value, Value::Object(_))
        }
        _ => true,
    }
}
