//! Findings that someone has looked at and agreed to, for a time and a reason.

use std::collections::HashSet;

use chrono::NaiveDate;
use serde::Deserialize;
use spec_model::Document;

use crate::finding::{Finding, Place, fingerprint};
use crate::policy::Policy;
use crate::rules::{Bump, Level};

/// A finding that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acknowledged {
    /// Which finding.
    pub fingerprint: String,
    /// Why it does not count.
    pub reason: String,
    /// The last day on which it does not.
    pub expires: NaiveDate,
}

/// Marks what is acknowledged; reports what is so no more, and what was acknowledged in vain.
pub(crate) fn acknowledge(findings: &mut Vec<Finding>, policy: &Policy, revision: &Document) {
    let mut used = HashSet::new();
    for finding in findings.iter_mut() {
        let entry = policy
            .acknowledged
            .iter()
            .find(|entry| entry.fingerprint == finding.fingerprint);
        let Some(entry) = entry else { continue };
        used.insert(entry.fingerprint.as_str());
        if entry.expires >= policy.today {
            finding.acknowledged = Some(entry.reason.clone());
        }
    }
    for entry in &policy.acknowledged {
        let (id, level, message) = if !used.contains(entry.fingerprint.as_str()) {
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
        let place: Place = revision.location(revision.root().span).into();
        findings.push(Finding {
            id: id.to_owned(),
            level,
            operations: Vec::new(),
            pointer: String::new(),
            base: place.clone(),
            revision: place,
            message: format!("{message} (reason: {})", entry.reason),
            fingerprint: fingerprint(id, "", &entry.fingerprint),
            also: Vec::new(),
            instance: None,
            acknowledged: None,
            bump: Bump::None,
        });
    }
}
