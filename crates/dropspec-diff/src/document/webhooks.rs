//! Compares the requests that the service sends: `webhooks` of OpenAPI 3.1, and the callbacks of operations. Their bodies and
//! parameters are what clients receive, and the responses are what clients send.

use std::collections::BTreeMap;

use dropspec_model::Stability;
use dropspec_schema::METHODS;

use super::operation_node::Operation;
use super::pairs::{PairedEntry, pair_up};
use super::{content, headers, responses};
use crate::edit::{Edit, EditKind};
use crate::rules::{Role, RuleId, presence, rule};
use crate::session::{ReachedOperation, Session};
use crate::tree::{Id, Pair, ROOTS};

/// A kind of request that the service sends, and its rules.
#[derive(Clone, Copy)]
struct Sent {
    name: &'static str,
    presence: [RuleId; 2],
    changed: RuleId,
}

const WEBHOOK: Sent = Sent {
    name: "webhook",
    presence: presence!("webhook"),
    changed: rule!("webhook-changed"),
};

const CALLBACK: Sent = Sent {
    name: "callback",
    presence: presence!("callback"),
    changed: rule!("callback-changed"),
};

/// Compares all webhooks; returns the fields of the document that are compared. In OpenAPI 3.0 they have no meaning.
pub(super) fn compare(session: &mut Session<'_>) -> &'static [&'static str] {
    let newer = session.both(ROOTS, |tree, _| tree.document().uses_json_schema());
    if newer == (false, false) {
        return &[];
    }
    for webhook in session.members(ROOTS, "webhooks") {
        let reached = ReachedOperation {
            label: format!("webhook {}", webhook.name),
            path: webhook.name.clone(),
            tags: Vec::new(),
            stability: Stability::Stable,
            sent_as: Some(WEBHOOK.name),
            status: None,
        };
        session.within(reached, |session| compare_entry(session, WEBHOOK, webhook));
    }
    &["webhooks", "jsonSchemaDialect"]
}

/// Compares the callbacks of the current operation, each with all URLs that it is sent to.
pub(super) fn compare_callbacks(session: &mut Session<'_>, pair: Pair) {
    let Some(operation) = session.operation().cloned() else {
        return;
    };
    for callback in session.members(pair, "callbacks") {
        let mut reached = operation.clone();
        reached.label = format!("{}: callback {}", operation.label, callback.name);
        reached.sent_as = Some(CALLBACK.name);
        session.within(reached, |session| {
            let Some(pair) = callback.pair() else {
                return compare_entry(session, CALLBACK, callback);
            };
            let pair = session.resolve(pair);
            let urls = session.both(pair, |tree, id| -> BTreeMap<String, Id> {
                let members = tree.members(id).filter(|(url, _)| !url.starts_with("x-"));
                members.map(|(url, id)| (url.to_owned(), id)).collect()
            });
            let urls = pair_up(pair, urls);
            let known: Vec<&str> = urls.iter().map(|url| url.name.as_str()).collect();
            session.compare_other_fields(pair, &known);
            for url in urls {
                let name = format!("{}` to `{}", callback.name, url.name);
                compare_entry(session, CALLBACK, PairedEntry { name, ..url });
            }
        });
    }
}

/// Compares a webhook, or what a callback sends to one URL.
fn compare_entry(session: &mut Session<'_>, sent: Sent, entry: PairedEntry) {
    let subject = format!("the {} `{}`", sent.name, entry.name);
    if let Some(pair) = entry.pair() {
        compare_item(session, sent, &subject, session.resolve(pair));
    }
    session.report_presence(sent.presence, entry.edit, &subject);
}

fn compare_item(session: &mut Session<'_>, sent: Sent, subject: &str, pair: Pair) {
    for method in METHODS {
        let (old, new) = session.both(pair, |tree, id| tree.get(id, method));
        if let (Some(old), Some(new)) = (old, new) {
            compare_operation(session, sent, (old, new));
            let read = |id, item| Operation {
                id,
                item,
                method,
                path: String::new(),
                names: Vec::new(),
            };
            headers::compare_sent(session, &read(old, pair.0), &read(new, pair.1));
            continue;
        }
        let edit = Edit::between(old, new, pair).item(method);
        let subject = format!("{subject} by {}", method.to_uppercase());
        session.report_presence(sent.presence, edit, &subject);
    }
    let known: Vec<&str> = METHODS.into_iter().chain(["parameters"]).collect();
    session.compare_other_fields(pair, &known);
}

fn compare_operation(session: &mut Session<'_>, sent: Sent, pair: Pair) {
    let (old, new) = session.both(pair, |tree, id| tree.get(id, "requestBody"));
    let body = Edit::between(old, new, pair).item("requestBody");
    if old.is_some() || new.is_some() {
        compare_body(session, sent, body, "the body of", Role::ResponseBody);
    }
    for response in session.entries(pair, "responses", responses::read) {
        let subject = format!("the response `{}` to", response.name);
        let edit = response.edit.item(response.name);
        compare_body(session, sent, edit, &subject, Role::RequestBody);
    }
    session.compare_other_fields(pair, &["requestBody", "responses", "parameters"]);
}

/// Compares a request body or a response.
fn compare_body(session: &mut Session<'_>, sent: Sent, edit: Edit, subject: &str, role: Role) {
    if edit.kind == EditKind::Changed {
        let pair = session.resolve((edit.base, edit.revision));
        content::compare_content(session, pair, role);
        session.compare_other_fields(pair, &["content"]);
    } else {
        let message = format!("{subject} the {} was added or removed", sent.name);
        session.report(sent.changed, edit, message);
    }
}
