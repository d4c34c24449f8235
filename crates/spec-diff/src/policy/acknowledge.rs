//! Acknowledged findings: someone agreed to them, with a reason and until a day.

use std::collections::HashSet;

use chrono::NaiveDate;
use spec_model::Document;

use super::Policy;
use crate::finding::{Finding, SourceLocation, fingerprint};
use crate::rules::{Bump, rule};

/// The acknowledgement of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// The fingerprint of the finding.
    pub fingerprint: String,
    /// Why the finding is no failure.
    pub reason: String,
    /// The last day on which the acknowledgement is valid.
    pub expires: NaiveDate,
}

/// Marks the findings that are acknowledged.
pub(crate) fn mark_acknowledged(findings: &mut [Finding], policy: &Policy) {
    for finding in findings {
        let mut entries = policy.acknowledged.iter();
        let entry = entries.find(|entry| entry.fingerprint == finding.fingerprint);
        let valid = entry.filter(|entry| entry.expires >= policy.today);
        finding.acknowledged = valid.map(|entry| entry.reason.clone());
    }
}

/// Reports acknowledgements that have expired, and those that no finding uses.
pub(crate) fn check_acknowledgements(
    findings: &mut Vec<Finding>,
    policy: &Policy,
    revision: &Document,
) {
    let used: HashSet<String> = findings.iter().map(|f| f.fingerprint.clone()).collect();
    for entry in &policy.acknowledged {
        let fingerprint_of_entry = &entry.fingerprint;
        let (id, what) = if !used.contains(fingerprint_of_entry) {
            (rule!("acknowledgement-unused"), "matches no finding".into())
        } else if entry.expires < policy.today {
            let what = format!("expired on {}", entry.expires);
            (rule!("acknowledgement-expired"), what)
        } else {
            continue;
        };
        let level = match policy.chosen(id, None) {
            Some(chosen) => chosen.level(),
            None => Some(id.rule().level),
        };
        let Some(level) = level else { continue };
        let location: SourceLocation = revision.location(revision.root().position).into();
        let reason = &entry.reason;
        findings.push(Finding {
            id,
            level,
            operations: Vec::new(),
            reach: Vec::new(),
            pointer: String::new(),
            base: location.clone(),
            revision: location,
            message: format!(
                "the acknowledgement of {fingerprint_of_entry} {what} (reason: {reason})"
            ),
            fingerprint: fingerprint(id, "", fingerprint_of_entry, &[None, None]),
            also: Vec::new(),
            instance: None,
            proof: None,
            nodes: None,
            acknowledged: None,
            bump: Bump::None,
            usage: None,
            inputs: Vec::new(),
        });
    }
}
