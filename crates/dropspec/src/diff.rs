//! `diff`: reports how a change of the document affects those who use the interface.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use chrono::{NaiveDate, Utc};
use clap::{Args, ValueEnum};
use spec_diff::{Finding, Level, Policy, report};
use spec_model::Document;

use crate::output::{print, print_error};
use crate::project::{self, Project};
use crate::releases;

/// Report how a change of the document affects those who use the interface
///
/// Each finding names the rule, the place, and what to do. docs/contract.md explains how changes are judged.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  diff                                    against the last release
  diff --base main                        against a revision of git
  diff --base old.yaml --revision new.yaml

Exit codes: 0 no findings at or above --fail-on, 1 findings, 2 a document cannot be read.")]
pub struct Arguments {
    /// The document before the change: a file or a git revision; the last release if absent.
    #[arg(long, value_name = "REV|FILE")]
    pub base: Option<String>,
    /// The document after the change; that of dropspec.toml if absent.
    #[arg(long, value_name = "FILE")]
    pub revision: Option<PathBuf>,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// The lowest level of a failure.
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    /// The day by which sunsets and acknowledgements are checked, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
    /// The settings; those of dropspec.toml for its own document, none for other documents.
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

/// The output format of `diff`.
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

/// The lowest level of findings with which `diff` fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors.
    Error,
    /// Errors and warnings.
    Warn,
}

/// Runs `diff`: compares two documents and prints the findings. Exit code 2 if a document cannot be read.
///
/// # Errors
/// The output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let findings = match compare(arguments) {
        Ok(findings) => findings,
        Err(error) => {
            print_error(format_args!("error: {error:#}"));
            return Ok(ExitCode::from(2));
        }
    };
    let text = match arguments.format {
        Format::Text => report::render_text(&findings),
        Format::Json => report::render_json(&findings),
        Format::Github => report::render_github(&findings),
        Format::Markdown => report::render_markdown(&findings),
        Format::Sarif => report::render_sarif(&findings),
    };
    print(text)?;
    let least = match arguments.fail_on {
        FailOn::Error => Level::Error,
        FailOn::Warn => Level::Warn,
    };
    let failed = findings.iter().any(|finding| finding.fails(least));
    Ok(ExitCode::from(u8::from(failed)))
}

fn compare(arguments: &Arguments) -> anyhow::Result<Vec<Finding>> {
    let project = match (&arguments.base, &arguments.revision) {
        (Some(_), Some(_)) => Project::find_or_default()?,
        _ => Project::find()?,
    };
    let own = project.document_path();
    let path = arguments.revision.as_deref().unwrap_or(&own);
    let revision = project.read_document(path)?;
    let base = read_base(&project, arguments.base.as_deref())?;
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let is_own = path.canonicalize().ok() == own.canonicalize().ok();
    let policy = match &arguments.settings {
        Some(settings) => read_policy(&project, settings, today)?,
        None if is_own => read_own_policy(&project, today)?,
        None => Policy::new(today),
    };
    Ok(spec_diff::diff(&base, &revision, &policy))
}

/// Reads the policy for comparisons of the repository; the default policy if there is no such file.
///
/// # Errors
/// The file cannot be read.
pub fn read_own_policy(project: &Project, today: NaiveDate) -> anyhow::Result<Policy> {
    let path = project.root.join(&project.config.contract.settings);
    match path.exists() {
        true => read_policy(project, &path, today),
        false => Ok(Policy::new(today)),
    }
}

fn read_policy(project: &Project, path: &Path, today: NaiveDate) -> anyhow::Result<Policy> {
    let text = project::read_text(path)?;
    Policy::from_toml(&text, today).with_context(|| project.display_path(path))
}

fn read_base(project: &Project, base: Option<&str>) -> anyhow::Result<Document> {
    let releases = releases::verify(project)?;
    match base {
        // Not only regular files: `--base <(git show …)` is a pipe.
        Some(base) if Path::new(base).exists() && !Path::new(base).is_dir() => {
            project.read_document(Path::new(base))
        }
        Some(revision) => project.read_revision(revision),
        None => {
            let (_, last) = releases.last_key_value().with_context(|| {
                let directory = project.config.contract.releases.display();
                let command = project.command("release");
                format!("there is no release in {directory}: name the base with --base, or create a release with `{command}`")
            })?;
            project.read_document(last)
        }
    }
}
