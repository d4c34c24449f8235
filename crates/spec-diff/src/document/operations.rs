//! Compares an operation that both documents have.

use super::operation::{Operation, report_unknown_stability, tags_of};
use super::security::GlobalSecurity;
use super::{content, limits, parameters, responses, security, servers};
use crate::canonical;
use crate::lifecycle::{self, Lifecycle, OPERATION, Sunset};
use crate::rules::{presence, rule};
use crate::session::{ReachedOperation, Session};
use crate::tree::Id;

/// Compares the whole operation.
pub(crate) fn compare(
    session: &mut Session<'_>,
    base: &Operation,
    revision: &Operation,
    global: &GlobalSecurity,
) {
    let old = Lifecycle::from_node(&session.base.tree, base.id);
    let new = Lifecycle::from_node(&session.revision.tree, revision.id);
    let reached = ReachedOperation {
        label: revision.label(),
        tags: tags_of(&session.base.tree, base.id),
        // The stability of the revision is no promise yet.
        stability: old.effective_stability(),
    };
    session.within(reached, |session| {
        let reported = compare_lifecycle(session, base.id, revision.id, &old, &new);
        compare_operation_id(session, base.id, revision.id);
        compare_tags(session, base.id, revision.id);
        parameters::compare(session, base, revision);
        content::compare_request_body(session, base.id, revision.id);
        responses::compare(session, base.id, revision.id);
        security::compare_operation(session, base.id, revision.id, global);
        servers::compare_operation(session, base, revision);
        limits::compare_operation(session, base.id, revision.id);
        let rule = rule!("callbacks-changed");
        session.compare_object(base.id, revision.id, "callbacks", rule, "the callbacks");
        let mut known = reported;
        known.extend([
            "operationId",
            "tags",
            "parameters",
            "requestBody",
            "responses",
        ]);
        known.extend(["deprecated", "security", "servers", "callbacks"]);
        known.extend(["x-rate-limit-cost", "x-required-access"]);
        session.compare_other_fields(base.id, revision.id, &known);
    });
}

/// Compares deprecation, sunset and stability; returns the extensions whose changes were reported.
fn compare_lifecycle(
    session: &mut Session<'_>,
    base: Id,
    revision: Id,
    old: &Lifecycle,
    new: &Lifecycle,
) -> Vec<&'static str> {
    let policy = session.policy;
    let mut reported = session.compare_lifecycle(&OPERATION, base, revision, "");
    if old.stability != new.stability {
        let edit = session.keyword_edit(base, revision, lifecycle::STABILITIES);
        if report_unknown_stability(session, new, edit) {
            reported.extend(lifecycle::STABILITIES);
        }
    }
    if let (true, Sunset::On(date)) = (policy.passed_sunsets && new.deprecated, &new.sunset)
        && *date < policy.today
    {
        let edit = session.keyword_edit(base, revision, lifecycle::SUNSETS);
        let message = format!("the sunset {date} of the operation has passed");
        session.report(rule!("sunset-passed"), edit.item("passed"), message);
    }
    reported
}

fn compare_operation_id(session: &mut Session<'_>, base: Id, revision: Id) {
    let (old, new) = session.both((base, revision), |tree, id| tree.text(id, "operationId"));
    let removed = rule!("api-operation-id-removed");
    let (rule, what) = match (old, new) {
        (old, new) if old == new => return,
        (None, new) => {
            let what = format!("`{}` was added", new.unwrap_or_default());
            (rule!("api-operation-id-added"), what)
        }
        (Some(old), None) => (removed, format!("`{old}` was removed")),
        (Some(old), Some(new)) => (removed, format!("`{old}` became `{new}`")),
    };
    let edit = session.keyword_edit(base, revision, &["operationId"]);
    session.report(rule, edit, format!("the operationId {what}"));
}

fn compare_tags(session: &mut Session<'_>, base: Id, revision: Id) {
    let tags = session.entries((base, revision), "tags", |tree, id| {
        let tags = tree.list(id, "tags").iter();
        tags.map(|id| (canonical::to_text(tree.node(*id)), *id))
            .collect()
    });
    for tag in tags {
        let subject = format!("the tag {} of the operation", tag.name);
        let edit = tag.edit.item(tag.name);
        session.report_presence(presence!("api-tag"), edit, &subject);
    }
}
