//! `lint`: checks a document by the rules of OpenAPI and of its repository.

mod levels;
mod report;

use std::process::ExitCode;

use anyhow::bail;
use chrono::{NaiveDate, Utc};
use clap::Args;
use dropspec_model::{Diagnostic, Level};

use self::levels::Levels;
pub use self::report::Format;
use crate::bundling::Bundled;
use crate::check::{error_text, of_rule};
use crate::choice::Choice;
use crate::generator_settings::own_settings;
use crate::linting::{LintSettings, NOT_GENERATED, RULES};
use crate::output::{print, print_error};
use crate::project::Project;
use crate::sources::{Selection, Source};
use crate::{check, releases, repair};

/// Check the document: valid OpenAPI 3.0, 3.1 or 3.2, the rules of the repository, and that code can be generated from it
///
/// Errors prevent code from being generated, or violate the rules of the repository, which the table `[lint]` of
/// dropspec.toml chooses. Warnings are other violations of OpenAPI, and with `[output]` or --code what the generated code
/// does not keep; `new` and `generate` print the same. Entries `[[severity]]` of dropspec.toml change the level of a rule. Also verifies that no released document was changed.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  lint                     the document of dropspec.toml
  lint api.yaml            any document
  lint api.yaml --code     with what its generated code would not keep
  lint main:api.yaml       the same in a revision of git
  lint apis                all documents of a folder
  lint -                   standard input
  lint --fail-on warn      where the document has no warnings, such as in CI
  lint --format sarif      for code scanning
  lint --only 'house-*'    only the rules of the house

Exit codes: 0 nothing at or above --fail-on, 1 problems, 2 a document is not readable.")]
pub struct Arguments {
    /// The documents; that of dropspec.toml if absent
    ///
    /// Each is a file, `REV:path` in git, `-` for standard input, or a folder.
    #[arg(value_name = "FILE")]
    pub documents: Vec<String>,
    /// The day by which sunsets are checked, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Also warn of what generated code does not keep where dropspec.toml names no folder for it
    #[arg(long)]
    pub code: bool,
    #[command(flatten)]
    pub choice: Choice,
}

/// Runs `lint`: checks the documents, and the released documents. Exit code 1 with errors, 2 if a document is neither
/// YAML nor JSON, or refers to a file that is not there.
///
/// # Errors
/// There is no document and no `dropspec.toml`, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (project, sources) = find(arguments)?;
    let today = arguments.today.unwrap_or_else(|| Utc::now().date_naive());
    let mut problems = Vec::new();
    let mut help = Vec::new();
    let mut is_unreadable = false;
    for source in &sources {
        match project.bundle_source(source) {
            Ok(bundled) => {
                let mut found = check(&project, &bundled, today)?;
                // Without a folder for it no code is generated, and of other documents none.
                let output = &project.config.output;
                let has_output = output.api.is_some() || output.client.is_some();
                let generates = arguments.code || has_output && project.is_own(source);
                let is_of_generator = |it: &Problem| {
                    it.level != Level::Error && it.diagnostic.rule == NOT_GENERATED.id
                };
                found.retain(|it| generates || !is_of_generator(it));
                let is_file = matches!(source, Source::Place(place) if place.revision.is_none());
                if is_file && found.iter().any(|it| it.level == Level::Error) {
                    help.extend(repair::help(&project, &bundled.document));
                }
                problems.extend(found);
            }
            Err(errors) => {
                errors.iter().for_each(|it| print_error(error_text(it)));
                is_unreadable = true;
            }
        }
    }
    let choice = &arguments.choice;
    problems.retain(|it| choice.has_rule(it.diagnostic.rule));
    problems.sort_by(|a, b| a.diagnostic.location.cmp(&b.diagnostic.location));
    let frozen_violation = if is_unreadable {
        None
    } else {
        releases::verify(&project).err()
    };
    let shown = problems.iter().filter(|it| choice.shows(it.level));
    let shown: Vec<&Problem> = shown.collect();
    let text = report::render(arguments.format, &shown, frozen_violation.as_ref());
    print(text)?;
    if arguments.format == Format::Text {
        help.iter().for_each(print_error);
    }
    if let (Some(error), false) = (&frozen_violation, arguments.format == Format::Text) {
        print_error(format_args!("error: {error}"));
    }
    if is_unreadable {
        return Ok(ExitCode::from(2));
    }
    let fails = frozen_violation.is_some() || problems.iter().any(|it| it.level >= choice.fail_on);
    Ok(ExitCode::from(u8::from(fails)))
}

/// The documents to check, and the repository.
fn find(arguments: &Arguments) -> anyhow::Result<(Project, Vec<Source>)> {
    if arguments.documents.is_empty() {
        let project = Project::find()?;
        let own = Source::on_disk(project.document_path());
        return Ok((project, vec![own]));
    }
    let mut sources = Vec::new();
    for text in &arguments.documents {
        let selection = Selection::find(text)?;
        let before = sources.len();
        sources.extend(selection.sources().cloned());
        if sources.len() == before {
            bail!("`{text}` has no OpenAPI document");
        }
    }
    if sources.iter().filter(|it| **it == Source::Stdin).count() > 1 {
        bail!("only one of the documents can be standard input");
    }
    Ok((Project::find_or_default()?, sources))
}

/// Something that is said of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) level: Level,
    pub(crate) diagnostic: Diagnostic,
}

/// Checks a document by all rules of the repository, at the levels that its settings choose.
///
/// # Errors
/// The working directory is unknown.
pub(crate) fn check(
    project: &Project,
    bundled: &Bundled,
    today: NaiveDate,
) -> anyhow::Result<Vec<Problem>> {
    let house = LintSettings {
        today,
        ..project.config.lint.clone()
    };
    let settings = own_settings(project)?;
    let checked = check::check(bundled, &settings, &house);
    let warnings = of_rule(NOT_GENERATED, checked.losses.into_diagnostics());
    let errors = checked.errors.into_iter().map(|it| (Level::Error, it));
    let warnings = warnings.into_iter().map(|it| (level_of(it.rule), it));
    let levels = Levels::new(&project.config.severity, &bundled.document);
    let rated = errors.chain(warnings).filter_map(|(level, diagnostic)| {
        let level = levels.choose(level, &diagnostic)?;
        Some(Problem { level, diagnostic })
    });
    let mut problems: Vec<Problem> = rated.collect();
    problems.sort_by(|a, b| a.diagnostic.location.cmp(&b.diagnostic.location));
    Ok(problems)
}

/// The level of what does not prevent code.
fn level_of(rule: &str) -> Level {
    let rule = RULES.iter().find(|it| it.id == rule);
    rule.map_or(Level::Warn, |rule| rule.level)
}
