//! Compares `type`, `format` and `nullable`.

use std::collections::BTreeSet;

use super::{SchemaPair, is_break};
use crate::rules::{Change, Level, Role, change};
use crate::schema::Schema;

impl<'d> SchemaPair<'_, 'd> {
    /// Compares `type` and `format`. Returns whether what was sent has other types, of which other keywords say no more.
    pub(super) fn compare_types(&mut self) -> bool {
        let same_types = self.base.types == self.revision.types;
        if same_types && self.base.formats == self.revision.formats {
            return false;
        }
        let change = match self.context.role {
            _ if !same_types && self.lists_same_texts() => change!("type-compatible"),
            _ if same_types => self.format_change(),
            role if role.is_request() => self.request_type_change(),
            _ => self.response_type_change(),
        };
        let keyword = if same_types { "format" } else { "type" };
        let (base, revision) = (describe_type(&self.base), describe_type(&self.revision));
        let edit = self.edit(keyword).item(format!("type {base} → {revision}"));
        self.report(change, edit, &format!("the type {base} became {revision}"));
        let is_break = self.context.role.rule(change).rule().level == Level::Error;
        is_break && are_disjoint(&self.base.types, &self.revision.types)
    }

    fn request_type_change(&self) -> Change {
        let (old, new) = (&self.base.types, &self.revision.types);
        let is_wider = contains(new, old) && keeps_formats(&self.revision, &self.base);
        if is_wider || self.became_repeated() {
            return change!("type-generalized");
        }
        // A text with a format that is not understood is any text.
        let formats = &self.revision.formats;
        let takes_any_text = !formats.iter().any(|format| has_word(TEXT_FORMATS, format));
        // Other types were beside text, and what limits texts did not apply to them.
        let (base, revision) = (&self.base, &self.revision);
        let mut limits = revision.limits.keys();
        let limits_text =
            !revision.patterns.is_empty() || limits.any(|limit| limit.ends_with("Length"));
        let takes_any_text = takes_any_text
            && !(limits_text && base.allows_type("string"))
            && revision.not.is_empty();
        let takes_text = names_type(new, "string") && takes_any_text && self.is_one_text(old);
        match (self.context.role, takes_text) {
            (Role::Parameter, true) => change!("type-generalized"),
            (Role::ParameterProperty, true) => change!("type-changed"),
            (_, true) => change!("type-compatible"),
            (Role::ParameterProperty, false) => change!("type-specialized"),
            (_, false) => change!("type-changed"),
        }
    }

    /// Whether a value of these types is sent as one text without a type. `?id=1&id=2` is two.
    fn is_one_text(&self, types: &Option<BTreeSet<&str>>) -> bool {
        let parts = self.context.repeated && types.as_ref().is_some_and(is_compound);
        !self.context.typed && !parts
    }

    /// Whether a scalar became an array that is sent as several parameters: `?id=1` is valid for both.
    pub(super) fn became_repeated(&self) -> bool {
        let scalar = |types: &BTreeSet<&str>| !types.is_empty() && !is_compound(types);
        self.context.repeated
            && names_type(&self.revision.types, "array")
            && self.base.types.as_ref().is_some_and(scalar)
    }

    fn response_type_change(&self) -> Change {
        let (old, new) = (&self.base.types, &self.revision.types);
        if contains(old, new) && keeps_formats(&self.base, &self.revision) {
            change!("type-specialized")
        } else if new.is_some() && contains(new, old) {
            change!("type-generalized")
        } else if !self.context.typed && names_type(old, "string") {
            change!("type-compatible")
        } else {
            change!("type-changed")
        }
    }

    fn format_change(&self) -> Change {
        let known = |formats: &BTreeSet<&'d str>| -> BTreeSet<&'d str> {
            formats.iter().copied().filter(|it| is_known(it)).collect()
        };
        let (old, new) = (known(&self.base.formats), known(&self.revision.formats));
        let types = &self.base.types;
        let mut changed = old.symmetric_difference(&new);
        let is_same =
            changed.all(|it| (old.is_empty() || new.is_empty()) && says_nothing(types, it));
        let wider = format_contains(&new, &old);
        let narrower = format_contains(&old, &new);
        match self.context.role {
            _ if is_same => change!("type-compatible"),
            role if role.is_request() => match (wider, role) {
                (true, _) => change!("type-generalized"),
                (false, Role::ParameterProperty) if narrower => change!("type-specialized"),
                (false, _) => change!("type-changed"),
            },
            _ if narrower => change!("type-specialized"),
            _ if wider && !new.is_empty() => change!("type-generalized"),
            _ => change!("type-changed"),
        }
    }

    pub(super) fn compare_nullable(&mut self) {
        // Without a keyword that says so, `null` is valid as any value is.
        let is_same = self.base.accepts_null() == self.revision.accepts_null();
        let (change, what) = match (self.base.nullable, self.revision.nullable) {
            _ if is_same => return,
            (false, true) => (change!("became-nullable"), "`null` became valid"),
            (true, false) => (change!("became-not-nullable"), "`null` is no longer valid"),
            _ => return,
        };
        if self.do_members_decide_about_null() {
            return;
        }
        let edit = self.edit("nullable");
        self.report(change, edit, what);
        let found = self.found.rule_matches.last_mut();
        if let Some(found) = found.filter(|it| !self.context.has_null && is_break(it.rule)) {
            found.lower();
        }
    }
}

/// Whether all formats that the outer schema asks for are those of the inner one, or for types that the inner one excludes.
pub(super) fn keeps_formats(outer: &Schema<'_>, inner: &Schema<'_>) -> bool {
    let concerns = |format: &str| match format {
        "float" | "double" | "decimal" => false,
        "int64" => inner.allows_type("number"),
        _ if has_word(TEXT_FORMATS, format) => inner.allows_type("string"),
        _ => inner.allows_type("integer") || inner.allows_type("number"),
    };
    let known = outer.formats.iter().copied().filter(|it| is_known(it));
    known
        .filter(|format| concerns(format))
        .all(|format| format_contains(&[format].into(), &inner.formats))
}

/// Whether the types `outer` include all values of the types `inner`: `number` includes `integer`. `None` is every type.
pub(super) fn contains(outer: &Option<BTreeSet<&str>>, inner: &Option<BTreeSet<&str>>) -> bool {
    match (outer, inner) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(outer), Some(inner)) => inner
            .iter()
            .all(|name| outer.contains(name) || (*name == "integer" && outer.contains("number"))),
    }
}

/// Whether no value has one of the types and one of the others.
fn are_disjoint(some: &Option<BTreeSet<&str>>, others: &Option<BTreeSet<&str>>) -> bool {
    let (Some(some), Some(others)) = (some, others) else {
        return false;
    };
    let is_numeric = |name: &&str| ["integer", "number"].contains(name);
    some.is_disjoint(others) && !(some.iter().any(is_numeric) && others.iter().any(is_numeric))
}

/// Whether `type` is given and includes a type.
fn names_type(types: &Option<BTreeSet<&str>>, name: &str) -> bool {
    types.as_ref().is_some_and(|types| types.contains(name))
}

/// Whether arrays or objects are among the types.
fn is_compound(types: &BTreeSet<&str>) -> bool {
    types.contains("array") || types.contains("object")
}

/// Formats that not every text has.
const TEXT_FORMATS: &str = "byte date date-time duration email hostname idn-email idn-hostname ip ipv4 ipv6 \
    json-pointer regex time uri uri-reference uuid";

/// Formats of numbers.
const NUMBER_FORMATS: &str =
    "int8 uint8 int16 uint16 int32 uint32 int64 uint64 int uint bigint float double decimal";

/// Formats, each with all formats that include it.
const INCLUDED: [(&str, &str); 12] = [
    ("float", "double"),
    ("int8", "int16 int32 int64 int bigint"),
    ("int16", "int32 int64 int bigint"),
    ("int32", "int64 int bigint"),
    ("int64", "bigint"),
    (
        "uint8",
        "uint16 uint32 uint64 uint int16 int32 int64 int bigint",
    ),
    ("uint16", "uint32 uint64 uint int32 int64 int bigint"),
    ("uint32", "uint64 uint int64 int bigint"),
    ("uint64", "bigint"),
    ("ipv4", "ip"),
    ("ipv6", "ip"),
    ("uri", "uri-reference"),
];

/// Whether a list of words has a word.
fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// Whether all values of the inner formats have the outer formats.
fn format_contains(outer: &BTreeSet<&str>, inner: &BTreeSet<&str>) -> bool {
    let includes = |outer: &str| {
        let included = |inner: &str| {
            let mut known = INCLUDED.iter().filter(|(format, _)| *format == inner);
            known.any(|(_, wider)| has_word(wider, outer))
        };
        inner.contains(outer) || inner.iter().any(|inner| included(inner))
    };
    outer.iter().all(|outer| includes(outer))
}

/// Whether a format says which values are valid. Any other one is a note to the reader (JSON Schema Validation, 7.2.1).
fn is_known(format: &str) -> bool {
    has_word(TEXT_FORMATS, format) || has_word(NUMBER_FORMATS, format)
}

/// Whether a format says what servers and clients assume of the type without it: 64 bits.
fn says_nothing(types: &Option<BTreeSet<&str>>, format: &str) -> bool {
    match format {
        "int64" => names_type(types, "integer") && !names_type(types, "number"),
        "double" => names_type(types, "number"),
        _ => false,
    }
}

/// Names the types and formats of a schema in messages.
fn describe_type(schema: &Schema<'_>) -> String {
    let join = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join("|");
    let types = match &schema.types {
        Some(types) if types.is_empty() => "nothing".to_owned(),
        Some(types) => join(types),
        None => "any type".to_owned(),
    };
    if schema.formats.is_empty() {
        format!("`{types}`")
    } else {
        format!("`{types}` ({})", join(&schema.formats))
    }
}
