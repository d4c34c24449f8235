//! The state of one check, and the findings so far.

use std::collections::HashSet;

use spec_model::{Diagnostic, Node, Place, Spec};

use crate::settings::LintSettings;

/// The document being checked, the settings, and the findings so far.
pub(crate) struct Linter<'s> {
    pub(crate) spec: &'s Spec,
    pub(crate) settings: &'s LintSettings,
    /// A set, because a shared component is checked at each of its uses.
    pub(crate) findings: HashSet<Diagnostic>,
}

impl Linter<'_> {
    /// Adds a finding about the node at a place.
    pub(crate) fn report(&mut self, at: &Place, message: impl Into<String>, help: &str) {
        let finding = self.spec.diagnostic(at, message).with_help(help);
        self.findings.insert(finding);
    }
}

/// The value of a node that is a whole number from 0 to 2^64 - 1; `None` for other nodes.
pub(crate) fn as_count(node: &Node) -> Option<u64> {
    node.as_number().and_then(serde_json::Number::as_u64)
}
