//! Compares sets of documents, paired by their names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dropspec_model::Document;

use crate::counts::Usage;
use crate::finding::{Finding, Reached};
use crate::listed::list_operations;
use crate::policy;
use crate::rules::{Bump, RuleId, rule};
use crate::template::split_template;
use crate::usage;
use crate::{Policy, compare};

/// Compares the documents of the same name in both sets. A document that only one of them has is one finding.
///
/// Findings are ordered by level, the highest first, then by the name of the document.
pub fn diff_sets(
    base: &BTreeMap<String, Document>,
    revision: &BTreeMap<String, Document>,
    policy: &Policy,
) -> Vec<Finding> {
    let names: BTreeSet<&String> = base.keys().chain(revision.keys()).collect();
    let usages = usages(base, policy);
    let mut findings = Vec::new();
    for name in names {
        let policy = &Policy {
            usage: usages.get(name).cloned(),
            ..policy.clone()
        };
        let (rule, document, what) = match (base.get(name), revision.get(name)) {
            (Some(base), Some(revision)) => {
                findings.extend(compare(base, revision, policy));
                continue;
            }
            (Some(base), None) => (rule!("document-removed"), base, "removed"),
            (None, Some(revision)) => (rule!("document-added"), revision, "added"),
            (None, None) => continue,
        };
        let message = format!("the document `{name}` was {what}");
        findings.extend(whole(rule, name, document, message, policy));
    }
    policy::mark_acknowledged(&mut findings, policy);
    let any = revision.values().chain(base.values()).next();
    if let Some(document) = any {
        policy::check_acknowledgements(&mut findings, policy, document);
    }
    findings.sort_by_key(|finding| Reverse(finding.level));
    findings
}

/// The usage of each document of the base. Operations that several documents have are found only in a file that names its
/// document.
fn usages(base: &BTreeMap<String, Document>, policy: &Policy) -> BTreeMap<String, Usage> {
    let mut usages = policy.usage_of.clone();
    let Some(usage) = &policy.usage else {
        return usages;
    };
    let others = base
        .iter()
        .filter(|(name, _)| !policy.usage_of.contains_key(*name));
    let mut seen = BTreeSet::new();
    let mut shared = Vec::new();
    for (_, document) in others.clone() {
        for operation in list_operations(document) {
            let label = operation.label();
            if !seen.insert(split_template(&label).0) {
                shared.push(label);
            }
        }
    }
    let usage = usage.without_shared(&shared);
    usages.extend(others.map(|(name, _)| (name.clone(), usage.clone())));
    usages
}

/// The finding about a whole document, which reaches all of its operations; none if the rule does not apply.
fn whole(
    id: RuleId,
    name: &str,
    document: &Document,
    message: String,
    policy: &Policy,
) -> Option<Finding> {
    let operations = list_operations(document);
    let reach = operations.iter().filter_map(|operation| {
        let (level, bump) = policy.rate(id, Some(operation.selected()))?;
        let operation = operation.label();
        let statuses = Vec::new();
        Some((
            Reached {
                operation,
                level,
                statuses,
            },
            bump,
        ))
    });
    let (reach, bumps): (Vec<Reached>, Vec<Bump>) = reach.unzip();
    let levels = reach.iter().map(|it| it.level);
    let of_operations = levels.max().zip(bumps.into_iter().max());
    let without_operations = || policy.rate(id, None).filter(|_| operations.is_empty());
    let rated = of_operations.or_else(without_operations)?;
    let mut finding = Finding {
        operations: reach.iter().map(|it| it.operation.clone()).collect(),
        reach,
        ..Finding::of_document(document, id, rated, name, message)
    };
    usage::apply(std::slice::from_mut(&mut finding), policy);
    Some(finding)
}
