//! Compares the headers of a response, and the parameters of a request that the service sends.

use dropspec_model::Value;

use super::operation_node::Operation;
use super::pairs::FieldComparison;
use super::{parameters, value};
use crate::edit::{Edit, EditKind, outer_join};
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
        let name = match header.edit.kind {
            EditKind::Added => session.revision.tree.key(header.edit.revision),
            _ => session.base.tree.key(header.edit.base),
        };
        let subject = format!("response header `{name}`");
        compare_entry(session, header.edit, &subject);
    }
}

/// Compares the parameters of a request that the service sends: who receives it reads them as headers of a response.
pub(super) fn compare_sent(session: &mut Session<'_>, base: &Operation, revision: &Operation) {
    let lists = session.containers((base.id, revision.id), "parameters");
    let old = parameters::read(&session.base.tree, base);
    let new = parameters::read(&session.revision.tree, revision);
    for (_, old, new) in outer_join(&old, &new) {
        let subject = old.or(new).map(|it| it.subject()).unwrap_or_default();
        let edit = Edit::between(old.map(|it| it.id), new.map(|it| it.id), lists);
        compare_entry(session, edit, &subject);
    }
}

fn compare_entry(session: &mut Session<'_>, edit: Edit, subject: &str) {
    let base = &session.base.tree;
    let (rule, word) = match edit.kind {
        EditKind::Changed => return compare_header(session, (edit.base, edit.revision), subject),
        EditKind::Added => (rule!("response-header-added"), ""),
        EditKind::Removed if base.flag(base.resolve(edit.base), "required") => {
            (rule!("required-response-header-removed"), "required ")
        }
        EditKind::Removed => (rule!("optional-response-header-removed"), "optional "),
    };
    session.report_presence([rule; 2], edit, &format!("the {word}{subject}"));
}

fn compare_header(session: &mut Session<'_>, pair: Pair, subject: &str) {
    let pair = session.resolve(pair);
    let context = SchemaContext::new(Role::Header, session.stability());
    let rule = rule!("response-header-content-changed");
    value::compare_value(session, pair, context, subject, rule);
    let required = [
        rule!("response-header-became-optional"),
        rule!("response-header-became-required"),
    ];
    let deprecated = [
        rule!("response-header-reactivated"),
        rule!("response-header-deprecated"),
    ];
    let mut elsewhere = vec!["explode", "schema", "content"];
    let ((old_style, was_exploded), (style, explode)) = session.both(pair, value::style);
    if old_style == style {
        elsewhere.push("style");
        if was_exploded != explode {
            let mut rule = rule!("response-header-style-changed");
            if !value::depends_on_explode(&mut session.revision, pair.1, &style) {
                rule = rule!("keyword-without-effect-changed");
            }
            let message = format!("the {subject}: `explode` {was_exploded} → {explode}");
            session.report_keyword(rule, pair, "explode", message);
        }
    }
    // Of these, only the default has a meaning, which equals an absent field.
    for key in ["allowReserved", "allowEmptyValue"] {
        let is_default = session.both(pair, |tree, id| {
            let value = tree.get(id, key);
            value.is_none_or(|id| tree.node(id).value == Value::Bool(false))
        });
        if is_default == (true, true) {
            elsewhere.push(key);
        }
    }
    // Parameters are paired by these.
    if session.base.tree.text(pair.0, "in").is_some() {
        elsewhere.extend(["name", "in"]);
    }
    let elsewhere = elsewhere.into_iter();
    let mut fields = vec![
        ("required", FieldComparison::Flag(required)),
        ("deprecated", FieldComparison::Flag(deprecated)),
    ];
    fields.extend(elsewhere.map(|key| (key, FieldComparison::Elsewhere)));
    session.compare_all_fields(pair, &format!("the {subject}"), &fields);
}
