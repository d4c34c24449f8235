//! `bundle`: prints the document in one file, with its overlays applied.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::check::{refused, warning_text};
use crate::output::{print, print_error};
use crate::project::{self, Project};

/// Print the document in one file: other files that it refers to are taken in, and overlays are applied
///
/// Without FILE it is the document of dropspec.toml, with the overlays that it lists. FILE may also be an overlay that says in
/// `extends` which document it changes. A document that no other file changes is printed as it is; otherwise it is printed
/// anew, without comments.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bundle                                           what the service publishes
  bundle api.yaml --overlay public.overlay.yaml    another document, with OpenAPI Overlays 1.0 or 1.1
  bundle --format json > openapi.json

Exit codes: 0 all is well, 2 the document or an overlay cannot be used.")]
pub struct Arguments {
    /// The document; that of dropspec.toml if absent
    #[arg(value_name = "FILE", value_parser = project::parse_file)]
    file: Option<PathBuf>,

    /// An OpenAPI Overlay to apply, after those of dropspec.toml; can be repeated
    #[arg(long = "overlay", value_name = "FILE")]
    overlays: Vec<PathBuf>,

    /// The format; that of the document if absent
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// The format of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// YAML 1.2.
    Yaml,
    /// JSON, indented.
    Json,
}

/// Runs `bundle`.
///
/// # Errors
/// There is no document and no `dropspec.toml`, the document cannot be bundled, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let project = Project::find_for(arguments.file.as_ref())?;
    let own = project.document_path();
    let path = arguments.file.as_deref().unwrap_or(&own);
    let mut overlays = match arguments.file {
        Some(_) => Vec::new(),
        None => project.config.overlays.clone(),
    };
    for overlay in &arguments.overlays {
        overlays.push(std::path::absolute(overlay)?);
    }
    let bundled = project.bundle_with(path, &overlays).map_err(refused)?;
    for warning in &bundled.warnings {
        print_error(warning_text(warning));
    }
    let text = match arguments.format {
        None => bundled.text(),
        Some(Format::Yaml) => bundled.yaml(),
        Some(Format::Json) => bundled.json(),
    };
    print(text)?;
    Ok(ExitCode::SUCCESS)
}
