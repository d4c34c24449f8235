//! `cargo xtask generate`: reads a document, and writes what is generated from it or checks that it is up to date.

mod files;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use spec_codegen::{GeneratedFile, Part, Settings};
use spec_model::{Diagnostic, Spec};

/// The command that makes the generated files, as they name it themselves.
const COMMAND: &str = "cargo xtask generate";

const SPEC: &str = "spec/petstore.yaml";
const API: &str = "crates/petstore-api/src";
const CLIENT: &str = "crates/petstore-client/src";

/// Generate the interface and the client from the OpenAPI document
///
/// Without options it reads spec/petstore.yaml and writes the generated files of
/// crates/petstore-api/src and crates/petstore-client/src. Files that would not change are
/// not touched, and generated files that are made no more are removed. If anything in the
/// document cannot be expressed, every such place is listed and nothing is written.
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

/// What is done with the generated files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

/// A directory, and the generated files that belong into it.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) directory: PathBuf,
    pub(crate) files: Vec<GeneratedFile>,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    hush_progenitor();
    let mode = if arguments.check {
        Mode::Check
    } else {
        Mode::Write
    };
    let (targets, command) = match (&arguments.spec, &arguments.out) {
        (Some(spec), Some(out)) => {
            let command = format!(
                "{COMMAND} --spec {} --out {}",
                spec.display(),
                out.display()
            );
            let files = read(spec, &spec.display().to_string(), &command);
            let all_here = |files| {
                vec![Target {
                    directory: out.clone(),
                    files,
                }]
            };
            (files.map(all_here), command)
        }
        _ => (repository_targets(), COMMAND.to_owned()),
    };
    let finished = targets.and_then(|targets| match mode {
        Mode::Write => files::write(&targets).map(|report| {
            say(&report);
            ExitCode::SUCCESS
        }),
        Mode::Check => files::check(&targets).map(|differences| {
            say(&differences);
            if differences.is_empty() {
                return ExitCode::SUCCESS;
            }
            say(&format!(
                "Generated files are stale; this mends them:\n\n    {command}\n\n"
            ));
            ExitCode::from(1)
        }),
    });
    finished.unwrap_or_else(|message| {
        eprintln!("{message}");
        ExitCode::from(2)
    })
}

fn repository_targets() -> Result<Vec<Target>, String> {
    let root = repository();
    let files = read(&root.join(SPEC), SPEC, COMMAND)?;
    let (api, client) = files.into_iter().partition(|file| file.part == Part::Api);
    Ok(vec![
        Target {
            directory: root.join(API),
            files: api,
        },
        Target {
            directory: root.join(CLIENT),
            files: client,
        },
    ])
}

/// Prints; a reader that has gone away, such as `head`, misses nothing it wanted.
fn say(text: &impl Display) {
    let _ = write!(io::stdout(), "{text}");
}

/// A panic of progenitor's becomes a located error; its own words on it would only be noise.
fn hush_progenitor() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() != Some(spec_codegen::PROGENITOR_THREAD) {
            usual(panic);
        }
    }));
}

/// The repository that this command was built from.
fn repository() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

fn read(path: &Path, name: &str, command: &str) -> Result<Vec<GeneratedFile>, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let settings = Settings {
        command: command.to_owned(),
        source: name.to_owned(),
    };
    let spec = Spec::parse(name, &text).map_err(|errors| listed(&errors))?;
    spec_codegen::generate(&spec, &settings).map_err(|errors| listed(&errors))
}

fn listed(errors: &[Diagnostic]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let count = match errors.len() {
        1 => "1 error".to_owned(),
        several => format!("{several} errors"),
    };
    format!("{}\n\n{count}; nothing was written", lines.join("\n"))
}
