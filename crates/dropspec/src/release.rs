//! `release`: stores the document as a release, with which later changes are compared.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use dropspec_diff::{Level, report};

use crate::check::{error_text, refused};
use crate::losses::count;
use crate::output::{print, print_error};
use crate::policy::PolicyArguments;
use crate::project::{self, Project};
use crate::sources::Source;
use crate::{diff, lint, releases};

/// Store the document as a release, `spec/releases/<version>.yaml`
///
/// Fails if lint or the comparison with the last release finds an error. A released document never changes.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  release                                before the version is deployed
  release --today 2027-06-30             as if it were that day
  release api.yaml --releases releases   any document, with the folder of its releases
  release --settings contract.toml       with the breaks that this file acknowledges
  release --usage usage.json             with breaks that the settings allow because nobody uses what breaks

Exit codes: 0 all is well, 1 there are findings, or it breaks the last release, 2 the command failed.")]
pub struct Arguments {
    /// The document; that of dropspec.toml if absent
    #[arg(value_name = "FILE", value_parser = project::parse_file, requires = "releases")]
    pub file: Option<PathBuf>,
    /// The folder of the releases; that of dropspec.toml if absent
    #[arg(long, value_name = "DIR")]
    pub releases: Option<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyArguments,
}

/// Runs `release`: stores the document as a release. Fails if it breaks users of the last release.
///
/// # Errors
/// A file cannot be read or written, the version is invalid or was released before, or lint or the comparison fails.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut project = Project::find_for(arguments.file.as_ref())?;
    let other = arguments.file.as_deref();
    let other = other.filter(|file| !project.is_document(file));
    if let Some(file) = other {
        project.config.document = std::path::absolute(file)?;
        project.config.overlays.clear();
    }
    if let Some(releases) = &arguments.releases {
        project.config.contract.releases = std::path::absolute(releases)?;
    }
    let path = project.document_path();
    let bundled = project.bundle(&path).map_err(refused)?;
    let text = bundled.text();
    let today = arguments.policy.today();
    let document = &bundled.document;
    dropspec_model::check_version(document)?;
    let node = document.pointer("/info/version").with_context(|| {
        let name = document.name();
        format!("{name}: `info` has no `version`: write the version of the release, such as `version: 1.2.3`")
    })?;
    let version = node.as_str().unwrap_or_default();
    let parsed = releases::parse_version(version).with_context(|| {
        let at = document.location(node.position);
        let written = node.to_json();
        format!("{at}: {written} is not the version of a release: write three numbers, such as `version: 1.2.3`")
    })?;
    let releases = releases::verify(&project)?;
    if let Some(release) = releases.get(&parsed) {
        if std::fs::read_to_string(release)? == text {
            print(format_args!("{version} is already released\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        return refuse(format_args!(
            "{version} is already released: increment `info.version`"
        ));
    }
    let mut problems = lint::check(&project, &bundled, today)?;
    problems.retain(|it| it.level == Level::Error);
    if !problems.is_empty() {
        let errors = problems.iter().map(|it| &it.diagnostic);
        errors.for_each(|it| print_error(error_text(it)));
        return refuse(format_args!(
            "lint finds {}: nothing was released",
            count(problems.len(), "error")
        ));
    }
    let policy = arguments.policy.read(&project, other.is_none(), None)?;
    if let Some((_, last)) = releases.last_key_value() {
        let base = project.read_source(&Source::on_disk(last))?;
        let findings = dropspec_diff::diff(&base, document, &policy);
        if findings.iter().any(|finding| finding.fails(Level::Error)) {
            print(report::render_text(&findings))?;
            print(diff::release_help(&findings, Level::Error, &policy))?;
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
