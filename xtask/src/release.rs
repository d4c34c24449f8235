//! `release`: freezes the spec as a release that later changes are compared with.

use std::process::ExitCode;

use anyhow::{Context, bail};
use chrono::{NaiveDate, Utc};
use clap::Args;
use spec_diff::{Level, report};
use spec_lint::lint;

use crate::output::say;
use crate::releases::{self, Version};
use crate::{contract, diff, house};

/// Freeze the spec as `spec/releases/<version>.yaml`
///
/// Refused while lint or the comparison with the last release finds an error. A frozen file never changes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The day to judge by, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
}

/// Freezes the spec.
///
/// # Errors
/// Files that cannot be read or written, a version that is no version or was released before.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = contract::root()?;
    let path = root.join(contract::SPEC);
    let text = contract::text(&path)?;
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let document = contract::read(&root, &path)?;
    let version = document
        .pointer("/info/version")
        .and_then(|node| node.as_str())
        .context("`info.version` is missing")?
        .to_owned();
    let number = Version::parse(&version)
        .with_context(|| format!("`{version}` cannot be released: a release is named as 1.2.3"))?;
    let releases = releases::verified(&root)?;
    if let Some(frozen) = releases.get(&number) {
        if std::fs::read_to_string(frozen)? == text {
            say(format_args!("{version} is frozen already\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        bail!(
            "{version} was released before and is frozen: move `info.version` (`cargo xtask diff` says to which)"
        );
    }
    let mistakes = lint(
        &contract::shown(&root, &path),
        &text,
        &house::lint_settings(today),
    );
    if !mistakes.is_empty() {
        for mistake in &mistakes {
            eprintln!("{mistake}");
        }
        bail!("lint finds {} mistakes: nothing was frozen", mistakes.len());
    }
    if let Some((_, last)) = releases.last_key_value() {
        let base = contract::read(&root, last)?;
        let policy = diff::our_policy(&root, today)?;
        let findings = spec_diff::diff(&base, &document, &policy);
        if findings.iter().any(|finding| finding.fails(Level::Error)) {
            say(report::text(&findings))?;
            bail!("the change breaks what was released: nothing was frozen");
        }
    }
    let frozen = releases::freeze(&root, &version, &text)?;
    let frozen = contract::shown(&root, &frozen);
    say(format_args!("{version} is frozen as {frozen}\n"))?;
    Ok(ExitCode::SUCCESS)
}
