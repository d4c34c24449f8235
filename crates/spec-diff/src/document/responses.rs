//! Compares the responses of an operation.

use std::collections::BTreeMap;

use super::pairs::Pair;
use super::{content, headers};
use crate::rules::{Role, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares all responses of an operation.
pub(crate) fn compare(session: &mut Session<'_>, base: Id, revision: Id) {
    let (old, new) = session.both((base, revision), read);
    for response in session.entries((base, revision), "responses", read) {
        let status = response.name.as_str();
        if let Some(pair) = response.pair() {
            compare_response(session, pair);
            continue;
        }
        let rules = if status.starts_with('2') {
            presence!("response-success-status")
        } else {
            presence!("response-non-success-status")
        };
        let subject = format!("the response with status `{status}`");
        session.report_presence(rules, response.edit, &subject);
        // An error was, or is now, answered as the more general entry says.
        let find = |responses| find_general(responses, status);
        if let (Some(base), Some(revision)) = (find(&old), find(&new)) {
            compare_response(session, (base, revision));
        }
    }
    // Extensions beside the statuses, which are written in either case.
    let statuses = old.keys().chain(new.keys());
    let spellings: Vec<String> = statuses
        .flat_map(|status| [status.clone(), status.to_lowercase()])
        .collect();
    let statuses: Vec<&str> = spellings.iter().map(String::as_str).collect();
    session.compare_other_fields_of(base, revision, "responses", &statuses);
}

/// The response for a status of an error: its own, that of its range, or `default`.
fn find_general(responses: &BTreeMap<String, Id>, status: &str) -> Option<Id> {
    let is_error = matches!(status.as_bytes(), [b'4' | b'5', ..]);
    let range = status.get(..1).filter(|_| is_error);
    let range = range.map(|first| format!("{first}XX"));
    let names = [
        Some(status),
        range.as_deref(),
        range.as_deref().and(Some("default")),
    ];
    names
        .into_iter()
        .flatten()
        .find_map(|name| responses.get(name).copied())
}

/// The responses by status. `2xx` and `2XX` are the same range.
fn read(tree: &Tree<'_>, operation: Id) -> BTreeMap<String, Id> {
    let entries = tree.members_of(operation, "responses");
    let statuses = entries.filter(|(status, _)| !status.starts_with("x-"));
    let normalize = |status: &str| match status {
        "default" => status.to_owned(),
        status => status.to_uppercase(),
    };
    statuses
        .map(|(status, id)| (normalize(status), id))
        .collect()
}

fn compare_response(session: &mut Session<'_>, (base, revision): Pair) {
    let base = session.base.tree.resolve(base);
    let revision = session.revision.tree.resolve(revision);
    headers::compare(session, base, revision);
    content::compare_content(session, base, revision, Role::ResponseBody);
    let rule = rule!("response-links-changed");
    session.compare_object(base, revision, "links", rule, "the list of links");
    session.compare_other_fields(base, revision, &["headers", "content", "links"]);
}
