//! Groups findings by operation, for reports that people read.

use std::cmp::Reverse;

use indexmap::IndexMap;

use super::summarize;
use crate::finding::Finding;
use crate::rules::Level;

/// The findings of an operation.
pub(super) struct Group<'f> {
    /// The operation; `None` for findings about the whole document.
    pub(super) operation: Option<&'f str>,
    /// Each finding is in one group: that of the first operation that it affects most.
    pub(super) findings: Vec<&'f Finding>,
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
    let mut groups: Vec<Group<'_>> = groups
        .into_iter()
        .map(|(operation, findings)| Group {
            operation,
            findings,
        })
        .collect();
    groups.sort_by_key(|group| (Reverse(group.level()), group.operation.map(path_first)));
    groups
}

/// Sorts the operations of one path together.
fn path_first(operation: &str) -> (&str, &str) {
    let (method, path) = operation.split_once(' ').unwrap_or((operation, ""));
    (path, method)
}

impl Group<'_> {
    /// The highest level of a finding that is not acknowledged.
    pub(super) fn level(&self) -> Level {
        let open = self.findings.iter().filter(|it| it.acknowledged.is_none());
        open.map(|it| it.level).max().unwrap_or(Level::Info)
    }

    /// How many findings of each level there are.
    pub(super) fn summary(&self) -> String {
        summarize(self.findings.iter().copied())
    }

    /// The other operations that a finding of the group affects, with the level where it differs.
    pub(super) fn others(&self, finding: &Finding) -> Vec<String> {
        let others = finding.reach.iter();
        let others = others.filter(|it| Some(it.operation.as_str()) != self.operation);
        let label = |level: Level| {
            if level == finding.level {
                String::new()
            } else {
                format!(" ({})", level.as_str())
            }
        };
        others
            .map(|it| format!("{}{}", it.operation, label(it.level)))
            .collect()
    }
}
