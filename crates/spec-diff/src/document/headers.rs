//! Compares the headers of an answer.

use std::collections::BTreeMap;

use super::content;
use super::operations::keyword_edit;
use super::remainder::Expected;
use crate::schema_diff::{Role, Setting};
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

pub(crate) fn compare(session: &mut Session<'_>, base: Id, revision: Id) {
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    let (base_list, revision_list) = session.containers(base, revision, "headers");
    for (key, header) in &old {
        let name = header.name.as_str();
        match new.get(key) {
            Some(other) => compare_one(session, header.id, other.id, name),
            None => {
                let (rule, word) = match session.base.tree.flag(header.id, "required") {
                    true => ("required-response-header-removed", "required"),
                    false => ("optional-response-header-removed", "optional"),
                };
                let edit = Edit::removed(header.entry, revision_list);
                let message = format!("the {word} response header `{name}` is gone");
                session.report(rule, edit, message);
            }
        }
    }
    for (key, header) in &new {
        if !old.contains_key(key) {
            let edit = Edit::added(base_list, header.entry);
            let message = format!("the response header `{}` is new", header.name);
            session.report("response-header-added", edit, message);
        }
    }
}

struct Header {
    name: String,
    entry: Id,
    id: Id,
}

fn read(tree: &Tree<'_>, response: Id) -> BTreeMap<String, Header> {
    let list = tree.get(response, "headers").into_iter();
    let entries = list.flat_map(|list| tree.members(list));
    let headers = entries.map(|(name, entry)| {
        let header = Header {
            name: name.to_owned(),
            entry,
            id: tree.resolve(entry),
        };
        (name.to_ascii_lowercase(), header)
    });
    // The media type tells the type of the content; a header of this name means nothing.
    headers.filter(|(key, _)| key != "content-type").collect()
}

fn compare_one(session: &mut Session<'_>, base: Id, revision: Id, name: &str) {
    let flags = [
        (
            "required",
            "response-header-became-required",
            "response-header-became-optional",
        ),
        (
            "deprecated",
            "response-header-deprecated",
            "response-header-reactivated",
        ),
    ];
    for (keyword, set, unset) in flags {
        let was = session.base.tree.flag(base, keyword);
        let is = session.revision.tree.flag(revision, keyword);
        if was != is {
            let edit = keyword_edit(session, base, revision, &[keyword]);
            let message = format!("the response header `{name}`: `{keyword}` {was} → {is}");
            session.report(if is { set } else { unset }, edit, message);
        }
    }
    if session.base.tree.flag(base, "explode") != session.revision.tree.flag(revision, "explode") {
        let edit = keyword_edit(session, base, revision, &["explode"]);
        let message = format!("the response header `{name}` is written otherwise");
        session.report("response-header-style-changed", edit, message);
    }
    let setting = Setting::of(Role::Header, session.promised());
    let subject = format!("response header `{name}`");
    let rule = "response-header-content-changed";
    content::compare_value(session, base, revision, setting, &subject, rule);
    session.remainder(
        base,
        revision,
        &[
            ("required", Expected::Flag),
            ("deprecated", Expected::Flag),
            ("explode", Expected::Flag),
            ("style", Expected::Default("simple")),
            ("allowReserved", Expected::Default("false")),
            ("allowEmptyValue", Expected::Default("false")),
            ("schema", Expected::Object),
            ("content", Expected::Object),
        ],
    );
}
