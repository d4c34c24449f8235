//! `lint`: checks a document by the rules of OpenAPI and of its repository.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{NaiveDate, Utc};
use clap::Args;
use spec_bundle::Bundled;
use spec_lint::LintSettings;
use spec_model::Diagnostic;

use crate::output::{print, print_error};
use crate::project::{self, Project};
use crate::{generate, releases};

/// Check the document: valid OpenAPI 3.0, the rules of the repository, and that code can be generated from it
///
/// The rules of the repository are in the table `[lint]` of dropspec.toml. Also verifies that no released document was
/// changed. Lines that begin with `warning:` say what is legal, but not kept in the generated code; they do not change the
/// exit code.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  lint             the document of dropspec.toml
  lint api.yaml    any document

Exit codes: 0 no findings, 1 findings, 2 the document is not readable.")]
pub struct Arguments {
    /// The document; that of dropspec.toml if absent.
    #[arg(value_name = "FILE", value_parser = project::parse_file)]
    pub file: Option<PathBuf>,
    /// The day by which sunsets are checked, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
}

/// Runs `lint`: checks the document and the released documents. Exit code 1 with findings, 2 if the document is neither
/// YAML nor JSON, or refers to a file that is not there.
///
/// # Errors
/// There is no document and no `dropspec.toml`, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let project = match &arguments.file {
        Some(_) => Project::find_or_default()?,
        None => Project::find()?,
    };
    let own = project.document_path();
    let path = arguments.file.as_deref().unwrap_or(&own);
    if let Err(error) = project::read_text(path) {
        print_error(format_args!("error: {error:#}"));
        return Ok(ExitCode::from(2));
    }
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let (Checked { findings, warnings }, is_readable) = match project.bundle(path) {
        Ok(bundled) => (check(&project, &bundled, today), true),
        Err(findings) => {
            let warnings = Vec::new();
            (Checked { findings, warnings }, false)
        }
    };
    for finding in &findings {
        print(format_args!("{finding}\n"))?;
    }
    for warning in &warnings {
        print(format_args!("warning: {warning}\n"))?;
    }
    let frozen = releases::verify(&project);
    if let Err(error) = &frozen {
        print(format_args!("{error}\n"))?;
    }
    Ok(ExitCode::from(match is_readable {
        true => u8::from(!findings.is_empty() || frozen.is_err()),
        false => 2,
    }))
}

/// What is said of a document. A problem that several report at one place in the same words is listed once.
pub struct Checked {
    /// The findings of the bundle and of lint, and whatever the generator refuses, in the order of the lines.
    pub findings: Vec<Diagnostic>,
    /// What else the generated code loses of the document.
    pub warnings: Vec<Diagnostic>,
}

/// Checks a document.
pub fn check(project: &Project, bundled: &Bundled, today: NaiveDate) -> Checked {
    let mut findings = check_rules(&project.config.lint, bundled, today);
    let (refused, lost) = match generate::find_problems(project, &bundled.document) {
        Ok(lost) => (Vec::new(), lost),
        Err(refused) => (refused, Vec::new()),
    };
    let reported = |problem: &Diagnostic| {
        let same = |finding: &Diagnostic| {
            finding.location == problem.location && finding.message == problem.message
        };
        findings.iter().any(same)
    };
    let new = |problems: Vec<Diagnostic>| -> Vec<Diagnostic> {
        problems.into_iter().filter(|it| !reported(it)).collect()
    };
    let (refused, warnings) = (new(refused), new(lost));
    findings.extend(refused);
    findings.sort_by(|a, b| a.location.cmp(&b.location));
    Checked { findings, warnings }
}

/// The findings of the bundle and of lint by these settings.
pub(crate) fn check_rules(
    settings: &LintSettings,
    bundled: &Bundled,
    today: NaiveDate,
) -> Vec<Diagnostic> {
    let settings = LintSettings {
        today,
        ..settings.clone()
    };
    let mut findings = spec_lint::lint_document(bundled.document.clone(), &settings);
    findings.extend(bundled.warnings.iter().cloned());
    findings
}
