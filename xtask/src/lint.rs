//! `cargo xtask lint`: checks the document by the rules of OpenAPI and of this repository.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{NaiveDate, Utc};
use clap::Args;
use spec_model::Diagnostic;

use crate::output::{print, print_error};
use crate::{generate, house, releases, repository};

/// Check the document: valid OpenAPI 3.0.3, the rules of this repository, and that code can be generated from it
///
/// Also verifies that no released document was changed. Exit code: 0 without findings, 1 with findings, 2 if the
/// file cannot be read.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The document; `spec/petstore.yaml` if absent.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The day by which sunsets are checked, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
}

/// Runs `cargo xtask lint`: checks the document and the released documents. Exit code 1 with findings.
///
/// # Errors
/// The working directory is not in the repository, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = repository::find_root()?;
    let path = arguments
        .file
        .clone()
        .unwrap_or_else(|| root.join(repository::SPEC));
    let text = match repository::read_text(&path) {
        Ok(text) => text,
        Err(error) => {
            print_error(format_args!("error: {error:#}"));
            return Ok(ExitCode::from(2));
        }
    };
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let findings = check(&repository::display_path(&root, &path), &text, today);
    for finding in &findings {
        print(format_args!("{finding}\n"))?;
    }
    let frozen = releases::verify(&root);
    if let Err(error) = &frozen {
        print(format_args!("{error}\n"))?;
    }
    Ok(ExitCode::from(u8::from(
        !findings.is_empty() || frozen.is_err(),
    )))
}

/// The findings of lint, and whatever the generator refuses, in the order of the lines. A problem that both report
/// at one place in the same words is listed once.
pub fn check(name: &str, text: &str, today: NaiveDate) -> Vec<Diagnostic> {
    let mut findings = spec_lint::lint(name, text, &house::lint_settings(today));
    let refused = generate::find_problems(name, text);
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
