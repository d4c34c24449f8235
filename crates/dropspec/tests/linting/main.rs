//! Tests of the rules: a valid document has no findings, and each edit that breaks a rule has one.
#![allow(clippy::unwrap_used)]

mod formats;
mod house;
mod newer;
mod openapi;
mod rules;

use dropspec::linting::{INVALID_DOCUMENT, LintSettings, lint_spec};
use dropspec_model::{Diagnostic, Spec};

/// The errors of a document and its findings.
fn lint(name: &str, text: &str, settings: &LintSettings) -> Vec<Diagnostic> {
    let (errors, found) = match Spec::parse_with_errors(name, text) {
        Ok(spec) => (spec.errors.clone(), lint_spec(&spec, settings)),
        Err(errors) => (errors, Vec::new()),
    };
    let errors = errors.into_iter();
    let errors = errors.map(|it| it.of_rule(INVALID_DOCUMENT.id));
    errors.chain(found).collect()
}

/// The findings, one a line, each followed by a line with its help.
fn findings(text: &str, settings: &LintSettings) -> String {
    let findings = lint("a.yaml", text, settings);
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Applies each edit to a document without findings, and expects the finding. A row is `from => to => finding`; `\n`
/// stands for a line break, and the finding `none` for no finding at all.
fn assert_findings_of_edits(document: &str, settings: &LintSettings, rows: &str) {
    assert_eq!(findings(document, settings), "");
    let mut failures = String::new();
    for row in rows.lines().filter(|row| !row.is_empty()) {
        let row = row.replace("\\n", "\n");
        let [from, to, expected] = row.split(" => ").collect::<Vec<_>>()[..] else {
            panic!("{row} does not have three columns");
        };
        assert!(document.contains(from), "{from} is not in the document");
        let found = lint("a.yaml", &document.replacen(from, to, 1), settings);
        let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
        let as_expected = match expected {
            "none" => found.is_empty(),
            expected => shown.iter().any(|finding| finding.contains(expected)),
        };
        if !as_expected || found.iter().any(|finding| finding.help.is_none()) {
            failures += &format!("{row}\n{}\n\n", shown.join("\n"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
