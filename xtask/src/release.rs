//! `cargo xtask release`: stores the document as a release, with which later changes are compared.

use std::process::ExitCode;

use anyhow::{Context, bail};
use chrono::{NaiveDate, Utc};
use clap::Args;
use spec_diff::{Level, report};

use crate::output::{print, print_error};
use crate::{diff, lint, releases, repository};

/// Store the document as `spec/releases/<version>.yaml`
///
/// Fails if lint or the comparison with the last release finds an error. A released document never changes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The day of the release, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
}

/// Runs `cargo xtask release`: stores the document as a release. Fails if it breaks users of the last release.
///
/// # Errors
/// A file cannot be read or written, the version is invalid or was released before, or lint or the comparison fails.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = repository::find_root()?;
    let path = root.join(repository::SPEC);
    let name = repository::display_path(&root, &path);
    let text = repository::read_text(&path)?;
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let document = repository::parse_document(&name, &text)?;
    let version = document
        .pointer("/info/version")
        .and_then(|node| node.as_str())
        .context("`info.version` is missing")?;
    let parsed = releases::parse_version(version)
        .with_context(|| format!("`{version}` is not the version of a release, such as 1.2.3"))?;
    let releases = releases::verify(&root)?;
    if let Some(release) = releases.get(&parsed) {
        if std::fs::read_to_string(release)? == text {
            print(format_args!("{version} is already released\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        bail!(
            "{version} is already released: increment `info.version` (`cargo xtask diff` prints the required version)"
        );
    }
    let findings = lint::check(&name, &text, today);
    if !findings.is_empty() {
        for finding in &findings {
            print_error(finding);
        }
        bail!("lint has {} findings: nothing was released", findings.len());
    }
    if let Some((_, last)) = releases.last_key_value() {
        let base = repository::read_document(&root, last)?;
        let policy = diff::read_own_policy(&root, today)?;
        let findings = spec_diff::diff(&base, &document, &policy);
        if findings.iter().any(|finding| finding.fails(Level::Error)) {
            print(report::render_text(&findings))?;
            bail!("the change breaks the last release: nothing was released");
        }
    }
    let released = releases::write_release(&root, version, &text)?;
    let released = repository::display_path(&root, &released);
    print(format_args!("{version} was released as {released}\n"))?;
    Ok(ExitCode::SUCCESS)
}
