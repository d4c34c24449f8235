//! The repository that the tool works on: its root, its settings, and its documents in files and in git.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow, bail};
use spec_bundle::{Bundled, Input};
use spec_model::{Diagnostic, Document};

use crate::config::{self, Config};

/// A repository and its settings.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder of `dropspec.toml`.
    pub root: PathBuf,
    /// The settings.
    pub config: Config,
}

impl Project {
    /// Finds the repository: the working directory or the nearest parent with `dropspec.toml`.
    ///
    /// # Errors
    /// There is none, or its settings cannot be read.
    pub fn find() -> anyhow::Result<Project> {
        Project::find_any()?.context(
            "there is no dropspec.toml in this directory or above: `dropspec new NAME --spec FILE` makes a new workspace \
             with one; in an existing workspace write one that says `document = \"FILE\"`",
        )
    }

    /// Finds the repository; without one, the working directory with the default settings.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn find_or_default() -> anyhow::Result<Project> {
        let default = || -> anyhow::Result<Project> {
            let root = working_directory()?;
            let config = Config::default();
            Ok(Project { root, config })
        };
        Project::find_any()?.map_or_else(default, Ok)
    }

    fn find_any() -> anyhow::Result<Option<Project>> {
        let start = working_directory()?;
        let has_file = |directory: &&Path| directory.join(config::FILE).exists();
        let found = start.ancestors().find(has_file);
        found.map(Project::open).transpose()
    }

    /// Reads the settings of the repository at `root`.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn open(root: &Path) -> anyhow::Result<Project> {
        let path = root.join(config::FILE);
        let config = Config::parse(&path, &read_text(&path)?)?;
        let root = root.to_owned();
        Ok(Project { root, config })
    }

    /// The path of the document.
    pub fn document_path(&self) -> PathBuf {
        self.root.join(&self.config.document)
    }

    /// The name of the document in messages: its path from the root.
    pub fn document_name(&self) -> String {
        self.config.document.display().to_string()
    }

    /// A command of this tool as a person types it: `dropspec release`.
    pub fn command(&self, name: &str) -> String {
        format!("{} {name}", self.config.command)
    }

    /// Bundles a document: all its files in one, and if it is the document of the repository, with the overlays.
    /// Diagnostics name the files below the root by their path from it.
    ///
    /// # Errors
    /// The document cannot be read or bundled.
    pub fn bundle(&self, path: &Path) -> Result<Bundled, Vec<Diagnostic>> {
        let overlays = match is_same_file(path, &self.document_path()) {
            true => &self.config.overlays[..],
            false => &[],
        };
        self.bundle_with(path, overlays)
    }

    /// Bundles a document with these overlays.
    ///
    /// # Errors
    /// The document cannot be read or bundled.
    pub fn bundle_with(
        &self,
        path: &Path,
        overlays: &[PathBuf],
    ) -> Result<Bundled, Vec<Diagnostic>> {
        let document = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let input = Input {
            directory: &self.root,
            prefix: "",
            document: &document,
            overlays,
        };
        spec_bundle::bundle_with(input, &|path| std::fs::read(path))
    }

    /// Reads and bundles a document, as [`Project::bundle`] does.
    ///
    /// # Errors
    /// It cannot be read, or is not an OpenAPI 3.0 document.
    pub fn read_document(&self, path: &Path) -> anyhow::Result<Document> {
        let bundled = self.bundle(path).map_err(first_error)?;
        check_version(bundled.document)
    }

    /// Reads and bundles the OpenAPI document as it is in a git revision, with the overlays of that revision.
    ///
    /// # Errors
    /// The revision does not exist, or does not have the document.
    pub fn read_revision(&self, revision: &str) -> anyhow::Result<Document> {
        // An empty revision is the index of git.
        if revision.is_empty() {
            bail!("the base is empty: name a file or a revision");
        }
        let document = self.document_name();
        if let Err(reason) = self.show(revision, &self.config.document) {
            bail!(
                "`{revision}` is neither a file nor a revision with {document}: {reason} (in a shallow clone, fetch the revision first)"
            );
        }
        let settings = self.show(revision, Path::new(config::FILE)).ok();
        let settings = settings.and_then(|settings| String::from_utf8(settings).ok());
        // A revision without settings, or with those of another version of this tool, has no overlays.
        let settings = settings.and_then(|text| text.parse::<toml::Table>().ok());
        let overlays = settings.and_then(|settings| settings.get("overlays").cloned());
        let overlays: Vec<PathBuf> = overlays
            .and_then(|overlays| overlays.try_into().ok())
            .unwrap_or_default();
        let input = Input {
            directory: &self.root,
            prefix: &format!("{revision}:"),
            document: &self.config.document,
            overlays: &overlays,
        };
        let root = std::path::absolute(&self.root)?;
        let bundled = spec_bundle::bundle_with(input, &|path| {
            let path = path.strip_prefix(&root).unwrap_or(path);
            self.show(revision, path).map_err(io::Error::other)
        });
        check_version(bundled.map_err(first_error)?.document)
    }

    /// The content of a file in a git revision; the reason if git has none.
    fn show(&self, revision: &str, path: &Path) -> Result<Vec<u8>, String> {
        // `./`: the root need not be that of the git repository.
        let output = git(&self.root)
            .args(["show", "--end-of-options"])
            .arg(format!("{revision}:./{}", path.display()))
            .output()
            .map_err(|error| format!("git cannot be run: {error}"))?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        }
    }

    /// The path of a file for output: from the root, if the file is below the root.
    pub fn display_path(&self, path: &Path) -> String {
        let resolve = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let absolute = resolve(path);
        let relative = absolute.strip_prefix(resolve(&self.root)).unwrap_or(path);
        relative.display().to_string()
    }
}

fn working_directory() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the working directory cannot be read")
}

/// Parses the name of a document on the command line.
///
/// # Errors
/// It is a URL or a folder; the reason says what to write.
pub fn parse_file(text: &str) -> anyhow::Result<PathBuf> {
    let path = PathBuf::from(text);
    if text.contains("://") && !path.exists() {
        bail!("this is a URL: download the document, and name the file");
    }
    if path.is_dir() {
        bail!("this is a folder: name the document in it");
    }
    Ok(path)
}

/// Reads a text file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes =
        std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        anyhow!(
            "{}:{line}: the file is not UTF-8: save it as UTF-8",
            path.display()
        )
    })
}

/// Checks that a document, which need not be valid, is of OpenAPI 3.0.
///
/// # Errors
/// It is of another version.
pub fn check_version(document: Document) -> anyhow::Result<Document> {
    let Some(version) = document.root().get("openapi") else {
        if let Some(swagger) = document.root().get("swagger") {
            let at = document.location(swagger.position);
            bail!("{at}: Swagger 2.0 is not supported: convert the document to OpenAPI 3.0");
        }
        let name = document.name();
        bail!("{name}: the document has no `openapi`: begin it with `openapi: 3.0.3`");
    };
    match version.as_str() {
        Some(text) if text.starts_with("3.0.") => Ok(document),
        _ => {
            let at = document.location(version.position);
            let version = version.to_json();
            bail!("{at}: OpenAPI {version} is not supported, only 3.0.x: write `openapi: 3.0.3`")
        }
    }
}

/// Whether two paths lead to one file.
fn is_same_file(path: &Path, other: &Path) -> bool {
    match (path.canonicalize(), other.canonicalize()) {
        (Ok(path), Ok(other)) => path == other,
        _ => false,
    }
}

/// The first of the diagnostics.
fn first_error(errors: Vec<Diagnostic>) -> anyhow::Error {
    let first = errors.into_iter().next();
    first.map_or_else(
        || anyhow!("the document cannot be read"),
        anyhow::Error::from,
    )
}

/// Parses a YAML or JSON document of any OpenAPI version.
///
/// # Errors
/// It is not YAML or JSON.
pub fn parse_tree(name: &str, text: &str) -> anyhow::Result<Document> {
    Document::parse(name, text).map_err(|errors| anyhow!("{}", errors[0]))
}

/// Starts to build a git command that runs in the root directory.
pub fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root);
    command
}
