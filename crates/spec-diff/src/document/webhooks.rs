//! Compares `webhooks` of OpenAPI 3.1: requests that the service sends. Their bodies are what clients receive, and the
//! responses are what clients send.

use std::collections::BTreeMap;

use spec_model::Stability;

use super::content;
use super::fields::{FieldKind, Known};
use super::operation::METHODS;
use crate::edit::{Edit, outer_join};
use crate::rules::{Role, presence, rule};
use crate::session::{ReachedOperation, Session};
use crate::tree::{Id, Tree};

/// Whether a document is of OpenAPI 3.1, so that `webhooks` has a meaning.
fn is_newer(session: &Session<'_>) -> bool {
    let (base, revision) = (&session.base.tree, &session.revision.tree);
    base.document().is_3_1() || revision.document().is_3_1()
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
    let (base, revision) = (&session.base.tree, &session.revision.tree);
    let old = base.entries(base.get(Id::ROOT, "webhooks"));
    let new = revision.entries(revision.get(Id::ROOT, "webhooks"));
    let lists = session.containers(Id::ROOT, Id::ROOT, "webhooks");
    for (name, base, revision) in outer_join(&old, &new) {
        if let (Some(base), Some(revision)) = (base, revision) {
            let items = (
                session.base.tree.resolve(base),
                session.revision.tree.resolve(revision),
            );
            compare_item(session, name, items);
            continue;
        }
        let edit = Edit::between(base, revision, lists);
        within(session, name, |session| {
            let subject = format!("the webhook `{name}`");
            session.report_presence(presence!("webhook"), edit, &subject);
        });
    }
}

fn within(session: &mut Session<'_>, name: &str, compare: impl FnOnce(&mut Session<'_>)) {
    let reached = ReachedOperation {
        label: format!("webhook {name}"),
        tags: Vec::new(),
        stability: Stability::Stable,
    };
    session.within(reached, compare);
}

fn compare_item(session: &mut Session<'_>, name: &str, (base, revision): (Id, Id)) {
    within(session, name, |session| {
        for method in METHODS {
            let old = session.base.tree.get(base, method);
            let new = session.revision.tree.get(revision, method);
            if let (Some(old), Some(new)) = (old, new) {
                compare_operation(session, old, new);
                continue;
            }
            let edit = Edit::between(old, new, (base, revision)).item(method);
            if old != new {
                let subject = format!("the webhook `{name}` by {}", method.to_uppercase());
                session.report_presence(presence!("webhook"), edit, &subject);
            }
        }
        let known: Known<'_> = &[(FieldKind::Object, &METHODS)];
        session.compare_other_fields(base, revision, known);
    });
}

fn compare_operation(session: &mut Session<'_>, base: Id, revision: Id) {
    let body = |tree: &Tree<'_>, id| tree.get(id, "requestBody").map(|body| tree.resolve(body));
    let old = body(&session.base.tree, base);
    let new = body(&session.revision.tree, revision);
    match (old, new) {
        (Some(old), Some(new)) => {
            content::compare_content(session, old, new, Role::ResponseBody);
            let known: Known<'_> = &[(FieldKind::Object, &["content"])];
            session.compare_other_fields(old, new, known);
        }
        (None, None) => {}
        _ => {
            let edit = Edit::between(old, new, (base, revision)).item("requestBody");
            let message = "the body of the webhook was added or removed".to_owned();
            session.report(rule!("webhook-changed"), edit, message);
        }
    }
    let responses = |tree: &Tree<'_>, id| -> BTreeMap<String, Id> {
        let responses = tree.members_of(id, "responses");
        let responses = responses.filter(|(status, _)| !status.starts_with("x-"));
        responses
            .map(|(status, id)| (status.to_uppercase(), tree.resolve(id)))
            .collect()
    };
    let old = responses(&session.base.tree, base);
    let new = responses(&session.revision.tree, revision);
    let lists = session.containers(base, revision, "responses");
    for (status, old, new) in outer_join(&old, &new) {
        match (old, new) {
            (Some(old), Some(new)) => {
                content::compare_content(session, old, new, Role::RequestBody);
                let known: Known<'_> = &[(FieldKind::Object, &["content"])];
                session.compare_other_fields(old, new, known);
            }
            _ => {
                let edit = Edit::between(old, new, lists).item(status);
                let message =
                    format!("the response `{status}` to the webhook was added or removed");
                session.report(rule!("webhook-changed"), edit, message);
            }
        }
    }
    let known: Known<'_> = &[(FieldKind::Object, &["requestBody", "responses"])];
    session.compare_other_fields(base, revision, known);
}
