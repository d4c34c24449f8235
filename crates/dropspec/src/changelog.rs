//! `changelog`: tells the people who use the interface what changed between two documents.

use std::process::ExitCode;

use clap::Args;
use dropspec_diff::report;

use crate::choice::Choice;
use crate::diff::{self, Compared};
use crate::output::{Format, print};
use crate::policy::PolicyArguments;

/// Print what changed for the people who use the interface, as Markdown
///
/// The same comparison as `diff`, without rules, locations and fingerprints, and without changes of documentation. Counts of `--usage` are not printed; what they allow is no breaking change.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  changelog                            the document of dropspec.toml since the last release
  changelog v1.0.0:api.yaml api.yaml   since a tag of git
  changelog old.yaml new.yaml          between two files
  changelog --usage usage.json         what `diff` allows because nobody uses it is not called breaking

Exit codes: 0 all is well, 2 a document cannot be read.")]
pub struct Arguments {
    /// The documents before and after the change, as for `diff`
    #[arg(value_name = "[BASE] REVISION", num_args = 0..=2)]
    pub documents: Vec<String>,
    #[command(flatten)]
    pub policy: PolicyArguments,
}

/// Runs `changelog`.
///
/// # Errors
/// A document cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Compared {
        findings, versions, ..
    } = diff::compare(&diff::Arguments {
        documents: arguments.documents.clone(),
        base: None,
        format: Format::Markdown,
        choice: Choice::ALL,
        prove: false,
        policy: arguments.policy.clone(),
    })?;
    let versions = versions.as_ref();
    let versions = versions.map(|(base, revision)| (base.as_str(), revision.as_str()));
    print(report::render_changelog(&findings, versions))?;
    Ok(ExitCode::SUCCESS)
}
