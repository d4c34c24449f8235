//! Compares request bodies and media types.

use std::collections::{BTreeMap, BTreeSet};

use dropspec_schema::ITEM_SCHEMA_KEYS;
use dropspec_schema::media_type::{essence, find_most_exact};

use super::encoding;
use super::pairs::{FieldComparison, pair_up};
use crate::edit::{Edit, EditKind};
use crate::rules::{Role, RuleId, presence, rule};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Pair, Tree};

/// Compares `requestBody`.
pub(super) fn compare_request_body(session: &mut Session<'_>, pair: Pair) {
    let (old, new) = session.both(pair, |tree, id| {
        let body = tree.get(id, "requestBody")?;
        let object = tree.node(tree.resolve(body)).as_object();
        object.map(|_| body)
    });
    let (Some(base), Some(revision)) = (old, new) else {
        let edit = Edit::between(old, new, pair);
        let tree = &session.revision.tree;
        let required = new.is_some_and(|body| tree.flag(tree.resolve(body), "required"));
        let (added, subject) = match edit.kind {
            _ if required => (
                rule!("request-body-added-required"),
                "a required request body",
            ),
            EditKind::Removed => (rule!("request-body-removed"), "the request body"),
            _ => (
                rule!("request-body-added-optional"),
                "an optional request body",
            ),
        };
        return session.report_presence([added; 2], edit, subject);
    };
    let pair = session.resolve((base, revision));
    let required = [
        rule!("request-body-became-optional"),
        rule!("request-body-became-required"),
    ];
    compare_content(session, pair, Role::RequestBody);
    let fields = [
        ("required", FieldComparison::Flag(required)),
        ("content", FieldComparison::Elsewhere),
    ];
    session.compare_all_fields(pair, "the request body", &fields);
}

/// Compares the media types of a request or response body.
pub(super) fn compare_content(session: &mut Session<'_>, pair: Pair, role: Role) {
    let (mut old, mut new) = session.both(pair, media_types);
    let all = (old.clone(), new.clone());
    let mut replaced = BTreeSet::new();
    for (name, &base) in &all.0 {
        if let Some(revision) = new.get(name) {
            compare_media_type(session, (base, *revision), name, role);
            continue;
        }
        // Several media types of a request may become one range.
        let mut others = new.iter().filter(|(other, _)| {
            role == Role::RequestBody || !old.contains_key(*other) && !replaced.contains(*other)
        });
        let found = others.find_map(|(other, id)| {
            let rule = match role {
                Role::RequestBody => widening_rule(name, other),
                _ => rename_rule(name, other),
            };
            Some((other.clone(), *id, rule?))
        });
        let Some((other, revision, rule)) = found else {
            continue;
        };
        let edit = Edit::changed(base, revision).item("name");
        let message = format!("the media type `{name}` became `{other}`");
        if without_charset(name) == without_charset(&other) {
            session.report_harmless(rule, edit, message);
        } else {
            session.report(rule, edit, message);
        }
        let named = if role.is_request() { name } else { &other };
        compare_media_type(session, (base, revision), named, role);
        old.remove(name);
        replaced.insert(other);
    }
    new.retain(|name, _| old.contains_key(name) || !replaced.contains(name));
    let rules = match role {
        Role::RequestBody => presence!("request-body-media-type"),
        _ => presence!("response-media-type"),
    };
    for entry in pair_up(session.containers(pair, "content"), (old, new)) {
        let subject = format!("the media type `{}`", entry.name);
        // Where it is not named, a range may say what it is.
        let named = |content: &BTreeMap<String, Id>| content.get(&entry.name).copied();
        let covered = match entry.edit.kind {
            EditKind::Added => find_range(&all.0, &entry.name).zip(named(&all.1)),
            EditKind::Removed => named(&all.0).zip(find_range(&all.1, &entry.name)),
            EditKind::Changed => None,
        };
        if covered.is_some() && entry.edit.kind == EditKind::Removed {
            let message = format!("{subject} is no longer named, but a range covers it");
            session.report_harmless(rules[0], entry.edit, message);
        } else {
            session.report_presence(rules, entry.edit, &subject);
        }
        if let Some(covered) = covered {
            compare_media_type(session, covered, &entry.name, role);
        }
    }
}

/// The range that covers a media type most exactly.
fn find_range(content: &BTreeMap<String, Id>, name: &str) -> Option<Id> {
    let ranges = content.iter().filter(|(range, _)| range.contains('*'));
    let ranges: Vec<(&str, Id)> = ranges.map(|(range, id)| (range.as_str(), *id)).collect();
    let found = find_most_exact(ranges.iter().map(|(range, _)| *range), &essence(name))?;
    Some(ranges[found].1)
}

/// The media types in lower case and without spaces.
pub(super) fn media_types(tree: &Tree<'_>, id: Id) -> BTreeMap<String, Id> {
    let normalize = |name: &str| name.to_ascii_lowercase().replace(' ', "");
    let entries = tree.members_of(id, "content");
    entries.map(|(name, id)| (normalize(name), id)).collect()
}

/// A media type without a parameter that says what is true without it.
fn without_charset(name: &str) -> String {
    name.replace('"', "").replace(";charset=utf-8", "")
}

/// The rule for a media type of a request that a range replaces.
fn widening_rule(name: &str, range: &str) -> Option<RuleId> {
    let kind = range.strip_suffix('*').filter(|kind| kind.ends_with('/'));
    let includes = range == "*/*" || kind.is_some_and(|kind| name.starts_with(kind));
    let includes = includes || without_charset(name) == without_charset(range);
    includes.then_some(rule!("request-body-media-type-name-generalized"))
}

/// The rule for a media type of a response that replaces another, if one includes the other: `application/json` includes
/// `application/problem+json` and `application/json;charset=utf-8`.
fn rename_rule(old: &str, new: &str) -> Option<RuleId> {
    fn split(name: &str) -> Option<(&str, &str, &str)> {
        let (essence, parameters) = name.split_once(';').unwrap_or((name, ""));
        let (kind, subtype) = essence.split_once('/')?;
        Some((kind, subtype, parameters))
    }
    const GENERALIZED: RuleId = rule!("response-media-type-name-generalized");
    const SPECIALIZED: RuleId = rule!("response-media-type-name-specialized");
    let (old, new) = (split(old)?, split(new)?);
    let includes = |outer: &str, inner: &str| outer == "*" || inner.ends_with(&format!("+{outer}"));
    match (old.2.is_empty(), new.2.is_empty()) {
        _ if old.0 == "*" && new.0 != "*" => Some(SPECIALIZED),
        _ if old.0 != "*" && new.0 == "*" => Some(GENERALIZED),
        _ if old.0 != new.0 => None,
        _ if old.1 != new.1 && includes(new.1, old.1) => Some(GENERALIZED),
        _ if old.1 != new.1 => includes(old.1, new.1).then_some(SPECIALIZED),
        (true, false) => Some(SPECIALIZED),
        (false, true) => Some(GENERALIZED),
        _ => Some(rule!("response-media-type-name-changed")),
    }
}

fn compare_media_type(session: &mut Session<'_>, pair: Pair, name: &str, role: Role) {
    let pair = session.resolve(pair);
    let context = SchemaContext {
        typed: is_typed(name),
        has_null: has_null(name),
        sent_as: session.operation().and_then(|it| it.sent_as),
        ..SchemaContext::new(role, session.stability())
    };
    let rules = if role.is_request() {
        presence!("request-body-media-type-schema")
    } else {
        presence!("response-body-media-type-schema")
    };
    // Of a stream of items, each item is compared as a body is.
    for (keys, subject, typed) in [
        (&["schema"][..], "the schema", context.typed),
        (&ITEM_SCHEMA_KEYS, "the schema of the items", true),
    ] {
        let (old, new) = session.both(pair, |tree, id| {
            let mut keys = keys.iter();
            keys.find_map(|key| tree.get(id, key))
        });
        if let (Some(old), Some(new)) = (old, new) {
            let (old, new) = (session.base.set_at(old), session.revision.set_at(new));
            let has_null = context.has_null || typed;
            let context = SchemaContext {
                typed,
                has_null,
                ..context
            };
            session.compare_schemas(old, new, context, "");
        } else {
            let edit = Edit::between(old, new, pair);
            session.report_presence(rules, edit, &format!("{subject} of `{name}`"));
        }
    }
    encoding::compare(session, pair, name, role);
    let fields = [
        ("schema", FieldComparison::Elsewhere),
        ("itemSchema", FieldComparison::Elsewhere),
        ("x-item-schema", FieldComparison::Elsewhere),
        ("encoding", FieldComparison::Elsewhere),
    ];
    session.compare_all_fields(pair, "", &fields);
}

/// Whether the media type may write `null`: not in forms and plain texts. Of unknown ones it is not known.
pub(super) fn has_null(name: &str) -> bool {
    const WITHOUT_NULL: [&str; 4] = [
        "application/x-www-form-urlencoded",
        "text/plain",
        "text/html",
        "text/csv",
    ];
    !WITHOUT_NULL.contains(&essence(name).as_str())
}

/// Whether the media type distinguishes numbers from strings.
pub(super) fn is_typed(name: &str) -> bool {
    let typed = ["json", "yaml", "cbor", "msgpack"];
    typed.iter().any(|kind| name.contains(kind))
}
