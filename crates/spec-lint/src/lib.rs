//! Checks an OpenAPI document, and reports each violation of a rule with its location and help.
//!
//! The rules of OpenAPI (3.0, 3.1 or 3.2, as the document says) always apply. The rules of a house, which go beyond OpenAPI, apply as far as [`LintSettings`]
//! turn them on. Each finding names its rule in [`RULES`], which has its level.

mod house;
mod linter;
mod objects;
mod openapi;
mod rules;
mod settings;

use std::collections::HashSet;
use std::sync::Arc;

use spec_model::{Diagnostic, Document, Spec};

use crate::linter::Linter;
pub use crate::objects::ObjectType;
pub use crate::rules::{INVALID_DOCUMENT, NOT_GENERATED, OTHER_FILES, RULES, Rule, render_rules};
pub use crate::settings::{ErrorProperties, ExtensionValue, LintSettings, ResponseFilter};

/// What is wrong in a document, each list in the order of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Why the document, or a part of it, cannot be read.
    pub errors: Vec<Diagnostic>,
    /// Other violations of OpenAPI.
    pub openapi: Vec<Diagnostic>,
    /// Violations of the rules of the house; none in a document with errors.
    pub house: Vec<Diagnostic>,
}

impl Findings {
    /// All findings, in the order of lines.
    pub fn into_all(self) -> Vec<Diagnostic> {
        sorted([self.errors, self.openapi, self.house].concat())
    }
}

/// Reads the text of an OpenAPI document, checks it, and returns the findings in the order of its lines.
///
/// `name` is the file name in findings.
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
    match find_problems(document, settings) {
        Ok(findings) => findings.into_all(),
        Err(errors) => errors,
    }
}

/// Checks a document whose text is parsed already.
///
/// # Errors
/// All errors, if it cannot be read at all.
pub fn find_problems(
    document: Document,
    settings: &LintSettings,
) -> Result<Findings, Vec<Diagnostic>> {
    let of_rule = |errors: Vec<Diagnostic>| {
        let errors = errors.into_iter();
        errors.map(|it| it.of_rule(INVALID_DOCUMENT.id)).collect()
    };
    let spec = Spec::read_with_errors(Arc::new(document));
    let spec = spec.map_err::<Vec<Diagnostic>, _>(of_rule)?;
    Ok(lint_spec(&spec, settings))
}

/// Checks a document that has been read, perhaps with errors.
pub fn lint_spec(spec: &Spec, settings: &LintSettings) -> Findings {
    let mut linter = Linter {
        spec,
        source: &spec.source,
        settings,
        openapi: Default::default(),
        house: Default::default(),
    };
    linter.check_openapi();
    // A rule about what refers to what would blame the wrong part of a document that is read in part.
    if spec.errors.is_empty() {
        linter.check_house();
    } else {
        linter.house.clear();
    }
    // Where a part cannot be read, a violation says the same in other words.
    let unreadable: HashSet<&str> = spec.errors.iter().map(|it| it.pointer.as_str()).collect();
    let openapi = linter.openapi.into_iter();
    let openapi = openapi.filter(|finding| !unreadable.contains(finding.pointer.as_str()));
    let openapi = openapi.chain(spec.mended.iter().cloned());
    Findings {
        errors: spec
            .errors
            .iter()
            .map(|it| it.clone().of_rule(INVALID_DOCUMENT.id))
            .collect(),
        openapi: sorted(openapi.collect()),
        house: sorted(linter.house.into_iter().collect()),
    }
}

fn sorted(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    findings.sort_by(|a, b| (&a.location, &a.message).cmp(&(&b.location, &b.message)));
    findings
}
