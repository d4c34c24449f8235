//! The state of one check, and the findings so far.

use std::collections::HashSet;

use dropspec_model::{Diagnostic, Document, Node, Place, Spec, Suggestions};

use crate::linting::rules::Rule;
use crate::linting::settings::LintSettings;

/// The document being checked, the settings, and the findings so far.
pub(crate) struct Linter<'s> {
    pub(crate) spec: &'s Spec,
    /// The document as it is written; that of `spec` is in the terms of OpenAPI 3.0.
    pub(crate) source: &'s Document,
    pub(crate) settings: &'s LintSettings,
    /// Names for those that nothing has.
    pub(crate) suggestions: Suggestions,
    /// A set, because a shared component is checked at each of its uses.
    pub(crate) findings: HashSet<Diagnostic>,
}

impl Linter<'_> {
    /// Adds a violation of a rule by the node at a place, with the help of the rule.
    pub(crate) fn report_rule(&mut self, rule: &Rule, at: &Place, message: impl Into<String>) {
        self.report(rule, at, message, rule.help);
    }

    /// Adds a violation of a rule by the node at a place, with a help of its own.
    pub(crate) fn report(
        &mut self,
        rule: &Rule,
        at: &Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let finding = self.spec.diagnostic(at, message).with_help(help);
        self.findings.insert(finding.of_rule(rule.id));
    }
}

/// The value of a node that is a whole number from 0 to 2^64 - 1; `None` for other nodes.
pub(crate) fn as_count(node: &Node) -> Option<u64> {
    node.as_number().and_then(serde_json::Number::as_u64)
}
