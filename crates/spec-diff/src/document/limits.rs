//! Compares the extensions of this toolchain: plans and their limits, the cost of an operation, the access that a key
//! needs, error codes.

use super::pairs::{Pair, ROOTS, pair_up};
use crate::canonical;
use crate::edit::Edit;
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Tree};

/// The text of a value, and its number if it is one.
type Written = (String, Option<f64>);

/// Compares `x-rate-limits` and `x-error-codes`.
pub(crate) fn compare_root(session: &mut Session<'_>) {
    for plan in session.members(ROOTS, "x-rate-limits") {
        let subject = format!("the plan `{}`", plan.name);
        if let Some(pair) = plan.pair() {
            compare_plan(session, &subject, pair);
        }
        session.report_presence(presence!("rate-limit-plan"), plan.edit, &subject);
    }
    for code in session.members(ROOTS, "x-error-codes") {
        let name = &code.name;
        let Some(pair) = code.pair() else {
            let subject = format!("the error code `{name}`");
            session.report_presence(presence!("error-code"), code.edit, &subject);
            continue;
        };
        let ((was, _), (is, _)) = session.both(pair, read_number);
        let subject = format!("the status of the error code `{name}`");
        let rule = rule!("error-code-status-changed");
        report_values(session, rule, code.edit, &subject, [&was, &is]);
    }
}

fn read_number(tree: &Tree<'_>, id: Id) -> Written {
    let node = tree.node(id);
    let number = node.as_number().and_then(serde_json::Number::as_f64);
    (canonical::to_text(node), number)
}

fn compare_plan(session: &mut Session<'_>, plan: &str, pair: Pair) {
    let limits = session.both(pair, |tree, id| {
        let members = tree.members(id);
        members.map(|(name, id)| (name.to_owned(), id)).collect()
    });
    for limit in pair_up(pair, limits.clone()) {
        let subject = format!("the limit `{}` of {plan}", limit.name);
        if let Some(pair) = limit.pair() {
            let rules = [rule!("rate-limit-lowered"), rule!("rate-limit-raised")];
            let values = session.both(pair, read_number);
            report_numbers(session, rules, limit.edit, &subject, values);
            continue;
        }
        let old = limits.0.get(&limit.name);
        let old = old.map(|id| read_number(&session.base.tree, *id));
        let new = limits.1.get(&limit.name);
        let new = new.map(|id| read_number(&session.revision.tree, *id));
        // A limit that is not a number is compared as any extension.
        let rules = match old.or(new) {
            Some((_, Some(_))) => presence!("rate-limit"),
            _ => [rule!("extension-changed"); 2],
        };
        session.report_presence(rules, limit.edit, &subject);
    }
    let (was, is) = session.both(pair, |tree, id| tree.node(id).as_object().is_some());
    if !(was && is) && session.texts_differ(pair) {
        let edit = Edit::changed(pair.0, pair.1).item("plan");
        session.report(rule!("extension-changed"), edit, format!("{plan} changed"));
    }
}

/// Reports a number that was lowered, by the first rule, or raised. What is not a number is compared as any extension.
fn report_numbers(
    session: &mut Session<'_>,
    rules: [RuleId; 2],
    edit: Edit,
    subject: &str,
    ((was, old), (is, new)): (Written, Written),
) {
    let rule = match (old, new) {
        (Some(old), Some(new)) => rules[usize::from(new > old)],
        _ => rule!("extension-changed"),
    };
    report_values(session, rule, edit, subject, [&was, &is]);
}

/// Reports that a value changed. The values are part of the edit's item, and so of the fingerprint.
fn report_values(
    session: &mut Session<'_>,
    rule: RuleId,
    edit: Edit,
    subject: &str,
    [was, is]: [&str; 2],
) {
    if was != is {
        let values = format!("{was} → {is}");
        let message = format!("{subject}: {values}");
        session.report(rule, edit.item(values), message);
    }
}

/// Compares `x-rate-limit-cost` and `x-required-access`.
pub(crate) fn compare_operation(session: &mut Session<'_>, base: Id, revision: Id) {
    let key = "x-rate-limit-cost";
    let costs = session.both((base, revision), |tree, id| {
        let cost = tree.get(id, key).map(|id| read_number(tree, id));
        cost.unwrap_or_else(|| ("1".to_owned(), Some(1.0)))
    });
    let rules = [
        rule!("rate-limit-cost-lowered"),
        rule!("rate-limit-cost-raised"),
    ];
    let edit = session.keyword_edit(base, revision, &[key]);
    report_numbers(session, rules, edit, "the cost of the operation", costs);
    let key = "x-required-access";
    let (was, is) = session.both((base, revision), |tree, id| {
        tree.text(id, key).unwrap_or("read")
    });
    let rule = match is {
        "read" => rule!("required-access-lowered"),
        _ => rule!("required-access-raised"),
    };
    let edit = session.keyword_edit(base, revision, &[key]);
    let subject = "the access that a key needs";
    report_values(session, rule, edit, subject, [was, is]);
}
