//! Generates the files of one document, and says what they do not keep of it.

use std::path::Path;

use spec_bundle::Bundled;
use spec_codegen::{GeneratedFile, Part, Settings};
use spec_lint::LintSettings;
use spec_model::Diagnostic;

use super::report::Report;
use crate::check::{self, Checked, Refused};
use crate::losses::{Losses, count};
use crate::project::Project;

/// The name of the generated file with the document, if other files change the document.
const BUNDLE: &str = "openapi.yaml";

/// Bundles a document, and generates all its files. Reports what became of its operations.
pub(super) fn generate_document(
    project: &Project,
    path: &Path,
    settings: Settings,
) -> (Report, Result<Checked, Refused>) {
    match project.bundle(path) {
        Ok(bundled) => generate_bundled(&bundled, settings),
        Err(errors) => {
            let report = Report::of_refused(None, &errors);
            (report, Err(list(&errors, &Losses::default())))
        }
    }
}

/// Generates all files of a bundle, and reports what became of its operations.
pub(super) fn generate_bundled(
    bundled: &Bundled,
    mut settings: Settings,
) -> (Report, Result<Checked, Refused>) {
    let text = bundled.changed_text();
    if text.is_some() {
        BUNDLE.clone_into(&mut settings.source_path);
    }
    // The rules of the house do not concern the generated code.
    let mut checked = check::check(bundled, &settings, &LintSettings::default());
    if !checked.errors.is_empty() {
        let report = Report::of_refused(Some(&bundled.document), &checked.errors);
        return (report, Err(list(&checked.errors, &checked.losses)));
    }
    let report = Report::of_generated(&bundled.document, &checked.losses.left_out);
    checked.files.extend(text.map(|content| GeneratedFile {
        part: Part::Api,
        name: BUNDLE.to_owned(),
        content,
    }));
    (report, Ok(checked))
}

/// The errors of a document, behind its warnings, which may explain them: a misspelt key is missing under its right name.
fn list(errors: &[Diagnostic], losses: &Losses) -> Refused {
    let mut lines = losses.warning_lines();
    lines.extend(errors.iter().map(check::error_text));
    let number = count(errors.len(), "error");
    Refused(format!(
        "{}\n\n{number}; nothing was written",
        lines.join("\n")
    ))
}
