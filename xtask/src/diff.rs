//! `diff`: says what a change of the spec does to everyone who uses the interface. The comparison is in `spec-diff`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use chrono::{NaiveDate, Utc};
use clap::{Args, ValueEnum};
use spec_diff::{Finding, Level, Policy, report};
use spec_model::Document;

use crate::output::say;
use crate::{contract, releases};

/// Say what a change of the spec does to everyone who uses the interface
///
/// Exit code: 0 if nothing was found at or above `--fail-on`, 1 if something was, 2 if a document cannot be used.
#[derive(Debug, Args)]
pub struct Arguments {
    /// What to compare with: a file, or else a git revision; the last release if absent.
    #[arg(long, value_name = "REV|FILE")]
    pub base: Option<String>,
    /// The document that is to be; `spec/petstore.yaml` if absent.
    #[arg(long, value_name = "FILE")]
    pub revision: Option<PathBuf>,
    /// How to print the findings.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// From which level on a finding is a failure.
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    /// The day to judge sunsets and acknowledgements by, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
    /// The settings; `spec/contract.toml` for `spec/petstore.yaml`, none for other documents.
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal.
    Text,
    /// An array of findings.
    Json,
    /// Annotations of GitHub Actions.
    Github,
    /// A table for a comment.
    Markdown,
    /// SARIF 2.1.0.
    Sarif,
}

/// From which level on a finding is a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors.
    Error,
    /// Errors and warnings.
    Warn,
}

/// Compares and prints.
///
/// # Errors
/// The output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let findings = match compare(arguments) {
        Ok(findings) => findings,
        Err(error) => {
            eprintln!("error: {error:#}");
            return Ok(ExitCode::from(2));
        }
    };
    let text = match arguments.format {
        Format::Text => report::text(&findings),
        Format::Json => report::json(&findings),
        Format::Github => report::github(&findings),
        Format::Markdown => report::markdown(&findings),
        Format::Sarif => report::sarif(&findings),
    };
    say(text)?;
    let least = match arguments.fail_on {
        FailOn::Error => Level::Error,
        FailOn::Warn => Level::Warn,
    };
    let failed = findings.iter().any(|finding| finding.fails(least));
    Ok(ExitCode::from(u8::from(failed)))
}

fn compare(arguments: &Arguments) -> anyhow::Result<Vec<Finding>> {
    let root = contract::root()?;
    let spec = root.join(contract::SPEC);
    let path = arguments.revision.clone().unwrap_or_else(|| spec.clone());
    let revision = contract::read(&root, &path)?;
    let base = base(&root, arguments.base.as_deref())?;
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let is_ours = path.canonicalize().ok() == spec.canonicalize().ok();
    let policy = match &arguments.settings {
        Some(settings) => policy(&root, settings, today)?,
        None if is_ours => our_policy(&root, today)?,
        None => Policy::new(today),
    };
    Ok(spec_diff::diff(&base, &revision, &policy))
}

/// The settings of the contract; without their file, those that suit any two documents.
///
/// # Errors
/// The file cannot be read.
pub fn our_policy(root: &Path, today: NaiveDate) -> anyhow::Result<Policy> {
    let path = root.join(contract::SETTINGS);
    match path.exists() {
        true => policy(root, &path, today),
        false => Ok(Policy::new(today)),
    }
}

fn policy(root: &Path, path: &Path, today: NaiveDate) -> anyhow::Result<Policy> {
    let text = contract::text(path)?;
    Policy::from_toml(&text, today).with_context(|| contract::shown(root, path))
}

fn base(root: &Path, base: Option<&str>) -> anyhow::Result<Document> {
    let releases = releases::verified(root)?;
    match base {
        // A pipe is a file, too: `--base <(git show …)`.
        Some(base) if Path::new(base).exists() && !Path::new(base).is_dir() => {
            contract::read(root, Path::new(base))
        }
        Some(revision) => contract::read_revision(root, revision),
        None => {
            let (_, last) = releases.last_key_value().with_context(|| {
                let directory = releases::DIRECTORY;
                format!("there is no release in {directory} to compare with: name one with --base, or freeze one with `cargo xtask release`")
            })?;
            contract::read(root, last)
        }
    }
}
