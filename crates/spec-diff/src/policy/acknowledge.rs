//! Findings that someone has looked at and agreed to, for a time and a reason.

use std::collections::HashSet;

use chrono::NaiveDate;
use spec_model::Document;

use crate::finding::{Finding, Place, fingerprint};
use crate::policy::Policy;
use crate::rules::{Bump, Level};

/// A finding that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// Which finding.
    pub fingerprint: String,
    /// Why it does not count.
    pub reason: String,
    /// The last day on which it does not.
    pub expires: NaiveDate,
}

/// Marks what is acknowledged.
pub(crate) fn acknowledge(findings: &mut [Finding], policy: &Policy) {
    for finding in findings {
        let mut entries = policy.acknowledged.iter();
        let entry = entries.find(|entry| entry.fingerprint == finding.fingerprint);
        let valid = entry.filter(|entry| entry.expires >= policy.today);
        finding.acknowledged = valid.map(|entry| entry.reason.clone());
    }
}

/// Reports what is acknowledged no more, and what was acknowledged in vain.
pub(crate) fn check_acknowledged(
    findings: &mut Vec<Finding>,
    policy: &Policy,
    revision: &Document,
) {
    let used: HashSet<String> = findings.iter().map(|f| f.fingerprint.clone()).collect();
    for entry in &policy.acknowledged {
        let (id, level, message) = if !used.contains(&entry.fingerprint) {
            let message = format!(
                "the acknowledgement of {} is used by no finding",
                entry.fingerprint
            );
            ("acknowledgement-unused", Level::Warn, message)
        } else if entry.expires < policy.today {
            let message = format!(
                "the acknowledgement of {} expired on {}",
                entry.fingerprint, entry.expires
            );
            ("acknowledgement-expired", Level::Error, message)
        } else {
            continue;
        };
        let place: Place = revision.location(revision.root().position).into();
        findings.push(Finding {
            id: id.to_owned(),
            level,
            operations: Vec::new(),
            pointer: String::new(),
            base: place.clone(),
            revision: place,
            message: format!("{message} (reason: {})", entry.reason),
            fingerprint: fingerprint(id, "", &entry.fingerprint, &[None, None]),
            also: Vec::new(),
            instance: None,
            acknowledged: None,
            bump: Bump::None,
        });
    }
}
