//! What is left of an element when its known fields have been compared: documentation, extensions, and what nobody knows.

use std::collections::BTreeSet;

use spec_model::Value;

use crate::canonical;
use crate::schema::same_element;
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// The kind of value that a known field is compared as. Another kind is compared as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Any,
    Array,
    /// Compared as it stands, where it is not this value, which is the same as none.
    Default(&'static str),
    Flag,
    Object,
    Text,
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

impl Session<'_> {
    /// Compares the fields that are not `known`.
    pub(crate) fn remainder(&mut self, base: Id, revision: Id, known: &[(&str, Expected)]) {
        let mut changes = Vec::new();
        let (old, new) = (&self.base.tree, &self.revision.tree);
        let (was, now) = (old.node(base), new.node(revision));
        let readable = was.as_object().is_some() && now.as_object().is_some();
        if !readable && canonical::text(was) != canonical::text(now) {
            let edit = Edit::changed(base, revision).item("value");
            changes.push(("unclassified-change", edit, "the value changed".to_owned()));
        }
        let keys: BTreeSet<&str> = old
            .members(base)
            .chain(new.members(revision))
            .map(|(key, _)| key)
            .collect();
        for key in keys {
            let (old, new) = (&self.base.tree, &self.revision.tree);
            let (a, b) = (old.get(base, key), new.get(revision, key));
            let expected = known.iter().find(|(name, _)| *name == key);
            let as_expected = expected.is_some_and(|(_, expected)| {
                a.is_none_or(|id| is(old, id, *expected))
                    && b.is_none_or(|id| is(new, id, *expected))
            });
            if as_expected {
                continue;
            }
            let same = match (a, b) {
                (Some(a), Some(b)) => same_element(&mut self.base, a, &mut self.revision, b),
                _ => false,
            };
            if same {
                continue;
            }
            let edit = match (a, b) {
                (Some(a), Some(b)) => Edit::changed(a, b),
                (Some(a), None) => Edit::removed(a, revision),
                (None, Some(b)) => Edit::added(base, b),
                (None, None) => continue,
            };
            let happened = match (a, b) {
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "is gone",
                _ => "is new",
            };
            let rule = match key {
                key if DOCUMENTATION.contains(&key) => "documentation-changed",
                key if key.starts_with("x-") => "extension-changed",
                _ => "unclassified-change",
            };
            changes.push((rule, edit.item(key), format!("`{key}` {happened}")));
        }
        for (rule, edit, message) in changes {
            self.report(rule, edit, message);
        }
    }

    /// Whether two objects differ in what they mean; an absent one is an empty one.
    pub(crate) fn elements_differ(&mut self, base: Option<Id>, revision: Option<Id>) -> bool {
        let is_empty = |tree: &Tree<'_>, id: Option<Id>| {
            id.is_none_or(|id| tree.node(id).as_object().is_some_and(|o| o.is_empty()))
        };
        match (base, revision) {
            (Some(base), Some(revision)) => {
                !same_element(&mut self.base, base, &mut self.revision, revision)
            }
            _ => !is_empty(&self.base.tree, base) || !is_empty(&self.revision.tree, revision),
        }
    }

    /// As [`Session::remainder`], for the object under `key`.
    pub(crate) fn member_remainder(
        &mut self,
        base: Id,
        revision: Id,
        key: &str,
        known: &[(&str, Expected)],
    ) {
        let base = self.base.tree.get(base, key);
        let revision = self.revision.tree.get(revision, key);
        if let (Some(base), Some(revision)) = (base, revision) {
            self.remainder(base, revision, known);
        }
    }
}

fn is(tree: &Tree<'_>, id: Id, expected: Expected) -> bool {
    let value = &tree.node(id).value;
    match expected {
        Expected::Any => true,
        Expected::Array => matches!(value, Value::Array(_)),
        Expected::Default(text) => match value {
            Value::Bool(truth) => truth.to_string() == text,
            value => matches!(value, Value::String(own) if own == text),
        },
        Expected::Flag => matches!(value, Value::Bool(_)),
        Expected::Object => matches!(value, Value::Object(_)),
        Expected::Text => matches!(value, Value::String(_)),
    }
}
