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
/// changed. Exit code: 0 without findings, 1 with findings, 2 if the document is not readable.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The document; that of dropspec.toml if absent.
    #[arg(value_name = "FILE")]
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
    let (findings, is_readable) = match project.bundle(path) {
        Ok(bundled) => (check(&project, &bundled, today), true),
        Err(errors) => (errors, false),
    };
    for finding in &findings {
        print(format_args!("{finding}\n"))?;
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

/// The findings of the bundle and of lint, and whatever the generator refuses, in the order of the lines. A problem that
/// several report at one place in the same words is listed once.
pub fn check(project: &Project, bundled: &Bundled, today: NaiveDate) -> Vec<Diagnostic> {
    let mut findings = check_rules(&project.config.lint, bundled, today);
    let refused = generate::find_problems(project, &bundled.document);
    let reported = |problem: &Diagnostic| {
        let same = |finding: &Diagnostic| {
            finding.location == problem.location && finding.message == problem.message
        };
        findings.iter().any(same)
    };
    let new: Vec<Diagnostic> = refused.into_iter().filter(|it| !reported(it)).collect();
    findings.extend(new);
    findings.sort_by(|a, b| a.location.cmp(&b.location));
    findings
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
