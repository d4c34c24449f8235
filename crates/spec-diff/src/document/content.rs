//! Compares request bodies, media types, and the value of a parameter or header.

use std::collections::BTreeMap;

use super::operations::keyword_edit;
use super::remainder::Expected;
use crate::schema_diff::{Role, Setting};
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// Compares `requestBody`.
pub(crate) fn compare_request_body(session: &mut Session<'_>, base: Id, revision: Id) {
    let read = |tree: &Tree<'_>, id: Id| {
        let entry = tree.get(id, "requestBody")?;
        let body = tree.resolve(entry);
        tree.node(body).as_object().map(|_| (entry, body))
    };
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    let (base, revision) = match (old, new) {
        (None, None) => return,
        (Some((entry, _)), None) => {
            let message = "the request body is gone".to_owned();
            session.report(
                "request-body-removed",
                Edit::removed(entry, revision),
                message,
            );
            return;
        }
        (None, Some((entry, body))) => {
            let (rule, word) = match session.revision.tree.flag(body, "required") {
                true => ("request-body-added-required", "required"),
                false => ("request-body-added-optional", "optional"),
            };
            let message = format!("a {word} request body is new");
            session.report(rule, Edit::added(base, entry), message);
            return;
        }
        (Some((_, base)), Some((_, revision))) => (base, revision),
    };
    let was = session.base.tree.flag(base, "required");
    let is = session.revision.tree.flag(revision, "required");
    if was != is {
        let edit = keyword_edit(session, base, revision, &["required"]);
        let (rule, what) = match is {
            true => ("request-body-became-required", "must be sent now"),
            false => ("request-body-became-optional", "may be left out now"),
        };
        session.report(rule, edit, format!("the request body {what}"));
    }
    compare_content(session, base, revision, Role::RequestBody);
    session.remainder(
        base,
        revision,
        &[("required", Expected::Flag), ("content", Expected::Object)],
    );
}

/// Compares the media types of a body.
pub(crate) fn compare_content(session: &mut Session<'_>, base: Id, revision: Id, role: Role) {
    let old = media_types(&session.base.tree, base);
    let new = media_types(&session.revision.tree, revision);
    let mut gone: Vec<&String> = old.keys().filter(|name| !new.contains_key(*name)).collect();
    let mut come: Vec<&String> = new.keys().filter(|name| !old.contains_key(*name)).collect();
    for (name, base) in &old {
        if let Some(revision) = new.get(name) {
            compare_media_type(session, *base, *revision, name, role);
        }
    }
    if role == Role::ResponseBody {
        renamed(session, &old, &new, &mut gone, &mut come);
    }
    let whose = if role.is_request() {
        "request-body"
    } else {
        "response"
    };
    let (base_list, revision_list) = session.containers(base, revision, "content");
    for name in gone {
        let edit = Edit::removed(old[name], revision_list);
        let message = format!("the media type `{name}` is gone");
        session.report(&format!("{whose}-media-type-removed"), edit, message);
    }
    for name in come {
        let edit = Edit::added(base_list, new[name]);
        let message = format!("the media type `{name}` is new");
        session.report(&format!("{whose}-media-type-added"), edit, message);
    }
}

/// Media types by their name without what only makes it look different.
fn media_types(tree: &Tree<'_>, id: Id) -> BTreeMap<String, Id> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(' ', "");
    let content = tree.get(id, "content").into_iter();
    let entries = content.flat_map(|content| tree.members(content));
    entries.map(|(name, id)| (plain(name), id)).collect()
}

/// A media type in the place of another of the same kind is one change, not two.
fn renamed<'n>(
    session: &mut Session<'_>,
    old: &BTreeMap<String, Id>,
    new: &BTreeMap<String, Id>,
    gone: &mut Vec<&'n String>,
    come: &mut Vec<&'n String>,
) {
    gone.retain(|name| {
        let twin = come
            .iter()
            .find_map(|other| Some((*other, relation(name, other)?)));
        let Some((other, end)) = twin else {
            return true;
        };
        come.retain(|name| *name != other);
        let edit = Edit::changed(old[*name], new[other]).item("name");
        let message = format!("the media type `{name}` is `{other}` now");
        session.report(&format!("response-media-type-name-{end}"), edit, message);
        compare_media_type(session, old[*name], new[other], other, Role::ResponseBody);
        false
    });
}

/// How one media type includes another: `application/json` includes `application/problem+json` and `…;charset=utf-8`.
fn relation(old: &str, new: &str) -> Option<&'static str> {
    let parts = |name: &str| {
        let (essence, parameters) = match name.split_once(';') {
            Some((essence, parameters)) => (essence.to_owned(), parameters.to_owned()),
            None => (name.to_owned(), String::new()),
        };
        let (kind, subtype) = essence
            .split_once('/')
            .map(|(k, s)| (k.to_owned(), s.to_owned()))?;
        Some((kind, subtype, parameters))
    };
    let (old, new) = (parts(old)?, parts(new)?);
    let includes = |outer: &str, inner: &str| outer == "*" || inner.ends_with(&format!("+{outer}"));
    match (old.0 == new.0, old.1 == new.1) {
        (true, true) => Some(match (old.2.is_empty(), new.2.is_empty()) {
            (true, false) => "specialized",
            (false, true) => "generalized",
            _ => "changed",
        }),
        (true, false) if includes(&new.1, &old.1) => Some("generalized"),
        (true, false) if includes(&old.1, &new.1) => Some("specialized"),
        _ => None,
    }
}

fn compare_media_type(session: &mut Session<'_>, base: Id, revision: Id, name: &str, role: Role) {
    let setting = Setting {
        typed: is_typed(name),
        ..Setting::of(role, session.promised())
    };
    let old = session.base.tree.get(base, "schema");
    let new = session.revision.tree.get(revision, "schema");
    let whose = role.prefix();
    match (old, new) {
        (Some(old), Some(new)) => {
            let (old, new) = (session.base.at(old), session.revision.at(new));
            session.schemas(old, new, setting, "");
        }
        (Some(old), None) => {
            let message = format!("`{name}` has no schema any more");
            let rule = format!("{whose}-media-type-schema-removed");
            session.report(&rule, Edit::removed(old, revision), message);
        }
        (None, Some(new)) => {
            let message = format!("`{name}` has a schema now");
            let rule = format!("{whose}-media-type-schema-added");
            session.report(&rule, Edit::added(base, new), message);
        }
        (None, None) => {}
    }
    let old = session.base.tree.get(base, "encoding");
    let new = session.revision.tree.get(revision, "encoding");
    if session.elements_differ(old, new) {
        let edit = keyword_edit(session, base, revision, &["encoding"]);
        let message = format!("the encoding of `{name}` changed");
        session.report(&format!("{whose}-encoding-changed"), edit, message);
    }
    let known = [("schema", Expected::Object), ("encoding", Expected::Any)];
    session.remainder(base, revision, &known);
}

/// Whether a number and a text look different in this media type.
fn is_typed(name: &str) -> bool {
    ["json", "yaml", "cbor", "msgpack"]
        .iter()
        .any(|kind| name.contains(kind))
}

/// Compares what a parameter or header carries: `schema`, or `content` with one media type.
pub(crate) fn compare_value(
    session: &mut Session<'_>,
    base: Id,
    revision: Id,
    setting: Setting,
    subject: &str,
    content_rule: &str,
) {
    let old = value(&session.base.tree, base);
    let new = value(&session.revision.tree, revision);
    let edit = keyword_edit(session, base, revision, &["content", "schema"]);
    if old.media_type != new.media_type && old.is_given() && new.is_given() {
        let message = format!("the {subject} is encoded otherwise");
        session.report(content_rule, edit, message);
        return;
    }
    match (old.schema, new.schema) {
        (Some(old_schema), Some(new_schema)) => {
            let typed = new.media_type.as_deref().is_some_and(is_typed);
            let setting = Setting { typed, ..setting };
            let base = session.base.at(old_schema);
            let revision = session.revision.at(new_schema);
            session.schemas(base, revision, setting, subject);
        }
        (None, None) => {}
        (Some(_), None) => {
            let rule = format!("{}-type-generalized", setting.role.prefix());
            session.report(&rule, edit, format!("the {subject} has no schema any more"));
        }
        (None, Some(_)) => {
            let end = if setting.role.is_request() {
                "changed"
            } else {
                "specialized"
            };
            let rule = format!("{}-type-{end}", setting.role.prefix());
            session.report(&rule, edit, format!("the {subject} has a schema now"));
        }
    }
    if let (Some(holder), Some(other)) = (old.holder, new.holder) {
        // An encoding means something in the body of a request only.
        let known = [("schema", Expected::Object), ("encoding", Expected::Any)];
        session.remainder(holder, other, &known);
        // One media type is all that can stand there.
        let names = [
            session.base.tree.key(holder),
            session.revision.tree.key(other),
        ];
        let known = names.map(|name| (name, Expected::Any));
        session.member_remainder(base, revision, "content", &known);
    }
}

#[derive(Default)]
struct Carried {
    schema: Option<Id>,
    media_type: Option<String>,
    holder: Option<Id>,
}

impl Carried {
    fn is_given(&self) -> bool {
        self.schema.is_some() || self.media_type.is_some()
    }
}

fn value(tree: &Tree<'_>, id: Id) -> Carried {
    if let Some(schema) = tree.get(id, "schema") {
        return Carried {
            schema: Some(schema),
            ..Carried::default()
        };
    }
    let Some((name, holder)) = media_types(tree, id).into_iter().next() else {
        return Carried::default();
    };
    Carried {
        schema: tree.get(holder, "schema"),
        media_type: Some(name),
        holder: Some(holder),
    }
}
