//! `type`, `format`, `nullable`.

use std::collections::BTreeSet;

use super::{Pair, Role};
use crate::schema::Schema;

impl Pair<'_, '_> {
    pub(super) fn types(&mut self) {
        let same_types = self.base.types == self.revision.types;
        if same_types && self.base.formats == self.revision.formats {
            return;
        }
        let change = match self.setting.role {
            _ if same_types => self.format_change(),
            role if role.is_request() => self.request_type_change(),
            _ => self.response_type_change(),
        };
        let keyword = if same_types { "format" } else { "type" };
        let (base, revision) = (describe(&self.base), describe(&self.revision));
        let edit = self.edit(keyword).item(format!("type {base} → {revision}"));
        self.report(change, edit, &format!("{base} became {revision}"));
    }

    fn request_type_change(&self) -> &'static str {
        let (old, new) = (&self.base.types, &self.revision.types);
        if contains(new, old) || self.becomes_repeated() {
            return "type-generalized";
        }
        let takes_text = is_text(new) && self.is_one_text(old);
        match (self.setting.role, takes_text) {
            (Role::Parameter, true) => "type-generalized",
            (Role::ParameterProperty, true) => "type-changed",
            (_, true) => "type-compatible",
            (Role::ParameterProperty, false) => "type-specialized",
            (_, false) => "type-changed",
        }
    }

    /// Whether the wire carries a value of these types as one text, which says nothing of its type. `?id=1&id=2` is two.
    fn is_one_text(&self, types: &Option<BTreeSet<&str>>) -> bool {
        let parts = self.setting.repeated && types.as_ref().is_some_and(is_compound);
        !self.setting.typed && !parts
    }

    /// `?id=1` says the same for a number as for a list of one.
    fn becomes_repeated(&self) -> bool {
        let named = |types: &Option<BTreeSet<&str>>, name: &str| {
            types.as_ref().is_some_and(|types| types.contains(name))
        };
        let scalar = |types: &BTreeSet<&str>| !types.is_empty() && !is_compound(types);
        self.setting.repeated
            && named(&self.revision.types, "array")
            && self.base.types.as_ref().is_some_and(scalar)
    }

    fn response_type_change(&self) -> &'static str {
        let (old, new) = (&self.base.types, &self.revision.types);
        if contains(old, new) {
            "type-specialized"
        } else if new.is_some() && contains(new, old) {
            "type-generalized"
        } else if !self.setting.typed && is_text(old) {
            "type-compatible"
        } else {
            "type-changed"
        }
    }

    fn format_change(&self) -> &'static str {
        let wider = format_contains(&self.revision.formats, &self.base.formats);
        let narrower = format_contains(&self.base.formats, &self.revision.formats);
        match self.setting.role {
            role if role.is_request() => match (wider, role) {
                (true, _) => "type-generalized",
                (false, Role::ParameterProperty) if narrower => "type-specialized",
                (false, _) => "type-changed",
            },
            _ if narrower => "type-specialized",
            _ if wider && !self.revision.formats.is_empty() => "type-generalized",
            _ => "type-changed",
        }
    }

    pub(super) fn nullable(&mut self) {
        let (change, what) = match (self.base.nullable, self.revision.nullable) {
            (false, true) => ("became-nullable", "may be null now"),
            (true, false) => ("became-not-nullable", "may not be null any more"),
            _ => return,
        };
        let edit = self.edit("nullable");
        self.report(change, edit, what);
    }
}

/// Whether `outer` takes whatever `inner` takes. Absent: everything.
fn contains(outer: &Option<BTreeSet<&str>>, inner: &Option<BTreeSet<&str>>) -> bool {
    match (outer, inner) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(outer), Some(inner)) => inner
            .iter()
            .all(|name| outer.contains(name) || (*name == "integer" && outer.contains("number"))),
    }
}

fn is_text(types: &Option<BTreeSet<&str>>) -> bool {
    types.as_ref().is_some_and(|types| types.contains("string"))
}

fn is_compound(types: &BTreeSet<&str>) -> bool {
    types.contains("array") || types.contains("object")
}

/// Formats, each with one that includes it.
const INCLUDED: [(&str, &str); 4] = [
    ("float", "double"),
    ("int32", "int64"),
    ("int32", "bigint"),
    ("int64", "bigint"),
];

fn format_contains(outer: &BTreeSet<&str>, inner: &BTreeSet<&str>) -> bool {
    let includes = |outer: &str| {
        let included = |inner: &str| INCLUDED.contains(&(inner, outer));
        inner.contains(outer) || inner.iter().any(|inner| included(inner))
    };
    outer.iter().all(|outer| includes(outer))
}

fn describe(schema: &Schema<'_>) -> String {
    let join = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join("|");
    let types = match &schema.types {
        Some(types) if types.is_empty() => "nothing".to_owned(),
        Some(types) => join(types),
        None => "any type".to_owned(),
    };
    match schema.formats.is_empty() {
        true => format!("`{types}`"),
        false => format!("`{types}` ({})", join(&schema.formats)),
    }
}
