//! `new`: makes a workspace for a document, whose server runs at once.

mod document;
mod errors;
mod operations;
mod workspace;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use crate::generate;
use crate::output::{print, print_error};
use crate::project::Project;
use crate::toolchain::Source;

use self::document::Facts;
use self::workspace::Workspace;

pub(crate) use self::operations::Api;

/// Make a workspace for a document: a service that runs at once, its client and its command line
///
/// The folder NAME gets the crates NAME-api (generated), NAME-client (generated), NAME-cli and NAME-server, a copy of the
/// document, dropspec.toml, a CI file and a README. `cargo run -- serve` in it serves the document behind API keys and limits, with
/// a reference page; every operation answers 501 until it is filled in.
///
/// Examples:
///   new books --spec books.yaml
///   new books --spec books.yaml --toolchain https://example.com/toolchain.git
///
/// Exit codes: 0 all is well, 1 the folder cannot be written, 2 the document cannot be used.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// The name of the service and of its folder: small letters, digits and hyphens
    #[arg(value_parser = parse_name)]
    name: String,

    /// The OpenAPI 3.0 document, YAML or JSON
    #[arg(long, value_name = "FILE")]
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
            errors.iter().for_each(print_error);
            return Ok(ExitCode::from(2));
        }
    };
    let json = bundled.document.root().to_json();
    let workspace = Workspace {
        name,
        partial: arguments.partial,
        source: &source,
        document: document_name(&arguments.spec),
        facts: Facts::read(&json, name),
    };
    // The folder gets its name once it is complete.
    let unfinished = PathBuf::from(format!(".{name}.unfinished"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)
            .with_context(|| format!("{} cannot be removed", unfinished.display()))?;
    }
    let made = make(&workspace, &bundled.text(), &json, &unfinished);
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
    document: &str,
    json: &serde_json::Value,
    root: &Path,
) -> Result<(), Unmade> {
    write_files(root, workspace.files(document)?)?;
    let project = Project::open(root)?;
    generate::write_crates(&project).map_err(Unmade::Document)?;
    let name = workspace.name;
    let read = |file: &str| {
        let path = root.join(format!("crates/{name}-api/src/{file}"));
        crate::project::read_text(&path)
    };
    let (api, interface) = (read("api.rs")?, read("interface.rs")?);
    let server = workspace.server_files(&api, &interface, errors::find(json))?;
    write_files(root, server)?;
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

/// The name of the copy of the document: JSON stays JSON.
fn document_name(path: &Path) -> &'static str {
    match path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        true => "openapi.json",
        false => "openapi.yaml",
    }
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

fn parse_name(text: &str) -> Result<String, String> {
    let is_plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-';
    let is_name = text.starts_with(|sign: char| sign.is_ascii_lowercase())
        && text.chars().all(is_plain)
        && !text.ends_with('-');
    match is_name {
        true => Ok(text.to_owned()),
        false => Err("write small letters, digits and hyphens, such as book-store".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_that_of_a_crate() {
        for text in ["books", "book-store", "b2"] {
            assert_eq!(parse_name(text).as_deref(), Ok(text));
        }
        for text in ["", "Books", "2b", "book_store", "books-", "../books"] {
            assert!(parse_name(text).is_err(), "{text}");
        }
    }
}
