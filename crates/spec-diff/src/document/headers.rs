//! Compares the headers of a response.

use spec_model::Value;

use super::pairs::FieldComparison;
use super::value;
use crate::edit::EditKind;
use crate::rules::{Role, rule};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::Pair;

/// Compares the headers of a response, by their names in lower case.
pub(super) fn compare(session: &mut Session<'_>, pair: Pair) {
    let headers = session.entries(pair, "headers", |tree, id| {
        let entries = tree.members_of(id, "headers");
        let headers = entries.map(|(name, entry)| (name.to_ascii_lowercase(), entry));
        // OpenAPI ignores a header of this name: `content` has the media types.
        headers.filter(|(key, _)| key != "content-type").collect()
    });
    for header in headers {
        if let Some(pair) = header.pair() {
            compare_header(session, pair);
            continue;
        }
        let (old, new) = (&session.base.tree, &session.revision.tree);
        let edit = header.edit;
        let (rule, name, word) = match edit.kind {
            EditKind::Added => (rule!("response-header-added"), new.key(edit.revision), ""),
            _ if old.flag(old.resolve(edit.base), "required") => (
                rule!("required-response-header-removed"),
                old.key(edit.base),
                "required ",
            ),
            _ => (
                rule!("optional-response-header-removed"),
                old.key(edit.base),
                "optional ",
            ),
        };
        let subject = format!("the {word}response header `{name}`");
        session.report_presence([rule; 2], edit, &subject);
    }
}

fn compare_header(session: &mut Session<'_>, pair: Pair) {
    let subject = format!("response header `{}`", session.base.tree.key(pair.0));
    let pair = session.resolve(pair);
    let context = SchemaContext::new(Role::Header, session.stability());
    let rule = rule!("response-header-content-changed");
    value::compare_value(session, pair, context, &subject, rule);
    let required = [
        rule!("response-header-became-optional"),
        rule!("response-header-became-required"),
    ];
    let deprecated = [
        rule!("response-header-reactivated"),
        rule!("response-header-deprecated"),
    ];
    let explode = [rule!("response-header-style-changed"); 2];
    let mut fields = vec![
        ("required", FieldComparison::Flag(required)),
        ("deprecated", FieldComparison::Flag(deprecated)),
        ("explode", FieldComparison::Flag(explode)),
        ("schema", FieldComparison::Elsewhere),
        ("content", FieldComparison::Elsewhere),
    ];
    // Of these, only the default has a meaning, which equals an absent field.
    for key in ["style", "allowReserved", "allowEmptyValue"] {
        let is_default = session.both(pair, |tree, id| match tree.get(id, key) {
            Some(id) => match &tree.node(id).value {
                Value::String(text) => text == "simple",
                value => *value == Value::Bool(false),
            },
            None => true,
        });
        if is_default == (true, true) {
            fields.push((key, FieldComparison::Elsewhere));
        }
    }
    session.compare_all_fields(pair, &format!("the {subject}"), &fields);
}
