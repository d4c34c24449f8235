//! The repository that the tool works on: its root, its settings, and its documents in files and in git.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow, bail};
use spec_model::Document;

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

    /// Reads and parses a document. Findings name its path from the root, if it is below the root.
    ///
    /// # Errors
    /// It cannot be read, or is not an OpenAPI 3.0 document.
    pub fn read_document(&self, path: &Path) -> anyhow::Result<Document> {
        parse_document(&self.display_path(path), &read_text(path)?)
    }

    /// Reads the OpenAPI document as it is in a git revision.
    ///
    /// # Errors
    /// The revision does not exist, or does not have the document.
    pub fn read_revision(&self, revision: &str) -> anyhow::Result<Document> {
        // An empty revision is the index of git.
        if revision.is_empty() {
            bail!("the base is empty: name a file or a revision");
        }
        let document = self.document_name();
        // `./`: the root need not be that of the git repository.
        let output = git(&self.root)
            .args(["show", "--end-of-options"])
            .arg(format!("{revision}:./{document}"))
            .output()
            .context("git cannot be run")?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            bail!(
                "`{revision}` is neither a file nor a revision with {document}: {} (in a shallow clone, fetch the revision first)",
                reason.trim()
            );
        }
        let name = format!("{revision}:{document}");
        let text =
            String::from_utf8(output.stdout).with_context(|| format!("{name} is not UTF-8"))?;
        parse_document(&name, &text)
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

/// Parses an OpenAPI 3.0 document, which need not be valid.
///
/// # Errors
/// It is not YAML or JSON, or not OpenAPI 3.0.
pub fn parse_document(name: &str, text: &str) -> anyhow::Result<Document> {
    let document = parse_tree(name, text)?;
    let Some(version) = document.root().get("openapi") else {
        if let Some(swagger) = document.root().get("swagger") {
            let at = document.location(swagger.position);
            bail!("{at}: Swagger 2.0 is not supported: convert the document to OpenAPI 3.0");
        }
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
