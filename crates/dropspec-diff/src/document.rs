//! Compares two documents element by element, from the root down to the schemas.

mod components;
mod content;
mod encoding;
mod headers;
mod limits;
mod operation;
mod operation_node;
mod pairs;
mod parameters;
mod paths;
mod responses;
mod security;
mod security_schemes;
mod servers;
mod unread;
mod value;
mod webhooks;

pub(crate) use self::responses::has_body;
use crate::edit::Edit;
use crate::rules::rule;
use crate::session::Session;
use crate::tree::{Id, ROOTS};

/// Compares the whole documents.
pub(crate) fn compare(session: &mut Session<'_>) {
    let (old, new) = session.both(ROOTS, |tree, root| {
        tree.text(root, "openapi").unwrap_or_default()
    });
    if old != new {
        let message = format!("OpenAPI {old} → {new}");
        session.report_keyword(rule!("openapi-version-changed"), ROOTS, "openapi", message);
    }
    compare_tags(session);
    session.moved_prefixes = servers::find_moved_prefixes(session);
    servers::compare_root(session);
    let global = security::compare_root(session);
    limits::compare_root(session);
    for (base, revision) in paths::compare(session) {
        operation::compare(session, &base, &revision, &global);
    }
    let webhooks = webhooks::compare(session);
    components::compare(session);
    unread::report(session);
    report_exhaustion(session);
    let mut known = vec!["openapi", "info", "paths", "components", "tags", "servers"];
    known.extend(["security", "x-rate-limits", "x-error-codes"]);
    known.extend(webhooks);
    session.compare_other_fields(ROOTS, &known);
    session.compare_other_fields_of(ROOTS, "info", &["version"]);
    let mut sections = components::SECTIONS.to_vec();
    sections.extend(["securitySchemes", "pathItems", "mediaTypes"]);
    session.compare_other_fields_of(ROOTS, "components", &sections);
}

/// Reports that schemas were left out because they combine in too many ways.
fn report_exhaustion(session: &mut Session<'_>) {
    let exhausted = session.base.is_exhausted() || session.revision.is_exhausted();
    if exhausted && session.elements_differ(Some(Id::ROOT), Some(Id::ROOT)) {
        let edit = Edit::changed(Id::ROOT, Id::ROOT).item("exhausted");
        let message = "the schemas combine in too many ways to compare all of them";
        session.report(rule!("unclassified-change"), edit, message);
    }
}

/// Compares the list of tags, in any order.
fn compare_tags(session: &mut Session<'_>) {
    let tags = session.entries(ROOTS, "tags", |tree, id| {
        let name = |id| tree.text(id, "name").unwrap_or_default().to_owned();
        let tags = tree.list(id, "tags").iter();
        tags.map(|id| (name(*id), *id)).collect()
    });
    let rule = rule!("tags-changed");
    for mut tag in tags {
        let subject = format!("the tag `{}`", tag.name);
        tag.edit = tag.edit.item(&tag.name);
        session.report_entry(tag, [rule; 2], rule, &subject);
    }
}
