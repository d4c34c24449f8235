//! `diff`: reports how a change of the document affects those who use the interface.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use dropspec_diff::{Bump, Finding, Level, Policy, report};
use dropspec_model::{ChosenLevel, Document};
use semver::Version;

use crate::choice::Choice;
use crate::losses::count;
use crate::output::{Format, print, print_error};
use crate::policy::PolicyArguments;
use crate::project::{self, Project};
use crate::releases;
use crate::sources::{Folder, Selection, Source};

/// Report how a change of the document affects those who use the interface
///
/// Each finding names the rule, the place, and what to do. The comparison is of what the documents mean, not of
/// their texts.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  diff                             the document of dropspec.toml against the last release
  diff --base main                 the same against a revision of git
  diff api.yaml                    any document against where this branch left the default branch
  diff old.yaml new.yaml           two files
  diff main:api.yaml api.yaml      a file in a revision of git, and as it is now
  diff v1:apis apis                two folders, whose documents are paired by their paths
  curl … | diff - api.yaml         standard input

Exit codes: 0 no findings at or above --fail-on, 1 findings, 2 a document cannot be read.")]
pub struct Arguments {
    /// The documents before and after the change; with one, it is that after the change
    ///
    /// Each is a file, `REV:path` in git, a URL, `-` for standard input, or for several documents a folder. With one, the base is where
    /// the current branch left the default branch.
    #[arg(value_name = "[BASE] REVISION", num_args = 0..=2)]
    pub documents: Vec<String>,
    /// The document before the change, as above, or a git revision; the last release if absent.
    #[arg(long, value_name = "REV|FILE")]
    pub base: Option<String>,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Which findings are printed, and which fail.
    #[command(flatten)]
    pub choice: Choice,
    /// For each break, print the HTTP exchange that worked before and fails now
    #[arg(long)]
    pub prove: bool,
    /// How the documents are compared.
    #[command(flatten)]
    pub policy: PolicyArguments,
}

/// Runs `diff`: compares two documents and prints the findings.
///
/// # Errors
/// A document cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Compared {
        mut findings,
        has_rules_off,
        policy,
        ..
    } = compare(arguments)?;
    let all = findings.len();
    let choice = &arguments.choice;
    findings.retain(|it| choice.has_rule(it.id.as_str()));
    let least = choice.fail_on;
    let failed = findings.iter().any(|finding| finding.fails(least));
    findings.retain(|it| choice.shows(it.level));
    let help = release_help(&findings, least, &policy);
    // That the documents mean the same would not be true of findings that are not shown.
    let nothing = match (all, has_rules_off) {
        (0, false) => report::NO_FINDINGS.to_owned(),
        (0, true) => "no findings of the rules that dropspec.toml leaves on".to_owned(),
        _ => format!(
            "nothing to show: {} hidden by --only or --hide",
            count(all, "finding")
        ),
    };
    let is_hidden = findings.is_empty() && nothing != report::NO_FINDINGS;
    let text = match arguments.format {
        Format::Text | Format::Markdown if is_hidden => format!("{nothing}\n"),
        Format::Text => report::render_text(&findings),
        Format::Json => report::render_json(&findings),
        Format::Github => report::render_github(&findings),
        Format::Markdown => report::render_markdown(&findings),
        Format::Html => report::render_html(&findings, &nothing, project::read_shown),
        Format::Junit => report::render_junit(&findings, least, &nothing),
        Format::Sarif => report::render_sarif(&findings),
    };
    print(text)?;
    if let Format::Text | Format::Github | Format::Markdown = arguments.format {
        print(help)?;
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// How a break is released, if there is one that fails.
pub(crate) fn release_help(findings: &[Finding], least: Level, policy: &Policy) -> String {
    let mut breaks = findings.iter().filter(|it| it.bump > Bump::None);
    if !breaks.any(|it| it.fails(least)) {
        return String::new();
    }
    let file = policy.settings_file.as_deref();
    let file = file.unwrap_or("a file such as contract.toml, which `--settings` names");
    format!(
        "\nTo release a break, acknowledge it: an entry `[[acknowledged]]` with its `fingerprint`, a `reason` and a day \
         `expires` in {file}\n"
    )
}

impl Arguments {
    /// What names the base and the revision. Without a base, a named revision is compared with where the branch left the default
    /// branch; without both, the document of the repository with its last release.
    fn sides(&self) -> anyhow::Result<(Option<&str>, Option<&str>)> {
        let mut documents = self.documents.iter().map(String::as_str);
        let (base, revision) = match (documents.next(), documents.next(), self.base.as_deref()) {
            (None, _, base) => (base, None),
            (only, None, base) => (base, only),
            (first, second, None) => (first, second),
            _ => bail!("there are more than two documents: name each once"),
        };
        if base == Some("-") && revision == Some("-") {
            bail!("only one of the documents can be standard input");
        }
        Ok((base, revision))
    }
}

/// What a comparison found.
pub(crate) struct Compared {
    pub(crate) findings: Vec<Finding>,
    /// The versions of the documents, if two documents were compared that have versions.
    pub(crate) versions: Option<(String, String)>,
    /// Whether the settings turn rules off.
    pub(crate) has_rules_off: bool,
    pub(crate) policy: Policy,
}

/// Compares what the command line names.
///
/// # Errors
/// A document cannot be read.
pub(crate) fn compare(arguments: &Arguments) -> anyhow::Result<Compared> {
    let (base, revision) = arguments.sides()?;
    let at_merge_base = base.is_none() && revision.is_some();
    let against_release = base.is_none() && revision.is_none();
    let project = Project::find_for(revision)?;
    let mut revision = match revision {
        Some(revision) => Selection::find(revision)?,
        None => Selection::file(project.document_path()),
    };
    let is_own = revision.sources().any(|it| project.is_own(it));
    let releases = if is_own || against_release {
        releases::verify(&project)?
    } else {
        BTreeMap::new()
    };
    let base = match base {
        Some(base) => Selection::resolve_base(base, &revision)?,
        None if at_merge_base => {
            let (commit, branch) = revision.repository()?.merge_base()?;
            print_error(format_args!(
                "the base is {commit}, where HEAD left {branch}"
            ));
            match revision.at(&commit)? {
                Some(base) => base,
                None => {
                    print_error(
                        "it has no such document, so this one is new; for one that was renamed, name the base as well",
                    );
                    revision = revision.into_set();
                    Selection::Folder(Folder::default())
                }
            }
        }
        None => Selection::file(last_release(&project, &releases)?),
    };
    let names = names(&base, &revision);
    let mut policy = arguments.policy.read(&project, is_own, names.as_deref())?;
    policy.prove = arguments.prove;
    let mut severities = policy.severities.iter();
    let has_rules_off = severities.any(|it| it.level == ChosenLevel::Off);
    let read = |source: &Source| project.read_source(source);
    let mut versions = None;
    let findings = match (&base, &revision) {
        (Selection::Document(base), Selection::Document(revision)) => {
            let revision = read(revision)?;
            let base = read(base)?;
            versions = text(&base, "/info/version").zip(text(&revision, "/info/version"));
            let titles = [text(&base, "/info/title"), text(&revision, "/info/title")];
            let counted = policy.usage.as_ref().and_then(|usage| usage.title.clone());
            if let (Some(counted), [_, Some(title)]) = (&counted, &titles)
                && !titles.contains(&Some(counted.clone()))
            {
                bail!(
                    "{}: the usage is of the service `{counted}`, and the document of `{title}`: name the usage of this service",
                    arguments.policy.usage.join(" ")
                );
            }
            let mut findings = dropspec_diff::diff(&base, &revision, &policy);
            // What was merged, and is not released yet, needs its entry until then.
            let is_unused = |it: &Finding| it.id.as_str() == "acknowledgement-unused";
            if let Some(last) = releases.values().next_back()
                && findings.iter().any(is_unused)
            {
                policy.prove = false;
                let last = read(&Source::on_disk(last))?;
                let since = dropspec_diff::diff(&last, &revision, &policy);
                findings.retain(|it| !is_unused(it) || since.contains(it));
            }
            findings
        }
        (Selection::Folder(base), Selection::Folder(revision)) => {
            if base.documents.is_empty() && revision.documents.is_empty() {
                bail!("neither the base nor the revision has an OpenAPI document");
            }
            let read = |folder: &Folder| -> anyhow::Result<BTreeMap<String, Document>> {
                let documents = folder.documents.iter();
                let read = documents.map(|(name, source)| Ok((name.clone(), read(source)?)));
                read.collect()
            };
            let revision = read(revision)?;
            dropspec_diff::diff_sets(&read(base)?, &revision, &policy)
        }
        (base, _) => {
            let (one, many) = match base {
                Selection::Document(_) => ("base", "revision"),
                Selection::Folder(_) => ("revision", "base"),
            };
            bail!(
                "the {many} is a folder, and the {one} is one document: name two documents, or two folders"
            )
        }
    };
    Ok(Compared {
        findings,
        versions,
        has_rules_off,
        policy,
    })
}

/// The names of all documents, if both sides are folders.
fn names<'s>(base: &'s Selection, revision: &'s Selection) -> Option<Vec<&'s str>> {
    let (Selection::Folder(base), Selection::Folder(revision)) = (base, revision) else {
        return None;
    };
    let names = base.documents.keys().chain(revision.documents.keys());
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    Some(names.into_iter().collect())
}

fn text(document: &Document, pointer: &str) -> Option<String> {
    let text = document.pointer(pointer)?;
    text.as_str().map(str::to_owned)
}

/// The file of the last release.
fn last_release(
    project: &Project,
    releases: &BTreeMap<Version, PathBuf>,
) -> anyhow::Result<PathBuf> {
    let last = releases.values().next_back().cloned();
    last.with_context(|| {
        let directory = project.config.contract.releases.display();
        let command = project.command("release");
        format!(
            "there is no release in {directory}: compare with a branch by `--base main`, or store the document as it is now as the first one \
             with `{command}`"
        )
    })
}
