//! Compares the extensions of this toolchain: plans and their limits, the cost of an operation, the access that a key
//! needs, error codes.

use super::pairs::pair_up;
use crate::canonical;
use crate::edit::{Edit, EditKind};
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Pair, ROOTS, Tree};

/// The text of a value, and its number if it is one.
type Written = (String, Option<f64>);

/// Compares `x-rate-limits` and `x-error-codes`.
pub(super) fn compare_root(session: &mut Session<'_>) {
    for plan in session.members(ROOTS, "x-rate-limits") {
        let subject = format!("the plan `{}`", plan.name);
        if let Some(pair) = plan.pair() {
            compare_plan(session, &subject, pair);
        }
        session.report_presence(presence!("rate-limit-plan"), plan.edit, &subject);
    }
    for code in session.members(ROOTS, "x-error-codes") {
        let subject = format!("the error code `{}`", code.name);
        if let Some(pair) = code.pair() {
            let ((was, _), (is, _)) = session.both(pair, read_number);
            let rule = rule!("error-code-status-changed");
            let subject = format!("the status of {subject}");
            report_value_change(session, rule, code.edit, &subject, [&was, &is]);
        } else {
            session.report_presence(presence!("error-code"), code.edit, &subject);
        }
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
    for limit in pair_up(pair, limits) {
        let subject = format!("the limit `{}` of {plan}", limit.name);
        let edit = limit.edit;
        let (old, new) = session.both((edit.base, edit.revision), read_number);
        // A limit that is not a number is compared as any extension.
        let rules = match (edit.kind, old.1, new.1) {
            (EditKind::Changed, ..) => {
                let rules = [rule!("rate-limit-lowered"), rule!("rate-limit-raised")];
                report_number_change(session, rules, edit, &subject, (old, new));
                continue;
            }
            (EditKind::Removed, Some(_), _) | (EditKind::Added, _, Some(_)) => {
                presence!("rate-limit")
            }
            _ => [rule!("extension-changed"); 2],
        };
        session.report_presence(rules, edit, &subject);
    }
    let (was, is) = session.both(pair, |tree, id| tree.node(id).as_object().is_some());
    if !(was && is) && session.texts_differ(pair) {
        let edit = Edit::changed(pair.0, pair.1).item("plan");
        session.report(rule!("extension-changed"), edit, format!("{plan} changed"));
    }
}

/// Reports a number that was lowered, by the first rule, or raised. What is not a number is compared as any extension.
fn report_number_change(
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
    report_value_change(session, rule, edit, subject, [&was, &is]);
}

/// Reports that a value changed. The values are part of the edit's item, and so of the fingerprint.
fn report_value_change(
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
pub(super) fn compare_operation(session: &mut Session<'_>, pair: Pair) {
    let key = "x-rate-limit-cost";
    let costs = session.both(pair, |tree, id| {
        let cost = tree.get(id, key).map(|id| read_number(tree, id));
        cost.unwrap_or_else(|| ("1".to_owned(), Some(1.0)))
    });
    let rules = [
        rule!("rate-limit-cost-lowered"),
        rule!("rate-limit-cost-raised"),
    ];
    let edit = session.keyword_edit(pair, &[key]);
    report_number_change(session, rules, edit, "the cost of the operation", costs);
    let key = "x-required-access";
    let (was, is) = session.both(pair, |tree, id| tree.text(id, key).unwrap_or("read"));
    let rule = match is {
        "read" => rule!("required-access-lowered"),
        _ => rule!("required-access-raised"),
    };
    let edit = session.keyword_edit(pair, &[key]);
    let subject = "the access that a key needs";
    report_value_change(session, rule, edit, subject, [was, is]);
}
