//! `lint`: says whether the spec is a valid document, and a good one for this toolchain. The rules are in `spec-model`.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{NaiveDate, Utc};
use clap::Args;

use crate::output::say;
use crate::{contract, releases};

/// Say whether the spec is valid OpenAPI 3.0.3 and a good document for this toolchain
///
/// Also verifies that no released document was changed. Exit code: 0 if nothing was found, 1 if something was, 2 if the
/// document cannot be read.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The document; `spec/petstore.yaml` if absent.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The day to judge sunsets by, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
}

/// Checks and prints.
///
/// # Errors
/// This is no checkout of the repository, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = contract::root()?;
    let path = arguments
        .file
        .clone()
        .unwrap_or_else(|| root.join(contract::SPEC));
    let text = match contract::text(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {error:#}");
            return Ok(ExitCode::from(2));
        }
    };
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let findings = spec_model::lint(&contract::shown(&root, &path), &text, today);
    for finding in &findings {
        say(format_args!("{finding}\n"))?;
    }
    let frozen = releases::verified(&root);
    if let Err(error) = &frozen {
        say(format_args!("{error}\n"))?;
    }
    Ok(ExitCode::from(u8::from(
        !findings.is_empty() || frozen.is_err(),
    )))
}
