//! `release`: stores the document as a release, with which later changes are compared.

use std::fmt::Display;
use std::process::ExitCode;

use anyhow::{Context, bail};
use chrono::{NaiveDate, Utc};
use clap::Args;
use spec_diff::{Level, report};

use crate::output::{print, print_error};
use crate::project::{self, Project};
use crate::{diff, lint, releases};

/// Store the document as a release, `spec/releases/<version>.yaml`
///
/// Fails if lint or the comparison with the last release finds an error. A released document never changes.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  release                       before the version is deployed
  release --today 2027-06-30    as if it were that day

Exit codes: 0 all is well, 1 there are findings, or it breaks the last release, 2 the command failed.")]
pub struct Arguments {
    /// The day of the release, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
}

/// Runs `release`: stores the document as a release. Fails if it breaks users of the last release.
///
/// # Errors
/// A file cannot be read or written, the version is invalid or was released before, or lint or the comparison fails.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let project = Project::find()?;
    let path = project.document_path();
    let bundled = match project.bundle(&path) {
        Ok(bundled) => bundled,
        Err(errors) => {
            errors.iter().for_each(print_error);
            bail!("the document cannot be used: nothing was released");
        }
    };
    let text = bundled.text();
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let document = project::check_version(bundled.document.clone())?;
    let version = document
        .pointer("/info/version")
        .and_then(|node| node.as_str())
        .context("`info.version` is missing")?;
    let parsed = releases::parse_version(version)
        .with_context(|| format!("`{version}` is not the version of a release, such as 1.2.3"))?;
    let releases = releases::verify(&project)?;
    if let Some(release) = releases.get(&parsed) {
        if std::fs::read_to_string(release)? == text {
            print(format_args!("{version} is already released\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        return refuse(format_args!(
            "{version} is already released: increment `info.version` (`{}` prints the required version)",
            project.command("diff")
        ));
    }
    let lint::Checked { findings, .. } = lint::check(&project, &bundled, today);
    if !findings.is_empty() {
        for finding in &findings {
            print_error(finding);
        }
        let count = findings.len();
        return refuse(format_args!(
            "lint has {count} findings: nothing was released"
        ));
    }
    if let Some((_, last)) = releases.last_key_value() {
        let base = project.read_document(last)?;
        let policy = diff::read_own_policy(&project, today)?;
        let findings = spec_diff::diff(&base, &document, &policy);
        if findings.iter().any(|finding| finding.fails(Level::Error)) {
            print(report::render_text(&findings))?;
            return refuse("the change breaks the last release: nothing was released");
        }
    }
    let released = releases::write_release(&project, version, &text)?;
    let released = project.display_path(&released);
    print(format_args!("{version} was released as {released}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Says why a document that can be read is not released.
fn refuse(reason: impl Display) -> anyhow::Result<ExitCode> {
    print_error(format_args!("error: {reason}"));
    Ok(ExitCode::FAILURE)
}
