//! `new`: makes a workspace for a document, whose server runs at once.

mod copy;
mod document;
mod errors;
mod name;
mod operations;
mod workspace;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use spec_bundle::Bundled;
use spec_codegen::Part;

use crate::check::error_text;
use crate::generate;
use crate::output::{print, print_error};
use crate::project::{self, Project};
use crate::toolchain::Source;

use self::copy::Copy;
use self::document::Facts;
use self::workspace::Workspace;

/// Make a workspace for a document: a service that runs at once, its client and its command line
///
/// The folder NAME gets the crates NAME-api (generated), NAME-client (generated), NAME-cli and NAME-server, a copy of the
/// document with all files that it refers to, dropspec.toml, a CI file and a README. `cargo run -- serve` in it serves the
/// document behind API keys and limits, with a reference page; every operation answers 501 until it is filled in.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  new books --spec books.yaml
  new books --spec books.yaml --toolchain https://example.com/toolchain.git

Exit codes: 0 all is well, 2 the document cannot be used, or the folder not written.")]
pub struct Arguments {
    /// The name of the service and of its folder: small letters, digits and hyphens
    #[arg(value_parser = name::parse)]
    name: String,

    /// The OpenAPI document, YAML or JSON
    #[arg(long, value_name = "FILE", value_parser = project::parse_file)]
    spec: PathBuf,

    /// The checkout of the toolchain, or the URL of its git repository; by default the checkout that this command was built from
    #[arg(long, value_name = "PATH|URL")]
    toolchain: Option<String>,

    /// Leave out operations that cannot be expressed; the server answers them with 501
    #[arg(long)]
    partial: bool,
}

/// Runs `new`.
///
/// # Errors
/// The folder exists or cannot be written, or the toolchain is not found.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let name = &arguments.name;
    let root = PathBuf::from(name);
    if root.exists() {
        bail!("{name} exists already: choose another name, or remove it");
    }
    let source = find_toolchain(arguments.toolchain.as_deref())?;
    let bundled = match spec_bundle::bundle(&arguments.spec, &[]) {
        Ok(bundled) => bundled,
        Err(errors) => {
            errors.iter().for_each(|it| print_error(error_text(it)));
            return Ok(ExitCode::from(2));
        }
    };
    let json = bundled.document.root().to_json();
    let workspace = Workspace {
        name,
        partial: arguments.partial,
        source: &source,
        copy: Copy::read(&arguments.spec, &bundled)?,
        facts: Facts::read(&json, name),
    };
    // The folder gets its name once it is complete.
    let unfinished = PathBuf::from(format!(".{name}.unfinished"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)
            .with_context(|| format!("{} cannot be removed", unfinished.display()))?;
    }
    let made = make(&workspace, &bundled, &json, &unfinished);
    if made.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_dir_all(&unfinished);
    }
    if let Err(Unmade::Document(error)) = made {
        print_error(format_args!("{error:#}"));
        return Ok(ExitCode::from(2));
    }
    made.map_err(Unmade::into_error)?;
    fs::rename(&unfinished, &root).with_context(|| format!("{name} cannot be created"))?;
    print(workspace.next_steps())?;
    Ok(ExitCode::SUCCESS)
}

/// Why there is no workspace.
enum Unmade {
    /// The document cannot be used.
    Document(anyhow::Error),
    /// Something else failed.
    Other(anyhow::Error),
}

impl Unmade {
    fn into_error(self) -> anyhow::Error {
        match self {
            Unmade::Document(error) | Unmade::Other(error) => error,
        }
    }
}

impl From<anyhow::Error> for Unmade {
    fn from(error: anyhow::Error) -> Unmade {
        Unmade::Other(error)
    }
}

/// Writes the whole workspace into a folder.
fn make(
    workspace: &Workspace<'_>,
    bundled: &Bundled,
    json: &serde_json::Value,
    root: &Path,
) -> Result<(), Unmade> {
    write_files(root, workspace.files()?)?;
    let project = Project::open(root)?;
    // Not from the copy: diagnostics name the file that the user has.
    let files = generate::write_crates(&project, bundled).map_err(Unmade::Document)?;
    let interface = files.iter().filter(|file| file.part == Part::Api);
    let interface: Vec<(&str, &str)> = interface
        .map(|file| (&*file.name, &*file.content))
        .collect();
    let server = workspace.server_files(&interface, errors::find(json))?;
    write_files(root, server)?;
    workspace.source.complete_lock(root);
    Ok(())
}

fn write_files(root: &Path, files: Vec<(String, String)>) -> anyhow::Result<()> {
    for (name, text) in files {
        let path = root.join(name);
        let context = || format!("{} cannot be written", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(context)?;
        }
        fs::write(&path, text).with_context(context)?;
    }
    Ok(())
}

fn find_toolchain(toolchain: Option<&str>) -> anyhow::Result<Source> {
    let source = match toolchain {
        None => Source::built(),
        Some(url) if url.contains("://") || url.starts_with("git@") => Source::Git(url.to_owned()),
        Some(path) => Source::Path(std::path::absolute(path)?),
    };
    if let Source::Path(path) = &source
        && !path.join("crates/spec-gate").is_dir()
    {
        bail!(
            "{} is no checkout of the toolchain: name one, or the URL of its git repository, with --toolchain",
            path.display()
        );
    }
    Ok(source)
}
