//! Compares the extensions of this toolchain: plans and their limits, the cost of an operation, the access that a key
//! needs, error codes.

use std::collections::BTreeMap;

use crate::canonical;
use crate::edit::{Edit, EditKind, outer_join};
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Tree};

type Entries<'d> = BTreeMap<&'d str, Id>;

/// Compares `x-rate-limits` and `x-error-codes`.
pub(crate) fn compare_root(session: &mut Session<'_>) {
    let (old, new) = read(session, "x-rate-limits");
    let lists = session.containers(Id::ROOT, Id::ROOT, "x-rate-limits");
    let rules = presence!("rate-limit-plan");
    for (plan, base, revision) in outer_join(&old, &new) {
        if let (Some(base), Some(revision)) = (base, revision) {
            compare_plan(session, plan, base, revision);
        }
        let edit = Edit::between(base, revision, lists);
        session.report_presence(rules, edit, &format!("the plan `{plan}`"));
    }
    compare_error_codes(session);
}

/// The members of an extension at the root, in both documents.
fn read<'d>(session: &Session<'d>, key: &str) -> (Entries<'d>, Entries<'d>) {
    let read = |tree: &Tree<'d>| tree.entries(tree.get(Id::ROOT, key));
    (read(&session.base.tree), read(&session.revision.tree))
}

/// The text of a node, and its value if it is a number.
fn read_number(tree: &Tree<'_>, id: Id) -> (String, Option<f64>) {
    let node = tree.node(id);
    let number = node.as_number().and_then(serde_json::Number::as_f64);
    (canonical::to_text(node), number)
}

fn compare_plan(session: &mut Session<'_>, plan: &str, base: Id, revision: Id) {
    let old = session.base.tree.entries(Some(base));
    let new = session.revision.tree.entries(Some(revision));
    for (limit, a, b) in outer_join(&old, &new) {
        let subject = format!("the limit `{limit}` of the plan `{plan}`");
        let edit = Edit::between(a, b, (base, revision));
        let was = a.map(|id| read_number(&session.base.tree, id));
        let is = b.map(|id| read_number(&session.revision.tree, id));
        let (Some((was, old)), Some((is, new))) = (&was, &is) else {
            // A limit that is not a number is compared as any extension.
            let rules = match was.as_ref().or(is.as_ref()) {
                Some((_, Some(_))) => presence!("rate-limit"),
                _ => [rule!("extension-changed"); 2],
            };
            session.report_presence(rules, edit, &subject);
            continue;
        };
        if was != is {
            let rule = match (old, new) {
                (Some(old), Some(new)) if new < old => rule!("rate-limit-lowered"),
                (Some(_), Some(_)) => rule!("rate-limit-raised"),
                _ => rule!("extension-changed"),
            };
            report_values(session, rule, edit, &subject, [was, is]);
        }
    }
    let (was, is) = (
        session.base.tree.node(base),
        session.revision.tree.node(revision),
    );
    let are_objects = was.as_object().is_some() && is.as_object().is_some();
    if !are_objects && canonical::to_text(was) != canonical::to_text(is) {
        let edit = Edit::changed(base, revision).item("plan");
        let message = format!("the plan `{plan}` changed");
        session.report(rule!("extension-changed"), edit, message);
    }
}

/// Reports that a value changed. The values are part of the edit's item, and so of the fingerprint.
fn report_values(
    session: &mut Session<'_>,
    rule: RuleId,
    edit: Edit,
    subject: &str,
    [was, is]: [&str; 2],
) {
    let values = format!("{was} → {is}");
    let message = format!("{subject}: {values}");
    session.report(rule, edit.item(values), message);
}

fn compare_error_codes(session: &mut Session<'_>) {
    let (old, new) = read(session, "x-error-codes");
    let lists = session.containers(Id::ROOT, Id::ROOT, "x-error-codes");
    let rules = presence!("error-code");
    for (code, base, revision) in outer_join(&old, &new) {
        let edit = Edit::between(base, revision, lists);
        if edit.kind != EditKind::Changed {
            session.report_presence(rules, edit, &format!("the error code `{code}`"));
            continue;
        }
        let was = canonical::to_text(session.base.tree.node(edit.base));
        let is = canonical::to_text(session.revision.tree.node(edit.revision));
        if was != is {
            let rule = rule!("error-code-status-changed");
            let subject = format!("the status of the error code `{code}`");
            report_values(session, rule, edit, &subject, [&was, &is]);
        }
    }
}

/// Compares `x-rate-limit-cost` and `x-required-access`.
pub(crate) fn compare_operation(session: &mut Session<'_>, base: Id, revision: Id) {
    let key = "x-rate-limit-cost";
    let read = |tree: &Tree<'_>, id| {
        let cost = tree.get(id, key).map(|id| read_number(tree, id));
        cost.unwrap_or_else(|| ("1".to_owned(), Some(1.0)))
    };
    let (was, old) = read(&session.base.tree, base);
    let (is, new) = read(&session.revision.tree, revision);
    if was != is {
        let rule = match (old, new) {
            (Some(old), Some(new)) if new > old => rule!("rate-limit-cost-raised"),
            (Some(old), Some(new)) if new < old => rule!("rate-limit-cost-lowered"),
            _ => rule!("extension-changed"),
        };
        let edit = session.keyword_edit(base, revision, &[key]);
        let subject = "the cost of the operation";
        report_values(session, rule, edit, subject, [&was, &is]);
    }
    let key = "x-required-access";
    let (old, new) = (&session.base.tree, &session.revision.tree);
    let was = old.text(base, key).unwrap_or("read");
    let is = new.text(revision, key).unwrap_or("read");
    if was != is {
        let rule = match is {
            "read" => rule!("required-access-lowered"),
            _ => rule!("required-access-raised"),
        };
        let edit = session.keyword_edit(base, revision, &[key]);
        let subject = "the access that a key needs";
        report_values(session, rule, edit, subject, [was, is]);
    }
}
