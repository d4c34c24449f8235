//! Compares the responses of an operation.

use std::collections::BTreeMap;

use super::pairs::FieldComparison;
use super::{content, headers};
use crate::edit::EditKind;
use crate::rules::{Role, presence, rule};
use crate::session::{ReachedOperation, Session};
use crate::tree::{Id, Pair, Tree};

/// Compares all responses of an operation.
pub(super) fn compare(session: &mut Session<'_>, pair: Pair) {
    let (old, new) = session.both(pair, read);
    let has_several = old.len().max(new.len()) > 1;
    for response in session.entries(pair, "responses", read) {
        let status = response.name.as_str();
        if let Some(pair) = response.pair() {
            within_status(session, status, has_several, |session| {
                compare_response(session, pair, status);
            });
            continue;
        }
        let rules = if is_success(status) {
            presence!("response-success-status")
        } else {
            presence!("response-non-success-status")
        };
        let subject = format!("the response with status `{status}`");
        let is_added = response.edit.kind == EditKind::Added;
        let revision = response.edit.revision;
        let left = list_within(status, &new);
        if is_added || left.is_empty() {
            session.report_presence(rules, response.edit, &subject);
        } else {
            // Clients had to expect each status of the range.
            let message = format!("{subject} was narrowed to `{}`", left.join("`, `"));
            session.report_harmless(rules[0], response.edit, message);
        }
        // A success that is no longer declared is an error already, whatever is answered instead.
        if !is_added && is_success(status) {
            continue;
        }
        // A lone `default` is often an error in truth. A success without a described body does not contradict it.
        let is_first = is_added && is_success(status) && !old.keys().any(|it| is_success(it));
        if is_first && !has_described_body(session, revision) {
            continue;
        }
        // It was, or is now, answered as the more general entry says.
        let find = |responses| find_general(responses, status);
        if let (Some(base), Some(revision)) = (find(&old), find(&new)) {
            within_status(session, status, has_several, |session| {
                compare_response(session, (base, revision), status);
            });
        }
    }
    // Extensions beside the statuses, which are written in either case.
    let statuses = old.keys().chain(new.keys());
    let spellings: Vec<String> = statuses
        .flat_map(|status| [status.clone(), status.to_lowercase()])
        .collect();
    let statuses: Vec<&str> = spellings.iter().map(String::as_str).collect();
    session.compare_other_fields_of(pair, "responses", &statuses);
}

/// Compares within the current operation, and the response of a status if it has several.
fn within_status(
    session: &mut Session<'_>,
    status: &str,
    has_several: bool,
    compare: impl FnOnce(&mut Session<'_>),
) {
    match session.operation().cloned() {
        Some(operation) if has_several => {
            let status = Some(status.to_owned());
            session.within(
                ReachedOperation {
                    status,
                    ..operation
                },
                compare,
            );
        }
        _ => compare(session),
    }
}

/// The statuses of a range such as `2XX` that have a response of their own.
fn list_within<'r>(range: &str, responses: &'r BTreeMap<String, Id>) -> Vec<&'r str> {
    let class = range.strip_suffix("XX");
    let statuses = responses.keys().filter(|status| *status != range);
    let within = statuses.filter(|status| class.is_some_and(|class| status.starts_with(class)));
    within.map(String::as_str).collect()
}

fn is_success(status: &str) -> bool {
    status.starts_with('2')
}

/// Whether a response of the revision says something of its body.
fn has_described_body(session: &mut Session<'_>, response: Id) -> bool {
    let schemas = &mut session.revision;
    let content = content::media_types(&schemas.tree, schemas.tree.resolve(response));
    content.into_values().any(|id| {
        let schema = schemas.tree.get(schemas.tree.resolve(id), "schema");
        schema.is_some_and(|schema| {
            let set = schemas.set_at(schema);
            !schemas.is_annotation(set)
        })
    })
}

/// The response for a status: its own, that of its range, or `default`.
fn find_general(responses: &BTreeMap<String, Id>, status: &str) -> Option<Id> {
    let general: &[&str] = match status.as_bytes() {
        // Beside a success of its own, `default` is an error.
        [b'2', ..] if responses.keys().any(|it| is_success(it)) => &["2XX"],
        [b'2', ..] => &["default"],
        [b'4', ..] => &["4XX", "default"],
        [b'5', ..] => &["5XX", "default"],
        _ => &[],
    };
    let mut names = std::iter::once(&status).chain(general);
    names.find_map(|name| responses.get(*name).copied())
}

/// The responses by status. `2xx` and `2XX` are the same range.
pub(super) fn read(tree: &Tree<'_>, operation: Id) -> BTreeMap<String, Id> {
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

fn compare_response(session: &mut Session<'_>, pair: Pair, status: &str) {
    let pair = session.resolve(pair);
    headers::compare(session, pair);
    let mut content = FieldComparison::Elsewhere;
    if has_body(session.method(), status) {
        content::compare_content(session, pair, Role::ResponseBody);
    } else {
        let rule = rule!("keyword-without-effect-changed");
        content = FieldComparison::Object(rule, "the content of a response without a body");
    }
    let rule = rule!("response-links-changed");
    let fields = [
        ("headers", FieldComparison::Elsewhere),
        ("content", content),
        ("links", FieldComparison::Object(rule, "the list of links")),
    ];
    session.compare_all_fields(pair, "", &fields);
}

/// Whether a response to a request of this method can have a body (RFC 9110, sections 9.3.2 and 15).
pub(crate) fn has_body(method: &str, status: &str) -> bool {
    let never = ["204", "205", "304"].contains(&status) || status.starts_with('1');
    !never && !method.eq_ignore_ascii_case("head")
}
