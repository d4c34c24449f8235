//! Generates the files of one document, and says why it cannot.

use dropspec_codegen::{GeneratedFile, Part, Settings};
use dropspec_model::Diagnostic;

use crate::bundling::Bundled;
use crate::check::{self, CheckReport, Refused};
use crate::linting::LintSettings;
use crate::losses::{Losses, count};
use crate::project::Project;
use crate::repair;

/// The name of the generated file with the document, if other files change the document.
const BUNDLE: &str = "openapi.yaml";

/// Generates all files of a bundle.
pub(super) fn generate_bundled(
    project: &Project,
    bundled: &Bundled,
    mut settings: Settings,
) -> Result<CheckReport, Refused> {
    let text = bundled.changed_text();
    if text.is_some() {
        BUNDLE.clone_into(&mut settings.source_path);
    }
    // The rules of the house do not concern the generated code.
    let mut checked = check::check(bundled, &settings, &LintSettings::default());
    if !checked.errors.is_empty() {
        let help = repair::help(project, &bundled.document);
        return Err(list(&checked.errors, &checked.losses, help));
    }
    checked.files.extend(text.map(|content| GeneratedFile {
        part: Part::Api,
        name: BUNDLE.to_owned(),
        content,
    }));
    Ok(checked)
}

/// The errors of a document, behind its warnings, which may explain them: a misspelt key is missing under its right name.
pub(super) fn list(errors: &[Diagnostic], losses: &Losses, help: Option<String>) -> Refused {
    let mut lines = losses.warning_lines();
    lines.extend(errors.iter().map(check::error_text));
    lines.extend(help);
    let number = count(errors.len(), "error");
    Refused(format!(
        "{}\n\n{number}; nothing was written",
        lines.join("\n")
    ))
}
