//! Walks two documents side by side, from the root to every schema.

mod components;
mod content;
mod headers;
mod limits;
mod operations;
mod parameters;
mod paths;
mod remainder;
mod responses;
mod security;
mod security_schemes;
mod servers;

use std::collections::BTreeMap;

use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

use self::remainder::Expected;

/// Compares everything.
pub(crate) fn compare(session: &mut Session<'_>) {
    let root = Id::ROOT;
    let text = |tree: &Tree<'_>| tree.text(root, "openapi").unwrap_or_default().to_owned();
    let (old, new) = (text(&session.base.tree), text(&session.revision.tree));
    if old != new {
        let edit = operations::keyword_edit(session, root, root, &["openapi"]);
        let message = format!("OpenAPI `{old}` → `{new}`");
        session.report("openapi-version-changed", edit, message);
    }
    tags(session);
    servers::compare_root(session);
    let global = security::compare_root(session);
    limits::compare_root(session);
    let pairs = paths::compare(session);
    for (base, revision) in pairs {
        operations::compare(session, &base, &revision, &global);
    }
    components::compare(session);
    exhaustion(session);
    let (base, revision) = (Id::ROOT, Id::ROOT);
    session.remainder(
        base,
        revision,
        &[
            ("openapi", Expected::Text),
            ("info", Expected::Object),
            ("tags", Expected::Array),
            ("servers", Expected::Array),
            ("security", Expected::Array),
            ("paths", Expected::Object),
            ("components", Expected::Object),
            ("x-rate-limits", Expected::Object),
            ("x-error-codes", Expected::Object),
        ],
    );
    session.member_remainder(root, root, "info", &[("version", Expected::Any)]);
    session.member_remainder(
        root,
        root,
        "components",
        &[
            ("schemas", Expected::Object),
            ("parameters", Expected::Object),
            ("headers", Expected::Object),
            ("requestBodies", Expected::Object),
            ("responses", Expected::Object),
            ("examples", Expected::Object),
            ("links", Expected::Object),
            ("callbacks", Expected::Object),
            ("securitySchemes", Expected::Object),
        ],
    );
}

/// Says that the comparison is not complete, where it is not.
fn exhaustion(session: &mut Session<'_>) {
    let exhausted = session.base.is_exhausted() || session.revision.is_exhausted();
    if exhausted && session.elements_differ(Some(Id::ROOT), Some(Id::ROOT)) {
        let edit = Edit::changed(Id::ROOT, Id::ROOT).item("exhausted");
        let message = "the schemas combine in too many ways to compare them all".to_owned();
        session.report("unclassified-change", edit, message);
    }
}

/// The list of tags: what they are and how they are described, not their order.
fn tags(session: &mut Session<'_>) {
    let read = |tree: &Tree<'_>| -> BTreeMap<String, (Id, String)> {
        let tags = tree.list(Id::ROOT, "tags").iter().map(|id| {
            let name = tree.text(*id, "name").unwrap_or_default().to_owned();
            (name, (*id, crate::canonical::text(tree.node(*id))))
        });
        tags.collect()
    };
    let (old, new) = (read(&session.base.tree), read(&session.revision.tree));
    let (base_list, revision_list) = session.containers(Id::ROOT, Id::ROOT, "tags");
    for (name, (id, text)) in &old {
        let (edit, what) = match new.get(name) {
            None => (Edit::removed(*id, revision_list), "is listed no more"),
            Some((other, changed)) if text != changed => {
                (Edit::changed(*id, *other), "is described otherwise")
            }
            Some(_) => continue,
        };
        session.report(
            "tags-changed",
            edit.item(name),
            format!("the tag `{name}` {what}"),
        );
    }
    for (name, (id, _)) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let edit = Edit::added(base_list, *id).item(name);
        session.report(
            "tags-changed",
            edit,
            format!("the tag `{name}` is listed now"),
        );
    }
}
