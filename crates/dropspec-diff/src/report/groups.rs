//! Groups findings by operation, for reports that people read.

use std::cmp::Reverse;

use indexmap::IndexMap;

use super::details::{Detail, Instances};
use super::summarize;
use crate::finding::Finding;
use crate::rules::Level;

/// The findings of an operation.
pub(super) struct Group<'f> {
    /// The operation; `None` for findings about the whole document.
    pub(super) operation: Option<&'f str>,
    /// How many findings of each level there are.
    pub(super) summary: String,
    /// Whether one of them is an error that is not acknowledged.
    pub(super) has_error: bool,
    /// Each finding, with what is said of it, is in one group: that of the first operation that it affects most.
    pub(super) findings: Vec<(&'f Finding, Vec<Detail<'f>>)>,
}

/// The groups, those with the highest level first.
pub(super) fn group(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups: IndexMap<Option<&str>, Vec<&Finding>> = IndexMap::new();
    for finding in findings {
        let worst = finding.reach.iter().find(|it| it.level == finding.level);
        let first = finding.operations.first().map(String::as_str);
        let operation = worst.map(|it| it.operation.as_str()).or(first);
        groups.entry(operation).or_default().push(finding);
    }
    let level = |findings: &[&Finding]| {
        let open = findings.iter().filter(|it| it.acknowledged.is_none());
        open.map(|it| it.level).max().unwrap_or(Level::Info)
    };
    groups.sort_by_cached_key(|operation, findings| {
        // The operations of one path stand together.
        let by_path = operation.map(|it| match it.split_once(' ') {
            Some((method, path)) => format!("{path} {method}"),
            None => it.to_owned(),
        });
        (Reverse(level(findings)), by_path)
    });
    let mut instances = Instances::default();
    let groups = groups.into_iter().map(|(operation, findings)| Group {
        operation,
        summary: summarize(findings.iter().copied()),
        has_error: level(&findings) == Level::Error,
        findings: findings
            .into_iter()
            .map(|it| (it, instances.describe(it, operation)))
            .collect(),
    });
    groups.collect()
}
