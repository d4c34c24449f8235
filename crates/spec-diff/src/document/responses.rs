//! Compares the answers of an operation.

use std::collections::BTreeMap;

use super::operations::keyword_edit;
use super::remainder::Expected;
use super::{content, headers};
use crate::schema_diff::Role;
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

pub(crate) fn compare(session: &mut Session<'_>, base: Id, revision: Id) {
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    let (base_list, revision_list) = session.containers(base, revision, "responses");
    for (status, entry) in &old {
        match new.get(status) {
            Some(other) => {
                let base = session.base.tree.resolve(*entry);
                let revision = session.revision.tree.resolve(*other);
                compare_one(session, base, revision);
            }
            None => {
                let edit = Edit::removed(*entry, revision_list);
                let message = format!("the status `{status}` is answered no more");
                session.report(
                    &format!("response-{}-status-removed", kind(status)),
                    edit,
                    message,
                );
            }
        }
    }
    for (status, entry) in new.iter().filter(|(status, _)| !old.contains_key(*status)) {
        let edit = Edit::added(base_list, *entry);
        let message = format!("the status `{status}` is answered now");
        session.report(
            &format!("response-{}-status-added", kind(status)),
            edit,
            message,
        );
    }
    // Extensions between the statuses.
    let lists = (
        session.base.tree.get(base, "responses"),
        session.revision.tree.get(revision, "responses"),
    );
    if let (Some(base), Some(revision)) = lists {
        let statuses: Vec<String> = old.keys().chain(new.keys()).cloned().collect();
        let mut known: Vec<(&str, Expected)> = Vec::new();
        let lower: Vec<String> = statuses.iter().map(|s| s.to_lowercase()).collect();
        known.extend(statuses.iter().map(|s| (s.as_str(), Expected::Any)));
        known.extend(lower.iter().map(|s| (s.as_str(), Expected::Any)));
        session.remainder(base, revision, &known);
    }
}

fn read(tree: &Tree<'_>, operation: Id) -> BTreeMap<String, Id> {
    let list = tree.get(operation, "responses").into_iter();
    let entries = list.flat_map(|list| tree.members(list));
    let statuses = entries.filter(|(status, _)| !status.starts_with("x-"));
    // `2xx` and `2XX` are one range; `default` has no other spelling.
    let spelled = |status: &str| match status {
        "default" => status.to_owned(),
        status => status.to_uppercase(),
    };
    statuses.map(|(status, id)| (spelled(status), id)).collect()
}

fn kind(status: &str) -> &'static str {
    match status.starts_with('2') {
        true => "success",
        false => "non-success",
    }
}

fn compare_one(session: &mut Session<'_>, base: Id, revision: Id) {
    headers::compare(session, base, revision);
    content::compare_content(session, base, revision, Role::ResponseBody);
    let old = session.base.tree.get(base, "links");
    let new = session.revision.tree.get(revision, "links");
    if session.elements_differ(old, new) {
        let edit = keyword_edit(session, base, revision, &["links"]);
        session.report(
            "response-links-changed",
            edit,
            "the links changed".to_owned(),
        );
    }
    session.remainder(
        base,
        revision,
        &[
            ("headers", Expected::Object),
            ("content", Expected::Object),
            ("links", Expected::Object),
        ],
    );
}
