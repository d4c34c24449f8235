//! `cargo xtask generate`: reads a document, and writes what is generated from it or checks that it is up to date.

mod files;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;
use spec_codegen::{GeneratedFile, Part, Settings, generate};
use spec_model::{Diagnostic, Spec};

use crate::house;
use crate::output::{print, print_error};
use crate::repository::{self, SPEC};

/// The command that generates the files, as written at their beginning.
const COMMAND: &str = "cargo xtask generate";

const API: &str = "crates/petstore-api/src";
const CLIENT: &str = "crates/petstore-client/src";
const COMMAND_LINE: &str = "crates/petstorectl/src";
const MOCK: &str = "crates/petstore-client-mock/src";

/// Generate the interface and the client from the OpenAPI document
///
/// Without options it reads spec/petstore.yaml and writes the generated files of the crates
/// petstore-api, petstore-client, petstore-client-mock and petstorectl, formatted by rustfmt,
/// and docs/rules.md from the rules of `cargo xtask diff`.
/// Files that would not change are not touched, and files that are no longer generated are
/// removed. If anything in the document cannot be expressed, every such place is listed and
/// nothing is written.
///
/// Exit codes: 0 all is well, 1 a file is stale (--check), 2 the document cannot be used.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Write nothing; show what would change and fail if anything would
    #[arg(long)]
    check: bool,

    /// Another OpenAPI 3.0 document, YAML or JSON
    #[arg(long, value_name = "FILE", requires = "out")]
    spec: Option<PathBuf>,

    /// The directory for all files generated from FILE, the client as client.rs
    #[arg(long, value_name = "DIR", requires = "spec")]
    out: Option<PathBuf>,
}

/// A directory, and the generated files that belong into it.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) directory: PathBuf,
    pub(crate) files: Vec<GeneratedFile>,
}

/// Runs `cargo xtask generate`: writes the generated files, or with `--check` fails if they are stale.
///
/// # Errors
/// This is no checkout of the repository, or the output cannot be written.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    dropspec::panics::silence_progenitor();
    let (targets, command) = match (&arguments.spec, &arguments.out) {
        (Some(spec), Some(out)) => {
            let name = spec.display().to_string();
            let command = format!("{COMMAND} --spec {name} --out {}", out.display());
            let settings = Settings {
                source_path: relative_path(out, spec)?,
                ..house::generator_settings(&command, &name)
            };
            let all_here = |files| {
                vec![Target {
                    directory: out.clone(),
                    files,
                }]
            };
            (read(spec, &settings).map(all_here), command)
        }
        _ => (
            repository_targets(&repository::find_root()?),
            COMMAND.to_owned(),
        ),
    };
    let done = targets.and_then(|mut targets| {
        files::format(&mut targets)?;
        if !arguments.check {
            return Ok((files::write(&targets)?.to_string(), ExitCode::SUCCESS));
        }
        let differences = files::check(&targets)?;
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
        Err(error) => {
            print_error(format_args!("{error:#}"));
            Ok(ExitCode::from(2))
        }
    }
}

/// Finds what the generator cannot express in a document. Returns nothing for a text that is no document, which lint
/// reports.
pub(crate) fn find_problems(name: &str, text: &str) -> Vec<Diagnostic> {
    dropspec::panics::silence_progenitor();
    let Ok(spec) = Spec::parse(name, text) else {
        return Vec::new();
    };
    generate(&spec, &repository_settings())
        .err()
        .unwrap_or_default()
}

fn repository_settings() -> Settings {
    Settings {
        source_path: format!("../../../{SPEC}"),
        client_layer: Some(house::client_layer()),
        ..house::generator_settings(COMMAND, SPEC)
    }
}

fn repository_targets(root: &Path) -> anyhow::Result<Vec<Target>> {
    let files = read(&root.join(SPEC), &repository_settings())?;
    let targets = [
        (Part::Api, API),
        (Part::Client, CLIENT),
        (Part::CommandLine, COMMAND_LINE),
        (Part::Mock, MOCK),
    ];
    let rules = Target {
        directory: root.join("docs"),
        files: vec![GeneratedFile {
            part: Part::Api,
            name: "rules.md",
            content: spec_diff::rules::render_page(),
        }],
    };
    let code = targets.map(|(part, directory)| Target {
        directory: root.join(directory),
        files: files
            .iter()
            .filter(|file| file.part == part)
            .cloned()
            .collect(),
    });
    Ok(code.into_iter().chain([rules]).collect())
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

fn read(path: &Path, settings: &Settings) -> anyhow::Result<Vec<GeneratedFile>> {
    let name = &settings.source;
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let spec = Spec::parse(name, &text).map_err(|errors| list(&errors))?;
    generate(&spec, settings).map_err(|errors| list(&errors))
}

fn list(errors: &[Diagnostic]) -> anyhow::Error {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let count = match errors.len() {
        1 => "1 error".to_owned(),
        several => format!("{several} errors"),
    };
    anyhow!("{}\n\n{count}; nothing was written", lines.join("\n"))
}
