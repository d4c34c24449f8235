//! Compares an operation that both documents have.

use super::operation_node::Operation;
use super::pairs::FieldComparison;
use super::security::GlobalSecurity;
use super::{content, limits, parameters, responses, security, servers, webhooks};
use crate::canonical;
use crate::lifecycle::{self, Lifecycle, OPERATION, Sunset};
use crate::rules::{presence, rule};
use crate::session::Session;
use crate::tree::Pair;

/// Compares the whole operation.
pub(super) fn compare(
    session: &mut Session<'_>,
    base: &Operation,
    revision: &Operation,
    global: &GlobalSecurity,
) {
    let pair = (base.id, revision.id);
    // The stability of the revision is no promise yet.
    let stability = Lifecycle::from_node(&session.base.tree, base.id).stability;
    let reached = revision.reached(&session.base.tree, base.id, stability);
    session.within(reached, |session| {
        let mut fields = compare_lifecycle(session, pair);
        compare_operation_id(session, pair);
        compare_tags(session, pair);
        parameters::compare(session, base, revision);
        content::compare_request_body(session, pair);
        responses::compare(session, pair);
        security::compare_operation(session, pair, global);
        servers::compare_operation(session, base, revision);
        limits::compare_operation(session, pair);
        webhooks::compare_callbacks(session, pair);
        let elsewhere = [
            "operationId",
            "tags",
            "parameters",
            "requestBody",
            "responses",
        ];
        let elsewhere = elsewhere
            .iter()
            .chain(&["deprecated", "security", "servers", "callbacks"]);
        let elsewhere = elsewhere.chain(&["x-rate-limit-cost", "x-required-access"]);
        fields.extend(elsewhere.map(|key| (*key, FieldComparison::Elsewhere)));
        session.compare_all_fields(pair, "", &fields);
    });
}

/// Compares deprecation, sunset and stability; returns the extensions whose changes were reported.
fn compare_lifecycle(
    session: &mut Session<'_>,
    pair: Pair,
) -> Vec<(&'static str, FieldComparison<'static>)> {
    let policy = session.policy;
    let new = Lifecycle::from_node(&session.revision.tree, pair.1);
    let reported = session.compare_lifecycle(&OPERATION, pair, "");
    if let (true, Sunset::On(date)) = (policy.passed_sunsets && new.deprecated, &new.sunset)
        && *date < policy.today
    {
        let edit = session
            .keyword_edit(pair, lifecycle::SUNSETS)
            .item("passed");
        let message = format!("the sunset {date} of the operation has passed");
        session.report(rule!("sunset-passed"), edit, message);
    }
    reported
}

fn compare_operation_id(session: &mut Session<'_>, pair: Pair) {
    let key = "operationId";
    let removed = rule!("api-operation-id-removed");
    let (rule, what) = match session.both(pair, |tree, id| tree.text(id, key)) {
        (old, new) if old == new => return,
        (Some(old), Some(new)) => (removed, format!("`{old}` became `{new}`")),
        (Some(old), None) => (removed, format!("`{old}` was removed")),
        (None, new) => {
            let what = format!("`{}` was added", new.unwrap_or_default());
            (rule!("api-operation-id-added"), what)
        }
    };
    session.report_keyword(rule, pair, key, format!("the operationId {what}"));
}

fn compare_tags(session: &mut Session<'_>, pair: Pair) {
    let tags = session.entries(pair, "tags", |tree, id| {
        let tags = tree.list(id, "tags").iter();
        tags.map(|id| (canonical::to_text(tree.node(*id)), *id))
            .collect()
    });
    for tag in tags {
        let subject = format!("the tag {} of the operation", tag.name);
        session.report_presence(presence!("api-tag"), tag.edit.item(tag.name), &subject);
    }
}
