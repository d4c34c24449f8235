//! Checks an OpenAPI document, and reports each violation of a rule with its location and help.
//!
//! The rules of OpenAPI (3.0, 3.1 or 3.2, as the document says) always apply. The rules of a house, which go beyond OpenAPI, apply as far as [`LintSettings`]
//! turn them on. Each finding names its rule in [`RULES`], which has its level.

mod house;
mod linter;
mod openapi;
mod rules;
mod settings;

use std::collections::HashSet;

use dropspec_model::{Diagnostic, Spec};

use crate::linting::linter::Linter;
pub use crate::linting::rules::{
    INVALID_DOCUMENT, NOT_GENERATED, OTHER_FILES, RULES, Rule, render_rules,
};
pub use crate::linting::settings::{ErrorProperties, ExtensionValue, LintSettings, ResponseFilter};

/// Checks a document that has been read, perhaps with errors: what is wrong beside what cannot be read, in the order of its lines.
/// Of a document that cannot be read whole, the rules of the house say nothing.
///
/// ```
/// let text = "openapi: 3.0.3\ninfo: {title: Pets, version: 1.0.0}\npaths: {/pets?all: {}}\n";
/// let spec = dropspec_model::Spec::parse("pets.yaml", text).unwrap();
/// let findings = dropspec::linting::lint_spec(&spec, &dropspec::linting::LintSettings::default());
/// assert_eq!(findings[0].rule, "path-query");
/// ```
pub fn lint_spec(spec: &Spec, settings: &LintSettings) -> Vec<Diagnostic> {
    let mut linter = Linter {
        spec,
        source: &spec.source,
        settings,
        suggestions: Default::default(),
        findings: Default::default(),
    };
    linter.check_openapi();
    // A rule about what refers to what would blame the wrong part of a document that is read in part.
    if spec.errors.is_empty() {
        linter.check_house();
    } else {
        linter.findings.retain(|it| !it.rule.starts_with("house-"));
    }
    // Where a part cannot be read, a violation says the same in other words.
    let unreadable: HashSet<&str> = spec.errors.iter().map(|it| it.pointer.as_str()).collect();
    let findings = linter.findings.into_iter();
    let findings = findings.filter(|finding| !unreadable.contains(finding.pointer.as_str()));
    let mut findings: Vec<Diagnostic> = findings.chain(spec.mended.iter().cloned()).collect();
    findings.sort_by(|a, b| (&a.location, &a.message).cmp(&(&b.location, &b.message)));
    findings
}
