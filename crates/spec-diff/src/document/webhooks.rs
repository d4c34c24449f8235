//! Compares `webhooks` of OpenAPI 3.1: requests that the service sends. Their bodies are what clients receive, and the
//! responses are what clients send.

use spec_model::Stability;
use spec_schema::METHODS;

use super::content;
use super::pairs::{Pair, ROOTS};
use crate::edit::Edit;
use crate::rules::{Role, presence, rule};
use crate::session::{ReachedOperation, Session};

/// Whether a document is of OpenAPI 3.1, so that `webhooks` has a meaning.
fn is_newer(session: &Session<'_>) -> bool {
    let (old, new) = session.both(ROOTS, |tree, _| tree.document().uses_json_schema());
    old || new
}

/// The fields of the document that are compared here.
pub(super) fn fields(session: &Session<'_>) -> &'static [&'static str] {
    if is_newer(session) {
        &["webhooks", "jsonSchemaDialect"]
    } else {
        &[]
    }
}

/// Compares all webhooks.
pub(super) fn compare(session: &mut Session<'_>) {
    if !is_newer(session) {
        return;
    }
    for webhook in session.members(ROOTS, "webhooks") {
        let reached = ReachedOperation {
            label: format!("webhook {}", webhook.name),
            tags: Vec::new(),
            stability: Stability::Stable,
        };
        session.within(reached, |session| {
            let subject = format!("the webhook `{}`", webhook.name);
            if let Some((base, revision)) = webhook.pair() {
                let base = session.base.tree.resolve(base);
                let revision = session.revision.tree.resolve(revision);
                compare_item(session, &subject, (base, revision));
            }
            session.report_presence(presence!("webhook"), webhook.edit, &subject);
        });
    }
}

fn compare_item(session: &mut Session<'_>, subject: &str, pair: Pair) {
    for method in METHODS {
        let (old, new) = session.both(pair, |tree, id| tree.get(id, method));
        if let (Some(old), Some(new)) = (old, new) {
            compare_operation(session, (old, new));
        } else if old.is_some() || new.is_some() {
            let edit = Edit::between(old, new, pair).item(method);
            let subject = format!("{subject} by {}", method.to_uppercase());
            session.report_presence(presence!("webhook"), edit, &subject);
        }
    }
    session.compare_other_fields(pair.0, pair.1, &METHODS);
}

fn compare_operation(session: &mut Session<'_>, pair: Pair) {
    let (old, new) = session.both(pair, |tree, id| {
        let body = tree.get(id, "requestBody")?;
        Some(tree.resolve(body))
    });
    if let (Some(old), Some(new)) = (old, new) {
        compare_body(session, (old, new), Role::ResponseBody);
    } else if old.is_some() || new.is_some() {
        let edit = Edit::between(old, new, pair).item("requestBody");
        let message = "the body of the webhook was added or removed".to_owned();
        session.report(rule!("webhook-changed"), edit, message);
    }
    let responses = session.entries(pair, "responses", |tree, id| {
        let responses = tree.members_of(id, "responses");
        let responses = responses.filter(|(status, _)| !status.starts_with("x-"));
        responses
            .map(|(status, id)| (status.to_uppercase(), tree.resolve(id)))
            .collect()
    });
    for response in responses {
        if let Some(pair) = response.pair() {
            compare_body(session, pair, Role::RequestBody);
            continue;
        }
        let status = response.name;
        let message = format!("the response `{status}` to the webhook was added or removed");
        let edit = response.edit.item(status);
        session.report(rule!("webhook-changed"), edit, message);
    }
    session.compare_other_fields(pair.0, pair.1, &["requestBody", "responses"]);
}

/// Compares a request body or a response.
fn compare_body(session: &mut Session<'_>, (base, revision): Pair, role: Role) {
    content::compare_content(session, base, revision, role);
    session.compare_other_fields(base, revision, &["content"]);
}
