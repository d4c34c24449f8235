//! Compares sets of documents, paired by their names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use spec_model::Document;

use crate::counts::{Usage, to_key};
use crate::finding::{Finding, Reached, SourceLocation, fingerprint};
use crate::listed::list_operations;
use crate::policy;
use crate::rules::{RuleId, rule};
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
        match (base.get(name), revision.get(name)) {
            (Some(base), Some(revision)) => findings.extend(compare(base, revision, policy)),
            (Some(base), None) => {
                let message = format!("the document `{name}` was removed");
                findings.extend(whole(
                    rule!("document-removed"),
                    name,
                    base,
                    message,
                    policy,
                ));
            }
            (None, Some(revision)) => {
                let message = format!("the document `{name}` was added");
                findings.extend(whole(
                    rule!("document-added"),
                    name,
                    revision,
                    message,
                    policy,
                ));
            }
            (None, None) => {}
        }
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
            if !seen.insert(to_key(&label)) {
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
    let mut rated = Vec::new();
    let mut reach = Vec::new();
    let operations = list_operations(document);
    for operation in &operations {
        let Some((level, bump)) = policy.rate(id, Some(operation.selected())) else {
            continue;
        };
        rated.push((level, bump));
        reach.push(Reached {
            operation: operation.label(),
            level,
        });
    }
    if operations.is_empty() {
        rated.extend(policy.rate(id, None));
    }
    let (level, _) = *rated.iter().max()?;
    let bump = rated.iter().map(|(_, bump)| *bump).max()?;
    let location: SourceLocation = document.location(document.root().position).into();
    let mut finding = Finding {
        id,
        level,
        operations: reach.iter().map(|it| it.operation.clone()).collect(),
        reach,
        pointer: String::new(),
        base: location.clone(),
        revision: location,
        message,
        fingerprint: fingerprint(id, "", name, &[None, None]),
        also: Vec::new(),
        instance: None,
        proof: None,
        nodes: None,
        acknowledged: None,
        bump,
        usage: None,
        inputs: Vec::new(),
    };
    usage::apply(std::slice::from_mut(&mut finding), policy);
    Some(finding)
}
