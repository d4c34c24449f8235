//! The repository that the tool works on: its root, its settings, and its documents in files and in git.

mod elsewhere;

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use dropspec_model::{Diagnostic, Document};

use crate::bundling::{Bundled, Input};
use crate::check::refused;
use crate::config::{self, Config};
use crate::git::Repository;
use crate::sources::{Place, Source};

/// A repository and its settings.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder of `dropspec.toml`.
    pub root: PathBuf,
    /// The settings.
    pub config: Config,
}

/// The text of a file by its name in messages: a path, or `REV:path` from the top of the repository of git. None if it cannot
/// be read, such as standard input.
pub(crate) fn read_shown(name: &str) -> Option<String> {
    let project = Project::find_or_default().ok()?;
    for path in [project.root.join(name), PathBuf::from(name)] {
        if path.is_file() {
            return std::fs::read_to_string(path).ok();
        }
    }
    let (revision, path) = name.split_once(':')?;
    let repository = Repository::find(Path::new(".")).ok()?;
    let text = repository.show(revision, Path::new(path)).ok()?;
    String::from_utf8(text).ok()
}

impl Project {
    /// Finds the repository: the working directory or the nearest parent with `dropspec.toml`.
    ///
    /// # Errors
    /// There is none, or its settings cannot be read, or name a document that is not there.
    pub fn find() -> anyhow::Result<Project> {
        let project = Project::find_any()?.context(
            "there is no dropspec.toml in this directory or above: `dropspec new NAME --spec FILE` makes a new workspace \
             with one; in an existing workspace write one that says `document = \"FILE\"`",
        )?;
        let settings = project.root.join(config::FILE);
        config::files::check_files(&settings, &read_text(&settings)?, &project.config)?;
        Ok(project)
    }

    /// Finds the repository for a command that takes a document. Only one that is not named needs a repository.
    ///
    /// # Errors
    /// Those of [`Project::find_or_default`], or without a document of [`Project::find`].
    pub fn find_for<T>(document: Option<T>) -> anyhow::Result<Project> {
        match document {
            Some(_) => Project::find_or_default(),
            None => Project::find(),
        }
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
        self.bundle_with(path, self.overlays_of(path))
    }

    /// The overlays of a document: those of the settings, if it is the document of the repository.
    pub(crate) fn overlays_of(&self, path: &Path) -> &[PathBuf] {
        if self.is_document(path) {
            &self.config.overlays
        } else {
            &[]
        }
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
        self.bundle_reading(path, overlays, &|path| std::fs::read(path))
    }

    /// Bundles a document with these overlays, whose files `read` reads.
    pub(crate) fn bundle_reading(
        &self,
        path: &Path,
        overlays: &[PathBuf],
        read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Result<Bundled, Vec<Diagnostic>> {
        let document = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let input = Input {
            directory: &self.root,
            prefix: "",
            document: &document,
            overlays,
        };
        crate::bundling::bundle_with(input, read)
    }

    /// Reads and bundles a document, wherever it is.
    ///
    /// # Errors
    /// It cannot be read, or is not a document of OpenAPI 3.0, 3.1 or 3.2.
    pub fn read_source(&self, source: &Source) -> anyhow::Result<Document> {
        let document = self.bundle_source(source).map_err(refused)?.document;
        dropspec_model::check_version(&document)?;
        Ok(document)
    }

    /// Bundles a document, wherever it is. The files that it refers to are in the same revision or beside its URL, or for
    /// standard input below the working directory.
    ///
    /// # Errors
    /// The document cannot be read or bundled.
    pub fn bundle_source(&self, source: &Source) -> Result<Bundled, Vec<Diagnostic>> {
        match source {
            Source::Stdin => elsewhere::bundle_standard_input(),
            Source::Url(url) => elsewhere::bundle_url(url),
            Source::Place(Place { path, revision }) => match revision {
                None => self.bundle(path),
                Some(revision) => {
                    elsewhere::bundle_revision(self, revision, path, self.is_own(source))
                }
            },
        }
    }

    /// Whether this is the document of the repository, in any revision.
    pub fn is_own(&self, source: &Source) -> bool {
        let Source::Place(Place { path, revision }) = source else {
            return false;
        };
        match revision {
            None => self.is_document(path),
            Some(revision) => {
                let root = self.root.canonicalize().ok();
                let own = root.map(|root| root.join(&self.config.document));
                own == Some(revision.repository.top().join(path))
            }
        }
    }

    /// Whether this file on disk is the document of the repository.
    pub fn is_document(&self, path: &Path) -> bool {
        let own = self.document_path().canonicalize();
        own.is_ok_and(|own| path.canonicalize().is_ok_and(|path| path == own))
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
/// It is a URL or a folder, or not there; the reason says what to write.
pub fn parse_file(text: &str) -> anyhow::Result<PathBuf> {
    let path = PathBuf::from(text);
    if text.contains("://") && !path.exists() {
        bail!("this is a URL: download the document, and name the file");
    }
    if path.is_dir() {
        bail!("this is a folder: name the document in it");
    }
    if !path.exists() {
        bail!("there is no such file");
    }
    Ok(path)
}

/// Reads a text file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("{name} cannot be read"))?;
    Ok(dropspec_model::decode(&name, bytes)?)
}

/// Parses a YAML or JSON document of any OpenAPI version.
///
/// # Errors
/// It is not YAML or JSON.
pub fn parse_tree(name: &str, text: &str) -> anyhow::Result<Document> {
    Document::parse(name, text).map_err(|errors| anyhow!("{}", errors[0]))
}

/// The path from a directory to a file.
pub(crate) fn relative_path(directory: &Path, file: &Path) -> anyhow::Result<String> {
    let (directory, file) = (std::path::absolute(directory)?, std::path::absolute(file)?);
    let common = directory.components().zip(file.components());
    let common = common.take_while(|(a, b)| a == b).count();
    let mut path = PathBuf::new();
    path.extend(directory.components().skip(common).map(|_| ".."));
    path.extend(file.components().skip(common));
    Ok(path.display().to_string())
}
