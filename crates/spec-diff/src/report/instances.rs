//! The instances of a report: each value is printed once.

use std::collections::HashMap;

use crate::finding::{Finding, Side};

/// Which instances were printed, and with which finding.
#[derive(Default)]
pub(super) struct Instances<'f>(HashMap<(String, Side), &'f str>);

/// The instance of a finding for people.
pub(super) struct Shown<'f> {
    /// What the value shows.
    pub(super) what: &'static str,
    /// The value as JSON.
    pub(super) value: String,
    /// The fingerprint of the earlier finding that has the same value.
    pub(super) before: Option<&'f str>,
}

impl<'f> Instances<'f> {
    pub(super) fn show(&mut self, finding: &'f Finding) -> Option<Shown<'f>> {
        let instance = finding.instance.as_ref()?;
        let what = match instance.accepted_by {
            Side::Base => "valid before, now rejected",
            Side::Revision => "impossible before, now possible",
        };
        let value = instance.value.to_string();
        let key = (value.clone(), instance.accepted_by);
        let before = self.0.get(&key).copied();
        self.0.entry(key).or_insert(&finding.fingerprint);
        Some(Shown {
            what,
            value,
            before,
        })
    }
}
