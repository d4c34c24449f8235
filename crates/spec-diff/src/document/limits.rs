//! Compares what our own extensions promise: the plans' limits, the cost of an operation, the access a key needs, the
//! codes of errors.

use std::collections::BTreeMap;

use spec_model::Value;

use super::operations::keyword_edit;
use crate::canonical;
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

type Entries<'d> = BTreeMap<&'d str, Id>;

/// Compares `x-rate-limits` and `x-error-codes` at the root.
pub(crate) fn compare_root(session: &mut Session<'_>) {
    let (old, new) = entries(session, "x-rate-limits");
    let lists = session.containers(Id::ROOT, Id::ROOT, "x-rate-limits");
    for (plan, id) in &old {
        match new.get(plan) {
            Some(other) => compare_plan(session, plan, *id, *other),
            None => {
                let edit = Edit::removed(*id, lists.1);
                session.report(
                    "rate-limit-plan-removed",
                    edit,
                    format!("the plan `{plan}` is gone"),
                );
            }
        }
    }
    for (plan, id) in new.iter().filter(|(plan, _)| !old.contains_key(*plan)) {
        let edit = Edit::added(lists.0, *id);
        session.report(
            "rate-limit-plan-added",
            edit,
            format!("the plan `{plan}` is new"),
        );
    }
    error_codes(session);
}

/// The members of an extension at the root, in both documents.
fn entries<'d>(session: &Session<'d>, key: &str) -> (Entries<'d>, Entries<'d>) {
    let read = |tree: &Tree<'d>| tree.entries(tree.get(Id::ROOT, key));
    (read(&session.base.tree), read(&session.revision.tree))
}

fn compare_plan(session: &mut Session<'_>, plan: &str, base: Id, revision: Id) {
    let old = session.base.tree.entries(Some(base));
    let new = session.revision.tree.entries(Some(revision));
    for (limit, id) in &old {
        let subject = format!("the limit `{limit}` of the plan `{plan}`");
        let Some(other) = new.get(limit) else {
            let edit = Edit::removed(*id, revision);
            let rule = rule_of_limit(&session.base.tree, *id, "rate-limit-removed");
            session.report(rule, edit, format!("{subject} is gone"));
            continue;
        };
        let (was, is) = (
            session.base.tree.node(*id),
            session.revision.tree.node(*other),
        );
        let (was_text, is_text) = (canonical::text(was), canonical::text(is));
        if was_text == is_text {
            continue;
        }
        let number =
            |node: &spec_model::Node| node.as_number().and_then(serde_json::Number::as_f64);
        let rule = match (number(was), number(is)) {
            (Some(was), Some(is)) if is < was => "rate-limit-lowered",
            (Some(_), Some(_)) => "rate-limit-raised",
            _ => "extension-changed",
        };
        let edit = Edit::changed(*id, *other).item(format!("{was_text} → {is_text}"));
        session.report(
            rule,
            edit,
            format!("{subject} went from {was_text} to {is_text}"),
        );
    }
    for (limit, id) in new.iter().filter(|(limit, _)| !old.contains_key(*limit)) {
        let rule = rule_of_limit(&session.revision.tree, *id, "rate-limit-added");
        let message = format!("the limit `{limit}` of the plan `{plan}` is new");
        session.report(rule, Edit::added(base, *id), message);
    }
    let (was, is) = (
        session.base.tree.node(base),
        session.revision.tree.node(revision),
    );
    let plain = |value: &Value| !matches!(value, Value::Object(_));
    if (plain(&was.value) || plain(&is.value)) && canonical::text(was) != canonical::text(is) {
        let edit = Edit::changed(base, revision).item("plan");
        session.report(
            "extension-changed",
            edit,
            format!("the plan `{plan}` changed"),
        );
    }
}

/// The rule for a limit that came or went; what is no number is an extension like others.
fn rule_of_limit(tree: &Tree<'_>, id: Id, rule: &'static str) -> &'static str {
    match tree.node(id).as_number() {
        Some(_) => rule,
        None => "extension-changed",
    }
}

fn error_codes(session: &mut Session<'_>) {
    let (old, new) = entries(session, "x-error-codes");
    let lists = session.containers(Id::ROOT, Id::ROOT, "x-error-codes");
    for (code, id) in &old {
        let Some(other) = new.get(code) else {
            let edit = Edit::removed(*id, lists.1);
            session.report(
                "error-code-removed",
                edit,
                format!("the error code `{code}` is gone"),
            );
            continue;
        };
        let was = canonical::text(session.base.tree.node(*id));
        let is = canonical::text(session.revision.tree.node(*other));
        if was != is {
            let edit = Edit::changed(*id, *other).item(format!("{was} → {is}"));
            let message = format!("the error code `{code}` comes with {is} instead of {was}");
            session.report("error-code-status-changed", edit, message);
        }
    }
    for (code, id) in new.iter().filter(|(code, _)| !old.contains_key(*code)) {
        let edit = Edit::added(lists.0, *id);
        session.report(
            "error-code-added",
            edit,
            format!("the error code `{code}` is new"),
        );
    }
}

/// Compares `x-rate-limit-cost` and `x-required-access`.
pub(crate) fn compare_operation(session: &mut Session<'_>, base: Id, revision: Id) {
    let text =
        |tree: &Tree<'_>, id, key: &str| tree.get(id, key).map(|id| canonical::text(tree.node(id)));
    let key = "x-rate-limit-cost";
    let (was, is) = (
        text(&session.base.tree, base, key),
        text(&session.revision.tree, revision, key),
    );
    let shown = |text: Option<String>| text.unwrap_or_else(|| "1".to_owned());
    let (was, is) = (shown(was), shown(is));
    if was != is {
        let rule = match (was.parse::<f64>(), is.parse::<f64>()) {
            (Ok(was), Ok(is)) if is > was => "rate-limit-cost-raised",
            (Ok(was), Ok(is)) if is < was => "rate-limit-cost-lowered",
            _ => "extension-changed",
        };
        let edit = keyword_edit(session, base, revision, &[key]).item(format!("{was} → {is}"));
        session.report(
            rule,
            edit,
            format!("the operation costs {is} instead of {was}"),
        );
    }
    let key = "x-required-access";
    let (old, new) = (&session.base.tree, &session.revision.tree);
    let was = old.text(base, key).unwrap_or("read");
    let is = new.text(revision, key).unwrap_or("read");
    if was != is {
        let rule = match is {
            "read" => "required-access-lowered",
            _ => "required-access-raised",
        };
        let edit = keyword_edit(session, base, revision, &[key]).item(format!("{was} → {is}"));
        session.report(
            rule,
            edit,
            format!("a key needs the access `{is}` instead of `{was}`"),
        );
    }
}
