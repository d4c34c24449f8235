//! Checks a document: what `new`, `generate`, `lint` and `release` say of it, in the same words.

use std::collections::HashSet;
use std::sync::Arc;

use dropspec_codegen::{GeneratedFile, Settings, generate};
use dropspec_model::{Diagnostic, Location, Spec};

use crate::bundling::Bundled;
use crate::linting::{INVALID_DOCUMENT, LintSettings, NOT_GENERATED, OTHER_FILES, Rule, lint_spec};
use crate::losses::Losses;

/// What is said of a document.
#[derive(Debug, Default)]
pub(crate) struct CheckReport {
    /// Why nothing can be generated from the document.
    pub(crate) errors: Vec<Diagnostic>,
    /// Violations of OpenAPI with which code can be generated, those of the rules of the house, and what the code does not keep.
    pub(crate) losses: Losses,
    /// The generated files; none with errors.
    pub(crate) files: Vec<GeneratedFile>,
}

/// Checks a bundled document by the rules of OpenAPI, by those of the house, and by generating its files.
pub(crate) fn check(bundled: &Bundled, settings: &Settings, house: &LintSettings) -> CheckReport {
    let mut checked = CheckReport::default();
    let mut warnings = of_rule(OTHER_FILES, bundled.warnings.clone());
    match Spec::read_with_errors(Arc::new(bundled.document.clone())) {
        Err(errors) => checked.errors = of_rule(INVALID_DOCUMENT, errors),
        Ok(spec) => {
            warnings.extend(lint_spec(&spec, house));
            match generate(&spec, settings) {
                Err(errors) => checked.errors = of_rule(NOT_GENERATED, errors),
                Ok(generated) => {
                    warnings.extend(of_rule(NOT_GENERATED, generated.warnings));
                    checked.losses.left_out = generated.unsupported;
                    checked.files = generated.files;
                }
            }
        }
    }
    checked.losses.warnings = in_order(warnings);
    checked
}

/// Names the rule of diagnostics that name none.
pub(crate) fn of_rule(rule: Rule, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let named = diagnostics.into_iter().map(|it| match it.rule {
        "" => it.of_rule(rule.id),
        _ => it,
    });
    named.collect()
}

/// Diagnostics in the order of lines, each once: several phases may say the same of one place.
fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen: HashSet<(Location, String)> = HashSet::new();
    diagnostics.retain(|it| seen.insert((it.location.clone(), it.message.clone())));
    diagnostics.sort_by(|a, b| a.location.cmp(&b.location));
    diagnostics
}

/// What is wrong in a document, as lines for people, which are printed as they are.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) String);

/// All errors of a document, as one error of a command.
pub(crate) fn refused(errors: Vec<Diagnostic>) -> anyhow::Error {
    let lines: Vec<String> = errors.iter().map(error_text).collect();
    Refused(lines.join("\n")).into()
}

/// A diagnostic that makes a command fail, as a text for people.
pub(crate) fn error_text(error: &Diagnostic) -> String {
    format!("error: {error}")
}

/// A diagnostic that does not, as a text for people.
pub(crate) fn warning_text(warning: &Diagnostic) -> String {
    format!("warning: {warning}")
}
