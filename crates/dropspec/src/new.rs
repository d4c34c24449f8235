//! `new`: makes a workspace for a document, whose server runs at once.

mod copy;
pub(crate) mod document;
pub(crate) mod errors;
mod name;
mod workspace;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use dropspec_codegen::{Frame, implement};
use dropspec_model::Spec;

use self::copy::Copy;
use self::workspace::{NamedText, Workspace};
use crate::generator_settings::own_settings;
use crate::output::print;
use crate::project::{self, Project};
use crate::toolchain::Source;
use crate::{check, generate};

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

    /// The checkout of the toolchain, or the URL of its git repository; by default the crates of the registry in the version of this command
    #[arg(long, value_name = "PATH|URL")]
    toolchain: Option<String>,

    /// Leave out operations that cannot be expressed; the server answers them with 501
    #[arg(long)]
    partial: bool,
}

/// Runs `new`.
///
/// # Errors
/// The document cannot be used, the folder exists or cannot be written, or the toolchain is not found.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let name = &arguments.name;
    let root = PathBuf::from(name);
    if root.exists() {
        bail!("{name} exists already: choose another name, or remove it");
    }
    let source = find_toolchain(arguments.toolchain.as_deref())?;
    let bundled = crate::bundling::bundle(&arguments.spec, &[]).map_err(check::refused)?;
    let json = bundled.document.root().to_json();
    let copy = Copy::read(&arguments.spec, &bundled)?;
    let workspace = Workspace::new(name, &source, copy, &json, arguments.partial);
    // The folder gets its name once it is complete; otherwise it is removed.
    let prefix = format!(".{name}.");
    let mut unfinished = tempfile::Builder::new();
    let mut unfinished = unfinished
        .prefix(&prefix)
        .permissions(Permissions::from_mode(0o777))
        .tempdir_in(".")
        .with_context(|| format!("{name} cannot be created"))?;
    write_files(unfinished.path(), workspace.files_before_generation()?)?;
    let project = Project::open(unfinished.path())?;
    // Not from the copy: diagnostics name the file that the user has.
    generate::write_crates(&project, &bundled)?;
    let spec = Spec::read_with_errors(Arc::new(bundled.document)).map_err(check::refused)?;
    let settings = own_settings(&project)?;
    let frame = Frame {
        api_crate: &format!("{}_api", name.replace('-', "_")),
        implementor: "crate::here::App",
        context: "std::sync::Arc<dropspec_gate::Gate<crate::here::App>>",
        not_implemented: "dropspec_service::not_implemented",
    };
    let implementation = implement(&spec, &settings, frame).map_err(check::refused)?;
    let server = workspace.server_files(implementation, &errors::find(&json))?;
    write_files(unfinished.path(), server)?;
    source.complete_lock(unfinished.path());
    fs::rename(unfinished.path(), &root).with_context(|| format!("{name} cannot be created"))?;
    unfinished.disable_cleanup(true);
    print(workspace.next_steps())?;
    Ok(ExitCode::SUCCESS)
}

fn write_files(root: &Path, files: Vec<NamedText>) -> anyhow::Result<()> {
    for (name, text) in files {
        let path = root.join(name);
        let written = fs::create_dir_all(path.parent().unwrap_or(root));
        let written = written.and_then(|()| fs::write(&path, text));
        written.with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn find_toolchain(toolchain: Option<&str>) -> anyhow::Result<Source> {
    let source = match toolchain {
        None => Source::Registry,
        Some(url) if url.contains("://") || url.starts_with("git@") => Source::Git(url.to_owned()),
        Some(path) => Source::Path(std::path::absolute(path)?),
    };
    if let Source::Path(path) = &source
        && !path.join("crates/dropspec-gate").is_dir()
    {
        bail!(
            "{} is no checkout of the toolchain: name one, or the URL of its git repository, with --toolchain",
            path.display()
        );
    }
    Ok(source)
}
