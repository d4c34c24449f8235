//! Compares the headers of a response.

use spec_model::Value;

use super::value;
use crate::edit::EditKind;
use crate::rules::{Role, rule};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares the headers of a response, by their names in lower case.
pub(crate) fn compare(session: &mut Session<'_>, base: Id, revision: Id) {
    let headers = session.entries((base, revision), "headers", |tree, id| {
        let entries = tree.members_of(id, "headers");
        let headers = entries.map(|(name, entry)| (name.to_ascii_lowercase(), entry));
        // OpenAPI ignores a header of this name: `content` has the media types.
        headers.filter(|(key, _)| key != "content-type").collect()
    });
    for header in headers {
        if let Some((base, revision)) = header.pair() {
            compare_header(session, base, revision);
            continue;
        }
        let (old, new) = (&session.base.tree, &session.revision.tree);
        let edit = header.edit;
        let (removed, name, word) = match edit.kind {
            EditKind::Added => (None, new.key(edit.revision), ""),
            _ if old.flag(old.resolve(edit.base), "required") => {
                let rule = rule!("required-response-header-removed");
                (Some(rule), old.key(edit.base), "required ")
            }
            _ => (None, old.key(edit.base), "optional "),
        };
        let subject = format!("the {word}response header `{name}`");
        let removed = removed.unwrap_or(rule!("optional-response-header-removed"));
        session.report_presence([removed, rule!("response-header-added")], edit, &subject);
    }
}

fn compare_header(session: &mut Session<'_>, base: Id, revision: Id) {
    let subject = format!("response header `{}`", session.base.tree.key(base));
    let base = session.base.tree.resolve(base);
    let revision = session.revision.tree.resolve(revision);
    let flags = [
        (
            "required",
            [
                rule!("response-header-became-optional"),
                rule!("response-header-became-required"),
            ],
        ),
        (
            "deprecated",
            [
                rule!("response-header-reactivated"),
                rule!("response-header-deprecated"),
            ],
        ),
        ("explode", [rule!("response-header-style-changed"); 2]),
    ];
    for (keyword, rules) in flags {
        session.compare_flag(base, revision, keyword, rules, &format!("the {subject}"));
    }
    let context = SchemaContext::new(Role::Header, session.stability());
    let rule = rule!("response-header-content-changed");
    value::compare_value(session, base, revision, context, &subject, rule);
    let mut known = vec!["required", "deprecated", "explode", "schema", "content"];
    // Of these, only the default has a meaning, which equals an absent field.
    known.extend(
        ["style", "allowReserved", "allowEmptyValue"]
            .iter()
            .filter(|key| {
                let is_default = |tree: &Tree<'_>, id| {
                    let value = tree.get(id, key).map(|id| &tree.node(id).value);
                    value.is_none_or(|it| match it {
                        Value::String(text) => text == "simple",
                        it => *it == Value::Bool(false),
                    })
                };
                session.both((base, revision), is_default) == (true, true)
            }),
    );
    session.compare_other_fields(base, revision, &known);
}
