//! `cargo xtask lint`: checks the document by the rules of OpenAPI and of this repository.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{NaiveDate, Utc};
use clap::Args;

use crate::output::print;
use crate::{house, releases, repository};

/// Check the document: valid OpenAPI 3.0.3, and the rules of this repository
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
            eprintln!("error: {error:#}");
            return Ok(ExitCode::from(2));
        }
    };
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let findings = spec_lint::lint(
        &repository::display_path(&root, &path),
        &text,
        &house::lint_settings(today),
    );
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
