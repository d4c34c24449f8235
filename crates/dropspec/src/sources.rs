//! What arguments name: a file, a document in a revision of git, standard input, or a set of documents.

mod set;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

pub use set::Set;

use crate::git::{ObjectKind, Repository};

/// Where a document is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A file in a revision of git.
    Revision(InRevision),
}

/// A file in a revision of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InRevision {
    pub(crate) repository: Repository,
    /// The revision; empty for the index.
    pub(crate) revision: String,
    /// The path from the top of the repository.
    pub(crate) path: PathBuf,
}

/// What an argument names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A document.
    One(Source),
    /// The documents of a folder, or those that match a pattern.
    Many(Set),
}

impl Named {
    /// Finds what an argument names: a file, a folder, a pattern such as `apis/*.yaml`, one of these in a revision
    /// (`REV:path`), or standard input (`-`).
    ///
    /// # Errors
    /// There is no such thing; the reason says what to write.
    pub fn find(text: &str) -> anyhow::Result<Named> {
        match Named::find_path(text)? {
            Some(named) => Ok(named),
            None => bail!("there is no file `{text}`"),
        }
    }

    /// Finds what the base of a comparison names. A revision alone is that of what the revision of the comparison names.
    ///
    /// # Errors
    /// There is no such thing; the reason says what to write.
    pub fn find_base(text: &str, revision: &Named) -> anyhow::Result<Named> {
        // To git, nothing is the index.
        if text.is_empty() {
            bail!("the base is empty: name a file or a revision");
        }
        match Named::find_path(text)? {
            Some(named) => Ok(named),
            None => revision.at(text),
        }
    }

    /// The same documents in another revision of git.
    ///
    /// # Errors
    /// The revision does not have them.
    pub fn at(&self, revision: &str) -> anyhow::Result<Named> {
        let (repository, path) = match self {
            Named::One(Source::Stdin) => {
                bail!("standard input is in no revision of git: name the base as well")
            }
            Named::One(Source::File(path)) => {
                let repository = repository_of(path, revision)?;
                let path = repository.path_of(path)?;
                (repository, path)
            }
            Named::One(Source::Revision(it)) => (it.repository.clone(), it.path.clone()),
            Named::Many(set) => return set.at(revision).map(Named::Many),
        };
        repository.check_revision(revision)?;
        let revision = revision.to_owned();
        if repository.show(&revision, &path).is_err() {
            bail!(
                "the revision `{revision}` has no {}: name one that has it, or the file of an older document",
                path.display()
            );
        }
        Ok(Named::One(Source::Revision(InRevision {
            repository,
            revision,
            path,
        })))
    }

    /// All documents.
    pub fn sources(&self) -> Box<dyn Iterator<Item = &Source> + '_> {
        match self {
            Named::One(source) => Box::new(std::iter::once(source)),
            Named::Many(set) => Box::new(set.documents.values()),
        }
    }

    /// The repository that the documents are in.
    ///
    /// # Errors
    /// They are in none.
    pub fn repository(&self) -> anyhow::Result<Repository> {
        match self {
            Named::One(Source::Stdin) => bail!("standard input is in no repository"),
            Named::One(Source::File(path)) => Repository::find(folder_of(path)),
            Named::One(Source::Revision(it)) => Ok(it.repository.clone()),
            Named::Many(set) => set.repository(),
        }
        .map_err(|reason| {
            anyhow!("there is no git repository to find the base in: name the base as well (git says: {reason})")
        })
    }

    fn find_path(text: &str) -> anyhow::Result<Option<Named>> {
        let path = PathBuf::from(text);
        if text == "-" {
            return Ok(Some(Named::One(Source::Stdin)));
        }
        if path.is_dir() {
            return Set::of_folder(path).map(|set| Some(Named::Many(set)));
        }
        // Not only regular files: `<(git show …)` is a pipe.
        if path.exists() {
            return Ok(Some(Named::One(Source::File(path))));
        }
        if text.contains("://") {
            bail!("`{text}` is a URL: download the document, and name the file");
        }
        if let Some((revision, path)) = text.split_once(':') {
            return in_revision(revision, path).map(Some);
        }
        if set::is_pattern(text) {
            Set::of_pattern(text).map(|set| Some(Named::Many(set)))
        } else {
            Ok(None)
        }
    }
}

/// What `REV:path` names. As in git, the path starts at the top of the repository, or with `./` at the working directory.
fn in_revision(revision: &str, path: &str) -> anyhow::Result<Named> {
    let repository = Repository::find(Path::new(".")).map_err(|reason| {
        anyhow!("`{revision}:{path}` is not a file, and this folder is in no git repository (git says: {reason})")
    })?;
    let from_here = path.starts_with("./") || path.starts_with("../");
    let path = if from_here {
        repository.path_of(Path::new(path))?
    } else {
        PathBuf::from(path)
    };
    let named = path.to_string_lossy();
    if set::is_pattern(&named) && repository.kind(revision, &path).is_err() {
        repository.check_revision(revision)?;
        return Set::of_pattern_in(&repository, revision, &named).map(Named::Many);
    }
    let kind = repository.kind(revision, &path).map_err(|reason| {
        match repository.check_revision(revision) {
            Err(error) if !revision.is_empty() => error,
            _ => anyhow!("`{revision}:{named}` is not in git: {reason}"),
        }
    })?;
    match kind {
        ObjectKind::Folder => Set::of_folder_in(&repository, revision, &path).map(Named::Many),
        ObjectKind::File => Ok(Named::One(Source::Revision(InRevision {
            repository,
            revision: revision.to_owned(),
            path,
        }))),
    }
}

/// The repository of a file that was named with a revision.
fn repository_of(file: &Path, revision: &str) -> anyhow::Result<Repository> {
    Repository::find(folder_of(file)).map_err(|reason| if reason.contains("not a git repository") { anyhow!(
            "the base `{revision}` is not a file, and no revision, since this folder is in no git repository: name the \
             file of an older document"
        ) } else { anyhow!("the base `{revision}` is not a file, and git cannot look for it: {reason}") })
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("standard input"),
            Source::File(path) => write!(f, "{}", path.display()),
            Source::Revision(it) => write!(f, "{}:{}", it.revision, it.path.display()),
        }
    }
}
