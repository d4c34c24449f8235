//! `generate`: reads a document, and writes what is generated from it or checks that it is up to date.

mod files;
mod format;
mod losses;
pub mod report;
mod settings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Args;
use serde_json::Value;
use spec_bundle::Bundled;
use spec_codegen::{ClientKind, GeneratedFile, MARKER, Part, Settings, Traits, generate};
use spec_model::{Diagnostic, Document, Spec};

use crate::config;
use crate::operations::Operations;
use crate::output::{print, print_error};
use crate::package;
use crate::panics::silence_progenitor;
use crate::project::{self, Project};

use self::losses::Losses;
use self::report::Report;

/// The name of the generated file with the document, if other files change the document.
const BUNDLE: &str = "openapi.yaml";

/// Generate the interface and the client from the OpenAPI document
///
/// Without options it reads the document of dropspec.toml and writes the generated files of the crates that it names,
/// formatted by rustfmt. Files that would not change are not touched, and files that are no longer generated are removed. If
/// anything in the document cannot be expressed, every such place is listed and nothing is written.
///
/// What is legal but not kept in the generated code is a warning. Warnings of one kind are printed together, with their first
/// places, when a file changes, and otherwise only counted; `lint` lists each.
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

    /// Another OpenAPI 3.0 document, YAML or JSON
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

/// A directory, and the generated files that belong into it.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) directory: PathBuf,
    pub(crate) files: Vec<GeneratedFile>,
}

/// Where the files of a document go.
enum Destination<'a> {
    /// The crates of the repository.
    Crates,
    /// One folder.
    Folder(&'a Path),
}

/// A document to generate from.
struct Source {
    path: PathBuf,
    settings: Settings,
}

/// The files of a document, and what they lose of it.
struct Output {
    files: Vec<GeneratedFile>,
    losses: Losses,
}

/// Runs `generate`: writes the generated files, or with `--check` fails if they are stale.
///
/// # Errors
/// There is no `dropspec.toml`, it names no folder for the files, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    silence_progenitor();
    let (project, source, destination, command) = match (&arguments.spec, &arguments.out) {
        (Some(spec), Some(out)) => {
            let project = Project::find_or_default()?;
            let name = spec.display().to_string();
            let command = project.command("generate");
            let command = format!("{command} --spec {name} --out {}", out.display());
            let settings =
                settings::of_folder(&project, &command, &name, relative_path(out, spec)?);
            let path = spec.clone();
            (
                project,
                Source { path, settings },
                Destination::Folder(out),
                command,
            )
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
            let path = project.document_path();
            let settings = settings::of_repository(&project)?;
            let command = project.command("generate");
            (
                project,
                Source { path, settings },
                Destination::Crates,
                command,
            )
        }
    };
    let partial = arguments.partial || project.config.generate.partial;
    let (report, generated) = generate_document(&project, &source, partial);
    if let Some(path) = &arguments.report {
        report.write(path)?;
    }
    let lint = match destination {
        Destination::Crates => project.command("lint"),
        Destination::Folder(_) => format!("{} {}", project.command("lint"), source.path.display()),
    };
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
            match report.is_empty() {
                true => losses.print_count(&lint),
                false => losses.print(&lint),
            }
            return Ok((report.to_string(), ExitCode::SUCCESS));
        }
        let differences = files::check(&targets)?;
        losses.print_count(&lint);
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

/// Finds what the generator refuses in a document, and else what its code loses. Returns nothing for an invalid document,
/// which lint reports.
pub(crate) fn find_problems(
    project: &Project,
    document: &Document,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    silence_progenitor();
    let spec = Spec::read(document.clone().into());
    let (Ok(spec), Ok(settings)) = (spec, settings::of_repository(project)) else {
        return Ok(Vec::new());
    };
    let settings = Settings {
        partial: project.config.generate.partial,
        ..settings
    };
    let generated = generate(&spec, &settings)?;
    let losses = Losses {
        warnings: generated.warnings,
        left_out: generated.unsupported,
    };
    Ok(losses.into_diagnostics())
}

/// Bundles a document, and generates all its files. Reports what became of its operations.
fn generate_document(
    project: &Project,
    source: &Source,
    partial: bool,
) -> (Report, anyhow::Result<Output>) {
    match project.bundle(&source.path) {
        Ok(bundled) => generate_bundled(&bundled, &source.settings, partial),
        Err(errors) => {
            let report = Report::of_refused(&Operations::default(), &errors);
            (report, Err(list(&errors)))
        }
    }
}

/// Generates all files of a bundle, and reports what became of its operations.
fn generate_bundled(
    bundled: &Bundled,
    settings: &Settings,
    partial: bool,
) -> (Report, anyhow::Result<Output>) {
    let mut settings = Settings {
        partial,
        ..settings.clone()
    };
    let text = bundled.changed_text();
    if text.is_some() {
        BUNDLE.clone_into(&mut settings.source_path);
    }
    let spec = Spec::read_with_errors(bundled.document.clone().into());
    match spec.and_then(|spec| generate(&spec, &settings)) {
        Ok(generated) => {
            let report = Report::of_generated(&bundled.document, &generated.unsupported);
            let mut files = generated.files;
            files.extend(text.map(|content| GeneratedFile {
                part: Part::Api,
                name: BUNDLE.to_owned(),
                content,
            }));
            let losses = Losses {
                warnings: [bundled.warnings.clone(), generated.warnings].concat(),
                left_out: generated.unsupported,
            };
            (report, Ok(Output { files, losses }))
        }
        Err(errors) => {
            let operations = Operations::find(&bundled.document);
            (Report::of_refused(&operations, &errors), Err(list(&errors)))
        }
    }
}

/// Writes the generated files of the crates of a repository, from the bundle of its document, and returns them.
///
/// # Errors
/// The document cannot be used, or a file cannot be written.
pub(crate) fn write_crates(
    project: &Project,
    bundled: &Bundled,
) -> anyhow::Result<Vec<GeneratedFile>> {
    silence_progenitor();
    let settings = settings::of_repository(project)?;
    let partial = project.config.generate.partial;
    let (_, output) = generate_bundled(bundled, &settings, partial);
    let Output { files, losses } = output.map_err(nothing_written)?;
    let mut targets = crate_targets(project, files);
    format::format(&mut targets)?;
    files::write(&targets)?;
    losses.print(&project.command("lint"));
    Ok(targets
        .into_iter()
        .flat_map(|target| target.files)
        .collect())
}

/// Generates all files of any document. Returns them with the document.
///
/// # Errors
/// The document cannot be used.
pub(crate) fn generate_file(path: &Path) -> anyhow::Result<(Value, Vec<GeneratedFile>)> {
    silence_progenitor();
    let project = Project::find_or_default()?;
    let name = path.display().to_string();
    let source_path = std::path::absolute(path)?.display().to_string();
    let source = Source {
        path: path.to_owned(),
        settings: Settings {
            // It takes every document.
            client_kind: Some(ClientKind::Own),
            // dropshot describes each trait by itself.
            traits: Traits::One,
            ..settings::of_folder(&project, &project.command("roundtrip"), &name, source_path)
        },
    };
    let (_, output) = generate_document(&project, &source, false);
    let Output { files, losses } = output?;
    losses.print(&format!("{} {name}", project.command("lint")));
    let document = project.read_document(path)?.root().to_json();
    Ok((document, files))
}

/// The folders of the repository with the files that belong into each.
fn crate_targets(project: &Project, files: Vec<GeneratedFile>) -> Vec<Target> {
    let output = &project.config.output;
    let folders = [
        (Part::Api, &output.api),
        (Part::Client, &output.client),
        (Part::CommandLine, &output.command_line),
        (Part::Mock, &output.mock),
    ];
    let crates = folders.into_iter().filter_map(|(part, folder)| {
        let directory = project.root.join(folder.as_ref()?);
        let files = files.iter().filter(|file| file.part == part);
        let mut files: Vec<GeneratedFile> = files.cloned().collect();
        if files::may_write(&directory.join("lib.rs")) && !has_library(&files) {
            files.push(library(project, part, &files));
        }
        Some(Target { directory, files })
    });
    crates.chain(rules_page(project)).collect()
}

fn has_library(files: &[GeneratedFile]) -> bool {
    files
        .iter()
        .any(|file| file.name == "lib.rs" || file.name == "cli.rs")
}

/// The `lib.rs` of a crate, unless a person has written it.
fn library(project: &Project, part: Part, files: &[GeneratedFile]) -> GeneratedFile {
    let source = project.document_name();
    let command = project.command("generate");
    let text = package::generated_library(part, &source, files);
    GeneratedFile {
        part,
        name: "lib.rs".to_owned(),
        content: format!("{MARKER}{command}` from {source}. Do not edit.\n\n{text}"),
    }
}

/// The page with the rules of `diff`, if the settings name one.
fn rules_page(project: &Project) -> Option<Target> {
    let path = project
        .root
        .join(project.config.output.rules_page.as_ref()?);
    Some(Target {
        directory: path.parent()?.to_owned(),
        files: vec![GeneratedFile {
            part: Part::Api,
            name: "rules.md".to_owned(),
            content: spec_diff::rules::render_page(),
        }],
    })
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

fn list(errors: &[Diagnostic]) -> anyhow::Error {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let count = match errors.len() {
        1 => "1 error".to_owned(),
        several => format!("{several} errors"),
    };
    anyhow!("{}\n\n{count}", lines.join("\n"))
}

fn nothing_written(error: anyhow::Error) -> anyhow::Error {
    anyhow!("{error:#}; nothing was written")
}
