//! Checks an OpenAPI document, and reports each violation of a rule with its location and help.
//!
//! The rules of OpenAPI 3.0 always apply. The rules of a house, which go beyond OpenAPI, apply as far as [`LintSettings`]
//! turn them on. There are no levels: every finding should be fixed.

mod house;
mod openapi;
mod settings;

use std::collections::HashSet;

use spec_model::{Diagnostic, Node, Place, Spec};

pub use crate::openapi::ObjectType;
pub use crate::settings::{
    ErrorProperties, ExtensionRule, ExtensionValue, LintSettings, RequiredHeader, ResponseFilter,
};

/// Checks a document and returns the findings in the order of its lines.
///
/// `name` is the file name in findings. The errors of a document that cannot be read are the only findings of it.
///
/// ```
/// let text = "openapi: 3.0.3\ninfo: {title: Pets, version: 1.0.0}\npaths:\n  /pets:\n    get: {}\n";
/// let findings = spec_lint::lint("pets.yaml", text, &spec_lint::LintSettings::default());
/// assert!(findings[0].to_string().starts_with("pets.yaml:5:5: the operation has no `responses`"));
/// ```
pub fn lint(name: &str, text: &str, settings: &LintSettings) -> Vec<Diagnostic> {
    let spec = match Spec::parse(name, text) {
        Ok(spec) => spec,
        Err(errors) => return errors,
    };
    let mut linter = Linter {
        spec: &spec,
        settings,
        findings: HashSet::new(),
    };
    linter.check_openapi();
    linter.check_house();
    let mut findings: Vec<Diagnostic> = linter.findings.into_iter().collect();
    findings.sort_by(|a, b| (&a.location, &a.message).cmp(&(&b.location, &b.message)));
    findings
}

/// The state of one check of a document.
struct Linter<'s> {
    spec: &'s Spec,
    settings: &'s LintSettings,
    /// A set, because a shared component is checked at each of its uses.
    findings: HashSet<Diagnostic>,
}

impl Linter<'_> {
    /// Adds a finding.
    fn report(&mut self, at: &Place, message: impl Into<String>, help: &str) {
        let finding = self.spec.diagnostic(at, message).with_help(help);
        self.findings.insert(finding);
    }

    /// Location of the member `name` of the document's root; the root if there is no such member.
    fn root_member(&self, name: &str) -> Place {
        let document = &self.spec.document;
        member_or_self(document.root(), &Place::root(document), name)
    }
}

/// Location of the member `name` of the object at `at`; `at` itself if there is no such member.
fn member_or_self(object: &Node, at: &Place, name: &str) -> Place {
    let member = object.as_object().and_then(|members| members.get(name));
    member.map_or_else(|| at.clone(), |member| at.member(name, member))
}

/// The value of a whole number from 0 to 2^64 - 1.
fn as_count(node: &Node) -> Option<u64> {
    node.as_number().and_then(serde_json::Number::as_u64)
}
