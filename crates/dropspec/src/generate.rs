//! `generate`: reads a document, and writes what is generated from it or checks that it is up to date.

mod document;
mod files;
mod format;
pub mod report;
mod settings;
mod targets;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Args;
use spec_bundle::Bundled;
use spec_codegen::{GeneratedFile, Settings};
use spec_lint::LintSettings;

use crate::check::{self, Checked};
use crate::config;
use crate::output::{print, print_error};
use crate::project::{self, Project};

use self::document::{Output, Source, generate_bundled, generate_document};
pub(crate) use self::files::Target;
use self::targets::crate_targets;

/// Generate the interface and the client from the OpenAPI document
///
/// Without options it reads the document of dropspec.toml and writes the generated files of the crates that it names,
/// formatted by rustfmt. Files that would not change are not touched, and files that are no longer generated are removed. If
/// anything in the document cannot be expressed, every such place is listed and nothing is written.
///
/// What is legal but not kept in the generated code is a warning. New warnings of one kind are printed together, with their
/// first places, when a file changes; those that the document had before are counted. `lint` lists each.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  generate                                  after every edit of the document
  generate --check                          in CI
  generate --spec api.yaml --out src/api    any document, into one folder
  generate --partial --report report.json   leave out what cannot be expressed, and list it

Exit codes: 0 all is well, 1 a file is stale (--check), 2 the document cannot be used, or a file not written.")]
pub struct Arguments {
    /// Write nothing; show what would change and fail if anything would
    #[arg(long)]
    check: bool,

    /// Another OpenAPI document, YAML or JSON
    #[arg(long, value_name = "FILE", requires = "out", value_parser = project::parse_file)]
    spec: Option<PathBuf>,

    /// The directory for all files generated from FILE, the client as client.rs
    #[arg(long, value_name = "DIR", requires = "spec")]
    out: Option<PathBuf>,

    /// Leave out operations that cannot be expressed, and list them; the server answers them with 501
    #[arg(long)]
    partial: bool,

    /// Write what was generated and refused as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Where the files of a document go.
enum Destination<'a> {
    /// The crates of the repository.
    Crates,
    /// One folder.
    Folder(&'a Path),
}

/// Runs `generate`: writes the generated files, or with `--check` fails if they are stale.
///
/// # Errors
/// There is no `dropspec.toml`, it names no folder for the files, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (project, source, destination, command) = match (&arguments.spec, &arguments.out) {
        (Some(spec), Some(out)) => {
            let project = Project::find_or_default()?;
            let name = spec.display().to_string();
            let command = project.command("generate");
            let command = format!("{command} --spec {name} --out {}", out.display());
            let settings =
                settings::of_folder(&project, &command, &name, relative_path(out, spec)?);
            let source = Source {
                path: spec.clone(),
                settings,
                folder: Some(out.clone()),
                lint: format!("{} {name}", project.command("lint")),
            };
            (project, source, Destination::Folder(out), command)
        }
        _ => {
            let project = Project::find()?;
            if project.config.output == config::Output::default() {
                bail!(
                    "{} says nowhere where the generated files go: add a table [output] with folders, such as \
                     `api = \"crates/books-api/src\"` and `client = \"crates/books-client/src\"`, or use --spec with --out",
                    project.root.join(config::FILE).display()
                );
            }
            let folder = project.config.output.api.as_ref();
            let source = Source {
                path: project.document_path(),
                settings: settings::of_repository(&project)?,
                folder: folder.map(|folder| project.root.join(folder)),
                lint: project.command("lint"),
            };
            let command = project.command("generate");
            (project, source, Destination::Crates, command)
        }
    };
    let partial = arguments.partial || project.config.generate.partial;
    let (report, generated) = generate_document(&project, &source, partial);
    if let Some(path) = &arguments.report {
        report.write(path)?;
    }
    let lint = source.lint.as_str();
    let done = generated.map_err(nothing_written).and_then(|output| {
        let Output { files, losses } = output;
        let mut targets = match destination {
            Destination::Crates => crate_targets(&project, files),
            Destination::Folder(directory) => vec![Target {
                directory: directory.to_owned(),
                files,
            }],
        };
        format::format(&mut targets)?;
        if !arguments.check {
            let report = files::write(&targets)?;
            if report.is_empty() {
                losses.print_count(lint)
            } else {
                losses.print(lint)
            }
            return Ok((report.to_string(), ExitCode::SUCCESS));
        }
        let differences = files::check(&targets)?;
        losses.print_count(lint);
        if differences.is_empty() {
            return Ok((String::new(), ExitCode::SUCCESS));
        }
        let help = "Generated files are stale; update them with";
        let text = format!("{differences}{help}:\n\n    {command}\n\n");
        Ok((text, ExitCode::FAILURE))
    });
    match done {
        Ok((text, code)) => {
            print(text)?;
            Ok(code)
        }
        // The diagnostics of a document are lines of their own.
        Err(error) => {
            print_error(format_args!("{error:#}"));
            Ok(ExitCode::from(2))
        }
    }
}

/// Checks a document by these rules of the house, and by generating code with the settings of the repository.
///
/// # Errors
/// The working directory is unknown.
pub(crate) fn check_document(
    project: &Project,
    bundled: &Bundled,
    house: &LintSettings,
) -> anyhow::Result<Checked> {
    let settings = Settings {
        partial: project.config.generate.partial,
        ..settings::of_repository(project)?
    };
    Ok(check::check(bundled, &settings, house))
}

/// Writes the generated files of the crates of a repository, from the bundle of its document, and returns them.
///
/// # Errors
/// The document cannot be used, or a file cannot be written.
pub(crate) fn write_crates(
    project: &Project,
    bundled: &Bundled,
) -> anyhow::Result<Vec<GeneratedFile>> {
    let source = Source {
        path: project.document_path(),
        settings: settings::of_repository(project)?,
        folder: None,
        lint: project.command("lint"),
    };
    let partial = project.config.generate.partial;
    let (_, output) = generate_bundled(bundled, &source, partial);
    let Output { files, losses } = output.map_err(nothing_written)?;
    let mut targets = crate_targets(project, files);
    format::format(&mut targets)?;
    files::write(&targets)?;
    losses.print(&source.lint);
    Ok(targets
        .into_iter()
        .flat_map(|target| target.files)
        .collect())
}

/// The path from a directory to a file.
fn relative_path(directory: &Path, file: &Path) -> anyhow::Result<String> {
    let (directory, file) = (std::path::absolute(directory)?, std::path::absolute(file)?);
    let common = directory.components().zip(file.components());
    let common = common.take_while(|(a, b)| a == b).count();
    let mut path = PathBuf::new();
    path.extend(directory.components().skip(common).map(|_| ".."));
    path.extend(file.components().skip(common));
    Ok(path.display().to_string())
}

fn nothing_written(error: anyhow::Error) -> anyhow::Error {
    anyhow!("{error:#}; nothing was written")
}
