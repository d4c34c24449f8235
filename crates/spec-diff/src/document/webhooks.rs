//! Compares `webhooks` of OpenAPI 3.1 and 3.2: requests that the service sends. Their bodies are what clients receive, and the
//! responses are what clients send.

use spec_model::Stability;
use spec_schema::METHODS;

use super::{content, responses};
use crate::edit::{Edit, EditKind};
use crate::rules::{Role, presence, rule};
use crate::session::{ReachedOperation, Session};
use crate::tree::{Pair, ROOTS};

/// Compares all webhooks; returns the fields of the document that are compared. In OpenAPI 3.0 they have no meaning.
pub(super) fn compare(session: &mut Session<'_>) -> &'static [&'static str] {
    let newer = session.both(ROOTS, |tree, _| tree.document().uses_json_schema());
    if newer == (false, false) {
        return &[];
    }
    for webhook in session.members(ROOTS, "webhooks") {
        let reached = ReachedOperation {
            label: format!("webhook {}", webhook.name),
            tags: Vec::new(),
            stability: Stability::Stable,
            is_webhook: true,
        };
        session.within(reached, |session| {
            let subject = format!("the webhook `{}`", webhook.name);
            if let Some(pair) = webhook.pair() {
                compare_item(session, &subject, session.resolve(pair));
            }
            session.report_presence(presence!("webhook"), webhook.edit, &subject);
        });
    }
    &["webhooks", "jsonSchemaDialect"]
}

fn compare_item(session: &mut Session<'_>, subject: &str, pair: Pair) {
    for method in METHODS {
        let (old, new) = session.both(pair, |tree, id| tree.get(id, method));
        if let (Some(old), Some(new)) = (old, new) {
            compare_operation(session, (old, new));
            continue;
        }
        let edit = Edit::between(old, new, pair).item(method);
        let subject = format!("{subject} by {}", method.to_uppercase());
        session.report_presence(presence!("webhook"), edit, &subject);
    }
    session.compare_other_fields(pair, &METHODS);
}

fn compare_operation(session: &mut Session<'_>, pair: Pair) {
    let (old, new) = session.both(pair, |tree, id| tree.get(id, "requestBody"));
    let body = Edit::between(old, new, pair).item("requestBody");
    if old.is_some() || new.is_some() {
        compare_body(session, body, "the body of", Role::ResponseBody);
    }
    for response in session.entries(pair, "responses", responses::read) {
        let subject = format!("the response `{}` to", response.name);
        let edit = response.edit.item(response.name);
        compare_body(session, edit, &subject, Role::RequestBody);
    }
    session.compare_other_fields(pair, &["requestBody", "responses"]);
}

/// Compares a request body or a response.
fn compare_body(session: &mut Session<'_>, edit: Edit, subject: &str, role: Role) {
    if edit.kind == EditKind::Changed {
        let pair = session.resolve((edit.base, edit.revision));
        content::compare_content(session, pair, role);
        session.compare_other_fields(pair, &["content"]);
    } else {
        let message = format!("{subject} the webhook was added or removed");
        session.report(rule!("webhook-changed"), edit, message);
    }
}
