//! Compares sets of documents, paired by their names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use spec_model::{Document, Node};

use crate::finding::{Finding, Reached, SourceLocation, fingerprint};
use crate::policy;
use crate::rules::{Bump, Level, RuleId, rule};
use crate::{Policy, compare};

/// The methods of HTTP as a path item has them.
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// Compares the documents of the same name in both sets. A document that only one of them has is one finding.
///
/// Findings are ordered by level, the highest first, then by the name of the document.
pub fn diff_sets(
    base: &BTreeMap<String, Document>,
    revision: &BTreeMap<String, Document>,
    policy: &Policy,
) -> Vec<Finding> {
    let names: BTreeSet<&String> = base.keys().chain(revision.keys()).collect();
    let mut findings = Vec::new();
    for name in names {
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

/// The finding about a whole document, which reaches all of its operations; none if the rule does not apply.
fn whole(
    id: RuleId,
    name: &str,
    document: &Document,
    message: String,
    policy: &Policy,
) -> Option<Finding> {
    let level = match policy.chosen(id, None) {
        Some(chosen) => chosen.level()?,
        None => policy.level(id),
    };
    let location: SourceLocation = document.location(document.root().position).into();
    let operations = operations(document);
    Some(Finding {
        id,
        level,
        reach: operations
            .iter()
            .map(|operation| Reached {
                operation: operation.clone(),
                level,
            })
            .collect(),
        operations,
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
        bump: match level {
            Level::Error => Bump::Major,
            Level::Warn | Level::Info => Bump::Minor,
        },
        usage: None,
        inputs: Vec::new(),
    })
}

/// The operations of a document, such as `GET /pets`.
fn operations(document: &Document) -> Vec<String> {
    let paths = document.root().get("paths").and_then(Node::as_object);
    let paths = paths.into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        let methods = METHODS.iter().filter(|it| item.node.get(it).is_some());
        methods.map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    operations.collect()
}
