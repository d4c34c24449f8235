//! Generates the files of one document, and says what they do not keep of it.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use spec_bundle::Bundled;
use spec_codegen::{GeneratedFile, Part, Settings};
use spec_lint::LintSettings;
use spec_model::Diagnostic;

use super::report::Report;
use crate::check::{self, Checked};
use crate::losses::{Losses, count};
use crate::operations::Operations;
use crate::project::Project;

/// The name of the generated file with the document, if other files change the document.
const BUNDLE: &str = "openapi.yaml";
/// The names of the generated files with the document as it was written. The first that is there has it.
const DOCUMENTS: [&str; 2] = ["written.json", "openapi.json"];

/// A document to generate from.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) settings: Settings,
    /// The folder with the files that were generated last.
    pub(super) folder: Option<PathBuf>,
    /// The command that lists all that is said of the document.
    pub(super) lint: String,
}

/// The files of a document, and what they lose of it.
pub(super) struct Output {
    pub(super) files: Vec<GeneratedFile>,
    pub(super) losses: Losses,
}

/// Bundles a document, and generates all its files. Reports what became of its operations.
pub(super) fn generate_document(
    project: &Project,
    source: &Source,
    partial: bool,
) -> (Report, anyhow::Result<Output>) {
    match project.bundle(&source.path) {
        Ok(bundled) => generate_bundled(&bundled, source, partial),
        Err(errors) => {
            let report = Report::of_refused(&Operations::default(), &errors);
            (report, Err(list(&errors, &Losses::default(), "")))
        }
    }
}

/// Generates all files of a bundle, and reports what became of its operations.
pub(super) fn generate_bundled(
    bundled: &Bundled,
    source: &Source,
    partial: bool,
) -> (Report, anyhow::Result<Output>) {
    let mut settings = Settings {
        partial,
        ..source.settings.clone()
    };
    let text = bundled.changed_text();
    if text.is_some() {
        BUNDLE.clone_into(&mut settings.source_path);
    }
    // The rules of the house do not concern the generated code.
    let checked = check::check(bundled, &settings, &LintSettings::default());
    let Checked { errors, losses, .. } = checked;
    let report = if errors.is_empty() {
        Report::of_generated(&bundled.document, &losses.left_out)
    } else {
        Report::of_refused(&Operations::find(&bundled.document), &errors)
    };
    let losses = if losses.is_empty() {
        losses
    } else {
        losses.since(&losses_before(source.folder.as_deref(), &settings))
    };
    if !errors.is_empty() {
        return (report, Err(list(&errors, &losses, &source.lint)));
    }
    let mut files = checked.files;
    files.extend(text.map(|content| GeneratedFile {
        part: Part::Api,
        name: BUNDLE.to_owned(),
        content,
    }));
    (report, Ok(Output { files, losses }))
}

/// What was said of the document that the files in a folder were generated from.
fn losses_before(folder: Option<&Path>, settings: &Settings) -> Losses {
    let documents = folder.map(|folder| DOCUMENTS.map(|name| folder.join(name)));
    let mut documents = documents.into_iter().flatten();
    let document = documents.find(|path| path.exists());
    let bundled = document.and_then(|path| spec_bundle::bundle(&path, &[]).ok());
    bundled.map_or(Losses::default(), |bundled| {
        check::check(&bundled, settings, &LintSettings::default()).losses
    })
}

/// The errors of a document, behind its warnings, which may explain them: a misspelt key is missing under its right name.
fn list(errors: &[Diagnostic], losses: &Losses, lint: &str) -> anyhow::Error {
    let mut lines = losses.warning_lines();
    lines.extend(losses.known_line(lint));
    lines.extend(errors.iter().map(check::error_text));
    anyhow!("{}\n\n{}", lines.join("\n"), count(errors.len(), "error"))
}
