//! Compares an operation that both documents have.

use std::collections::BTreeMap;

use super::paths::Operation;
use super::remainder::Expected;
use super::security::Global;
use super::{content, limits, parameters, responses, security, servers};
use crate::canonical;
use crate::lifecycle::{self, Lifecycle, OPERATION, Sunset};
use crate::policy::Stability;
use crate::session::{Edit, Reached, Session};
use crate::tree::{Id, Tree};

/// Everything an operation has.
pub(crate) fn compare(
    session: &mut Session<'_>,
    base: &Operation,
    revision: &Operation,
    global: &Global,
) {
    let old = Lifecycle::of(&session.base.tree, base.id);
    let new = Lifecycle::of(&session.revision.tree, revision.id);
    let reached = Reached {
        label: revision.label(),
        // What was promised counts, not what is promised from now on.
        stability: old.promised(),
    };
    session.within(reached, |session| {
        let told = life(session, base.id, revision.id, &old, &new);
        identity(session, base.id, revision.id);
        tags(session, base.id, revision.id);
        parameters::compare(session, base, revision);
        content::compare_request_body(session, base.id, revision.id);
        responses::compare(session, base.id, revision.id);
        security::compare_operation(session, base.id, revision.id, global);
        servers::compare_operation(session, base, revision);
        limits::compare_operation(session, base.id, revision.id);
        callbacks(session, base.id, revision.id);
        let mut known = vec![
            ("operationId", Expected::Text),
            ("tags", Expected::Array),
            ("deprecated", Expected::Flag),
            ("parameters", Expected::Array),
            ("requestBody", Expected::Object),
            ("responses", Expected::Object),
            ("security", Expected::Array),
            ("servers", Expected::Array),
            ("callbacks", Expected::Any),
            ("x-required-access", Expected::Text),
            ("x-rate-limit-cost", Expected::Any),
        ];
        known.extend(told.iter().map(|keyword| (*keyword, Expected::Any)));
        session.remainder(base.id, revision.id, &known);
    });
}

/// Deprecation, sunset and stability; the extensions that were told.
fn life(
    session: &mut Session<'_>,
    base: Id,
    revision: Id,
    old: &Lifecycle,
    new: &Lifecycle,
) -> Vec<&'static str> {
    let mut told = Vec::new();
    let policy = session.policy;
    let notice = policy.notice(old.promised());
    let stability = lifecycle::stability(old, new);
    let looked_at = policy.ignore_below.unwrap_or(Stability::Draft) <= old.promised();
    if let Some(event) = stability.filter(|_| looked_at) {
        let edit = keyword_edit(session, base, revision, event.keywords);
        session.report(&format!("api-{}", event.change), edit, event.what);
        told.extend(event.covers);
    }
    if let Some(event) = lifecycle::deprecation(&OPERATION, old, new, notice, policy.today) {
        let edit = keyword_edit(session, base, revision, event.keywords);
        session.report(event.change, edit, event.what);
        told.extend(event.covers);
    }
    if old.stability != new.stability {
        let edit = keyword_edit(session, base, revision, lifecycle::STABILITIES);
        if invalid_stability(session, new, edit) {
            told.extend(lifecycle::STABILITIES);
        }
    }
    if let (true, Sunset::On(date)) = (policy.passed_sunsets && new.deprecated, &new.sunset)
        && *date < policy.today
    {
        let edit = keyword_edit(session, base, revision, lifecycle::SUNSETS);
        let message =
            format!("the sunset {date} has passed: remove the operation, or move its sunset");
        session.report("sunset-passed", edit.item("passed"), message);
    }
    told
}

/// Reports a stability that nobody knows; whether it is one.
pub(crate) fn invalid_stability(session: &mut Session<'_>, life: &Lifecycle, edit: Edit) -> bool {
    let Some(Err(text)) = &life.stability else {
        return false;
    };
    let message =
        format!("the stability `{text}` is none of draft, alpha, experimental, beta, stable");
    let edit = edit.item("stability");
    session.report("api-invalid-stability-level", edit, message);
    true
}

/// The edit at the first of some keywords that either side has.
pub(crate) fn keyword_edit(
    session: &Session<'_>,
    base: Id,
    revision: Id,
    keywords: &[&str],
) -> Edit {
    let find = |tree: &Tree<'_>, id| keywords.iter().find_map(|keyword| tree.get(id, keyword));
    match (
        find(&session.base.tree, base),
        find(&session.revision.tree, revision),
    ) {
        (Some(a), Some(b)) => Edit::changed(a, b),
        (Some(a), None) => Edit::removed(a, revision),
        (None, Some(b)) => Edit::added(base, b),
        (None, None) => Edit::changed(base, revision),
    }
    .item(keywords[0])
}

fn identity(session: &mut Session<'_>, base: Id, revision: Id) {
    let old = session.base.tree.text(base, "operationId");
    let new = session.revision.tree.text(revision, "operationId");
    if old == new {
        return;
    }
    let edit = keyword_edit(session, base, revision, &["operationId"]);
    match (old, new) {
        (Some(old), Some(new)) => {
            let message = format!("the operationId `{old}` is `{new}` now");
            session.report("api-operation-id-removed", edit, message);
        }
        (Some(old), None) => {
            let message = format!("the operationId `{old}` is gone");
            session.report("api-operation-id-removed", edit, message);
        }
        (None, Some(new)) => {
            session.report(
                "api-operation-id-added",
                edit,
                format!("the operationId is `{new}`"),
            );
        }
        (None, None) => {}
    }
}

fn tags(session: &mut Session<'_>, base: Id, revision: Id) {
    let read = |tree: &Tree<'_>, id: Id| -> BTreeMap<String, Id> {
        let tags = tree.list(id, "tags").iter();
        tags.map(|id| (canonical::text(tree.node(*id)), *id))
            .collect()
    };
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    let (base_list, revision_list) = session.containers(base, revision, "tags");
    for (name, id) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let edit = Edit::removed(*id, revision_list).item(name);
        session.report("api-tag-removed", edit, format!("the tag {name} is gone"));
    }
    for (name, id) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let edit = Edit::added(base_list, *id).item(name);
        session.report("api-tag-added", edit, format!("the tag {name} is new"));
    }
}

fn callbacks(session: &mut Session<'_>, base: Id, revision: Id) {
    let old = session.base.tree.get(base, "callbacks");
    let new = session.revision.tree.get(revision, "callbacks");
    if session.elements_differ(old, new) {
        let edit = keyword_edit(session, base, revision, &["callbacks"]);
        let message = "what the server calls back changed".to_owned();
        session.report("callbacks-changed", edit, message);
    }
}
