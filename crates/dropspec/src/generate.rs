//! `generate`: reads a document, and writes what is generated from it or checks that it is up to date.

mod document;
mod files;
mod format;
mod targets;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use self::document::generate_bundled;
pub(crate) use self::files::Target;
use self::targets::crate_targets;
use crate::bundling::Bundled;
use crate::check::CheckReport;
use crate::config;
use crate::generator_settings::{own_settings, settings_of};
use crate::losses::Losses;
use crate::output::{print, print_error};
use crate::project::{self, Project, relative_path};
use crate::repair;

/// Generate the interface and the client from the OpenAPI document
///
/// Without options it reads the document of dropspec.toml and writes the generated files of the crates that it names,
/// formatted by rustfmt. Files that would not change are not touched, and files that are no longer generated are removed. If
/// anything in the document cannot be expressed, every such place is listed and nothing is written.
///
/// What is legal but not kept in the generated code is a warning. Warnings of one kind are printed together, with their
/// first places, when a file changes, and otherwise counted. `lint` lists each.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  generate                                  after every edit of the document
  generate --check                          in CI
  generate --spec api.yaml --out api/src    any document, into the sources of a crate
  generate --partial                        leave out what cannot be expressed, and list it

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
}

/// Runs `generate`: writes the generated files, or with `--check` fails if they are stale.
///
/// # Errors
/// The document cannot be used, there is no `dropspec.toml`, it names no folder for the files, or a file cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let other = arguments.spec.as_ref().zip(arguments.out.as_ref());
    let project = Project::find_for(other)?;
    let mut command = project.command("generate");
    let mut lint = project.command("lint");
    let (path, mut settings) = match other {
        Some((spec, out)) => {
            let name = spec.display();
            lint = format!("{lint} {name} --code");
            command = format!("{command} --spec {name} --out {}", out.display());
            let source_path = relative_path(out, spec)?;
            (
                spec.clone(),
                settings_of(&project, &command, spec, source_path),
            )
        }
        None if project.config.output == config::Output::default() => bail!(
            "{} says nowhere where the generated files go: add a table [output] with folders, such as \
             `api = \"crates/books-api/src\"` and `client = \"crates/books-client/src\"`, or use --spec with --out",
            project.root.join(config::FILE).display()
        ),
        None => (project.document_path(), own_settings(&project)?),
    };
    settings.partial |= arguments.partial;
    let bundled = project.bundle(&path);
    let bundled = bundled.map_err(|errors| document::list(&errors, &Losses::default(), None))?;
    let CheckReport { files, losses, .. } = generate_bundled(&project, &bundled, settings)?;
    let mut targets = match other {
        Some((_, out)) => vec![Target {
            directory: out.clone(),
            files,
        }],
        None => crate_targets(&project, files),
    };
    format::format(&mut targets)?;
    let differences = files::compare(&targets)?;
    if differences.is_empty() || arguments.check {
        losses.print_count(&lint);
    } else {
        losses.print(&lint);
        if !losses.left_out.is_empty() {
            repair::help(&project, &bundled.document)
                .iter()
                .for_each(print_error);
        }
    }
    if !arguments.check {
        print(files::write(&targets, &differences)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if differences.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let help = "Generated files are stale; update them with";
    let differences = files::render(&differences);
    print(format_args!("{differences}{help}:\n\n    {command}\n\n"))?;
    Ok(ExitCode::FAILURE)
}

/// Writes the generated files of the crates of a repository, from the bundle of its document.
///
/// # Errors
/// The document cannot be used, or a file cannot be written.
pub(crate) fn write_crates(project: &Project, bundled: &Bundled) -> anyhow::Result<()> {
    let CheckReport { files, losses, .. } =
        generate_bundled(project, bundled, own_settings(project)?)?;
    let mut targets = crate_targets(project, files);
    format::format(&mut targets)?;
    files::write(&targets, &files::compare(&targets)?)?;
    losses.print(&project.command("lint"));
    Ok(())
}
