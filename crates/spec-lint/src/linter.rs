//! The state of one check, and the findings so far.

use std::collections::HashSet;

use spec_model::{Diagnostic, Node, Place, Spec};

use crate::settings::LintSettings;

/// The state of one check of a document.
pub(crate) struct Linter<'s> {
    pub(crate) spec: &'s Spec,
    pub(crate) settings: &'s LintSettings,
    /// A set, because a shared component is checked at each of its uses.
    pub(crate) findings: HashSet<Diagnostic>,
}

impl Linter<'_> {
    /// Adds a finding.
    pub(crate) fn report(&mut self, at: &Place, message: impl Into<String>, help: &str) {
        let finding = self.spec.diagnostic(at, message).with_help(help);
        self.findings.insert(finding);
    }

    /// Location of the member `name` of the document's root; the root if there is no such member.
    pub(crate) fn locate_root_member(&self, name: &str) -> Place {
        let document = &self.spec.document;
        locate_member(document.root(), &Place::root(document), name)
    }
}

/// Location of the member `name` of the object at `at`; `at` itself if there is no such member.
pub(crate) fn locate_member(object: &Node, at: &Place, name: &str) -> Place {
    let member = object.as_object().and_then(|members| members.get(name));
    member.map_or_else(|| at.clone(), |member| at.member(name, member))
}

/// The value of a whole number from 0 to 2^64 - 1.
pub(crate) fn as_count(node: &Node) -> Option<u64> {
    node.as_number().and_then(serde_json::Number::as_u64)
}
