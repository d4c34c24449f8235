//! Compares the fields of an element that have no comparison of their own: documentation, extensions, unknown fields.

use std::collections::BTreeSet;

use spec_model::Value;
use spec_schema::METHODS;

use crate::canonical;
use crate::edit::{Edit, EditKind};
use crate::lifecycle::{self, Lifecycle, LifecycleRules};
use crate::rules::rule;
use crate::schema::same_element;
use crate::session::Session;
use crate::tree::{Id, Tree};

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

impl Session<'_> {
    /// Compares the fields of an element except those that are `known` to another comparison. A field whose value does not
    /// have the form that the other comparison expects is compared here.
    pub(crate) fn compare_other_fields(&mut self, base: Id, revision: Id, known: &[&str]) {
        let (old, new) = (&self.base.tree, &self.revision.tree);
        let (was, now) = (old.node(base), new.node(revision));
        let are_objects = was.as_object().is_some() && now.as_object().is_some();
        let differ = !are_objects && canonical::to_text(was) != canonical::to_text(now);
        let members = old.members(base).chain(new.members(revision));
        let keys: BTreeSet<&str> = members.map(|(key, _)| key).collect();
        if differ {
            let edit = Edit::changed(base, revision).item("value");
            let message = "the value changed".to_owned();
            self.report(rule!("unclassified-change"), edit, message);
        }
        for key in keys {
            let (old, new) = (&self.base.tree, &self.revision.tree);
            let (a, b) = (old.get(base, key), new.get(revision, key));
            let fits = |tree: &Tree<'_>, id: Option<Id>| id.is_none_or(|id| has_form(tree, id));
            if known.contains(&key) && fits(old, a) && fits(new, b) {
                continue;
            }
            if let (Some(a), Some(b)) = (a, b)
                && same_element(&mut self.base, a, &mut self.revision, b)
            {
                continue;
            }
            let edit = Edit::between(a, b, (base, revision)).item(key);
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

    /// Compares deprecation, sunset and stability; returns the extensions whose changes were reported.
    pub(crate) fn compare_lifecycle(
        &mut self,
        rules: &LifecycleRules,
        base: Id,
        revision: Id,
        message_prefix: &str,
    ) -> Vec<&'static str> {
        let old = Lifecycle::from_node(&self.base.tree, base);
        let new = Lifecycle::from_node(&self.revision.tree, revision);
        let mut reported = Vec::new();
        for event in lifecycle::compare(rules, &old, &new, self.stability(), self.policy) {
            let edit = self.keyword_edit(base, revision, event.keywords);
            let message = format!("{message_prefix}{}", event.message);
            self.report(event.rule, edit, message);
            reported.extend(event.covers);
        }
        reported
    }

    /// As [`Session::compare_other_fields`], for the object `key` if both documents have it.
    pub(crate) fn compare_other_fields_of(
        &mut self,
        base: Id,
        revision: Id,
        key: &str,
        known: &[&str],
    ) {
        let base = self.base.tree.get(base, key);
        let revision = self.revision.tree.get(revision, key);
        if let (Some(base), Some(revision)) = (base, revision) {
            self.compare_other_fields(base, revision, known);
        }
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
        "openapi" | "operationId" | "x-required-access" | "name" | "in" | "style" => {
            matches!(value, Value::String(_))
        }
        "authorizationUrl" | "tokenUrl" | "refreshUrl" => matches!(value, Value::String(_)),
        "info" | "paths" | "components" | "x-rate-limits" | "x-error-codes" | "flows"
        | "scopes" | "requestBody" | "responses" | "headers" | "content" | "links" | "schema" => {
            matches!(value, Value::Object(_))
        }
        _ => true,
    }
}
