//! Compares request bodies, media types, and the schema or content of a parameter or header.

use std::collections::BTreeMap;

use super::pairs::pair_up;
use crate::canonical;
use crate::edit::{Edit, EditKind};
use crate::rules::{Role, RuleId, presence, rule};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares `requestBody`.
pub(crate) fn compare_request_body(session: &mut Session<'_>, base: Id, revision: Id) {
    let find = |tree: &Tree<'_>, id: Id| {
        let body = tree.get(id, "requestBody")?;
        let object = tree.node(tree.resolve(body)).as_object();
        object.map(|_| body)
    };
    let (old, new) = session.both((base, revision), find);
    let (base_tree, revision_tree) = (&session.base.tree, &session.revision.tree);
    let (Some(base), Some(revision)) = (old, new) else {
        let edit = Edit::between(old, new, (base, revision));
        let required =
            new.is_some_and(|body| revision_tree.flag(revision_tree.resolve(body), "required"));
        let added = if required {
            rule!("request-body-added-required")
        } else {
            rule!("request-body-added-optional")
        };
        let subject = match edit.kind {
            EditKind::Removed => "the request body",
            _ if required => "a required request body",
            _ => "an optional request body",
        };
        session.report_presence([rule!("request-body-removed"), added], edit, subject);
        return;
    };
    let (base, revision) = (base_tree.resolve(base), revision_tree.resolve(revision));
    let rules = [
        rule!("request-body-became-optional"),
        rule!("request-body-became-required"),
    ];
    session.compare_flag(base, revision, "required", rules, "the request body");
    compare_content(session, base, revision, Role::RequestBody);
    session.compare_other_fields(base, revision, &["required", "content"]);
}

/// Compares the media types of a request or response body.
pub(crate) fn compare_content(session: &mut Session<'_>, base: Id, revision: Id, role: Role) {
    let (mut old, mut new) = session.both((base, revision), media_types);
    for (name, base) in &old {
        if let Some(revision) = new.get(name) {
            compare_media_type(session, *base, *revision, name, role);
        }
    }
    let rules = match role {
        Role::RequestBody => {
            compare_widened(session, &mut old, &mut new);
            presence!("request-body-media-type")
        }
        _ => {
            compare_renamed(session, &mut old, &mut new);
            presence!("response-media-type")
        }
    };
    let lists = session.containers(base, revision, "content");
    for entry in pair_up(lists, (old, new)) {
        let subject = format!("the media type `{}`", entry.name);
        session.report_presence(rules, entry.edit, &subject);
    }
}

/// The media types in lower case and without spaces.
pub(super) fn media_types(tree: &Tree<'_>, id: Id) -> BTreeMap<String, Id> {
    let normalize = |name: &str| name.to_ascii_lowercase().replace(' ', "");
    let entries = tree.members_of(id, "content");
    entries.map(|(name, id)| (normalize(name), id)).collect()
}

/// Compares media types of a request with a range that replaces them, and removes them from both maps.
fn compare_widened(
    session: &mut Session<'_>,
    old: &mut BTreeMap<String, Id>,
    new: &mut BTreeMap<String, Id>,
) {
    let includes = |range: &str, name: &str| {
        let kind = range.strip_suffix('*').filter(|kind| kind.ends_with('/'));
        range == "*/*" || kind.is_some_and(|kind| name.starts_with(kind))
    };
    let mut ranges = Vec::new();
    for (name, base) in std::mem::take(old) {
        let range = new.iter().find(|(range, _)| includes(range, &name));
        match range.filter(|_| !new.contains_key(&name)) {
            Some((range, revision)) => {
                let edit = Edit::changed(base, *revision).item("name");
                let message = format!("the media type `{name}` became `{range}`");
                let rule = rule!("request-body-media-type-name-generalized");
                session.report(rule, edit, message);
                compare_media_type(session, base, *revision, &name, Role::RequestBody);
                ranges.push(range.clone());
            }
            None => {
                old.insert(name, base);
            }
        }
    }
    new.retain(|name, _| !ranges.contains(name));
}

/// Compares response media types that replace each other, and removes them from both maps.
fn compare_renamed(
    session: &mut Session<'_>,
    old: &mut BTreeMap<String, Id>,
    new: &mut BTreeMap<String, Id>,
) {
    let removed: Vec<String> = old
        .keys()
        .filter(|name| !new.contains_key(*name))
        .cloned()
        .collect();
    for name in removed {
        let mut added = new.keys().filter(|name| !old.contains_key(*name));
        let Some((other, rule)) =
            added.find_map(|other| Some((other.clone(), rename_rule(&name, other)?)))
        else {
            continue;
        };
        let (Some(base), Some(revision)) = (old.remove(&name), new.remove(&other)) else {
            continue;
        };
        let edit = Edit::changed(base, revision).item("name");
        let message = format!("the media type `{name}` became `{other}`");
        session.report(rule, edit, message);
        compare_media_type(session, base, revision, &other, Role::ResponseBody);
    }
}

/// The rule for a media type that replaces another, if one includes the other: `application/json` includes
/// `application/problem+json` and `application/json;charset=utf-8`.
fn rename_rule(old: &str, new: &str) -> Option<RuleId> {
    fn split(name: &str) -> Option<(&str, &str, &str)> {
        let (essence, parameters) = name.split_once(';').unwrap_or((name, ""));
        let (kind, subtype) = essence.split_once('/')?;
        Some((kind, subtype, parameters))
    }
    let (old, new) = (split(old)?, split(new)?);
    let includes = |outer: &str, inner: &str| outer == "*" || inner.ends_with(&format!("+{outer}"));
    match (old.0 == new.0, old.1 == new.1) {
        (true, true) => Some(match (old.2.is_empty(), new.2.is_empty()) {
            (true, false) => rule!("response-media-type-name-specialized"),
            (false, true) => rule!("response-media-type-name-generalized"),
            _ => rule!("response-media-type-name-changed"),
        }),
        (true, false) if includes(new.1, old.1) => {
            Some(rule!("response-media-type-name-generalized"))
        }
        (true, false) if includes(old.1, new.1) => {
            Some(rule!("response-media-type-name-specialized"))
        }
        _ => None,
    }
}

fn compare_media_type(session: &mut Session<'_>, base: Id, revision: Id, name: &str, role: Role) {
    let context = SchemaContext {
        typed: is_typed(name),
        ..SchemaContext::new(role, session.stability())
    };
    let (rules, encoding_rule) = if role.is_request() {
        (
            presence!("request-body-media-type-schema"),
            rule!("request-body-encoding-changed"),
        )
    } else {
        (
            presence!("response-body-media-type-schema"),
            rule!("response-body-encoding-changed"),
        )
    };
    let (old, new) = session.both((base, revision), |tree, id| tree.get(id, "schema"));
    if let (Some(old), Some(new)) = (old, new) {
        let (old, new) = (session.base.set_at(old), session.revision.set_at(new));
        session.compare_schemas(old, new, context, "");
    } else if old.is_some() || new.is_some() {
        let edit = Edit::between(old, new, (base, revision));
        session.report_presence(rules, edit, &format!("the schema of `{name}`"));
    }
    let subject = format!("the encoding of `{name}`");
    let rule = if has_old_encodings(session, base, revision) {
        encoding_rule
    } else {
        rule!("new-property-encoding-added")
    };
    session.compare_object(base, revision, "encoding", rule, &subject);
    session.compare_other_fields(base, revision, MEDIA_TYPE);
}

/// Whether another encoding applies to a property that the base has.
fn has_old_encodings(session: &mut Session<'_>, base: Id, revision: Id) -> bool {
    let entries = |tree: &Tree<'_>, id: Id| -> BTreeMap<String, String> {
        let entries = tree.members_of(id, "encoding");
        entries
            .map(|(name, id)| (name.to_owned(), canonical::to_text(tree.node(id))))
            .collect()
    };
    let (old, new) = session.both((base, revision), entries);
    let Some(schema) = session.base.tree.get(base, "schema") else {
        return true;
    };
    let set = session.base.set_at(schema);
    let schema = session.base.get(set);
    let names = old.keys().chain(new.keys());
    let mut differing = names.filter(|name| old.get(*name) != new.get(*name));
    differing.any(|name| schema.properties.contains_key(name.as_str()))
}

/// The fields of a media type that have a comparison of their own.
pub(super) const MEDIA_TYPE: &[&str] = &["schema", "encoding"];

/// Whether the media type distinguishes numbers from strings.
pub(super) fn is_typed(name: &str) -> bool {
    let typed = ["json", "yaml", "cbor", "msgpack"];
    typed.iter().any(|kind| name.contains(kind))
}
