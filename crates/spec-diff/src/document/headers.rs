//! Compares the headers of a response.

use std::collections::BTreeMap;

use super::fields::{FieldKind, Known};
use super::value;
use crate::edit::{Edit, outer_join};
use crate::rules::{Role, rule};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares the headers of a response.
pub(crate) fn compare(session: &mut Session<'_>, base: Id, revision: Id) {
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    let lists = session.containers(base, revision, "headers");
    for (_, base, revision) in outer_join(&old, &new) {
        if let (Some(base), Some(revision)) = (base, revision) {
            compare_header(session, base, revision);
            continue;
        }
        let (old, new) = (&session.base.tree, &session.revision.tree);
        let required = base.is_some_and(|base| old.flag(old.resolve(base), "required"));
        let removed = if required {
            rule!("required-response-header-removed")
        } else {
            rule!("optional-response-header-removed")
        };
        let edit = Edit::between(base, revision, lists);
        let added_name = || revision.map_or("", |header| new.key(header));
        let name = base.map_or_else(added_name, |header| old.key(header));
        let subject = match base {
            Some(_) if required => format!("the required response header `{name}`"),
            Some(_) => format!("the optional response header `{name}`"),
            None => format!("the response header `{name}`"),
        };
        session.report_presence([removed, rule!("response-header-added")], edit, &subject);
    }
}

/// The headers by their names in lower case.
fn read(tree: &Tree<'_>, response: Id) -> BTreeMap<String, Id> {
    let entries = tree.members_of(response, "headers");
    let headers = entries.map(|(name, entry)| (name.to_ascii_lowercase(), entry));
    // OpenAPI ignores a header of this name: `content` has the media types.
    headers.filter(|(key, _)| key != "content-type").collect()
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
    let known: Known<'_> = &[
        (FieldKind::Flag, &["required", "deprecated", "explode"]),
        (FieldKind::Default("simple"), &["style"]),
        (
            FieldKind::Default("false"),
            &["allowReserved", "allowEmptyValue"],
        ),
        (FieldKind::Object, &["schema", "content"]),
    ];
    session.compare_other_fields(base, revision, known);
}
