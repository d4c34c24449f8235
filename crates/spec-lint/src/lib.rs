//! Checks an OpenAPI document, and reports each violation of a rule with its location and help.
//!
//! The rules of OpenAPI 3.0 always apply. The rules of a house, which go beyond OpenAPI, apply as far as [`LintSettings`]
//! turn them on. There are no levels: every finding should be fixed.

mod house;
mod linter;
mod objects;
mod openapi;
mod settings;

use spec_model::{Diagnostic, Document, Spec};

use crate::linter::Linter;
pub use crate::objects::ObjectType;
pub use crate::settings::{ErrorProperties, ExtensionValue, LintSettings, ResponseFilter};

/// Reads the text of an OpenAPI document, checks it, and returns the findings in the order of its lines.
///
/// `name` is the file name in findings. The errors of a document that cannot be read are the only findings of it.
///
/// ```
/// let text = "openapi: 3.0.3\ninfo: {title: Pets, version: 1.0.0}\npaths:\n  /pets:\n    get: {}\n";
/// let findings = spec_lint::lint("pets.yaml", text, &spec_lint::LintSettings::default());
/// assert!(findings[0].to_string().starts_with("pets.yaml:5:5: the operation has no `responses`"));
/// ```
pub fn lint(name: &str, text: &str, settings: &LintSettings) -> Vec<Diagnostic> {
    match Document::parse(name, text) {
        Ok(document) => lint_document(document, settings),
        Err(errors) => errors,
    }
}

/// Checks a document whose text is parsed already, as [`lint`] does. Its values may be of several files.
pub fn lint_document(document: Document, settings: &LintSettings) -> Vec<Diagnostic> {
    let spec = match Spec::read(document.into()) {
        Ok(spec) => spec,
        Err(errors) => return errors,
    };
    let mut linter = Linter {
        spec: &spec,
        settings,
        findings: Default::default(),
    };
    linter.check_openapi();
    linter.check_house();
    let mut findings: Vec<Diagnostic> = linter.findings.into_iter().collect();
    findings.sort_by(|a, b| (&a.location, &a.message).cmp(&(&b.location, &b.message)));
    findings
}
