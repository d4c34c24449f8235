//! What arguments name: a file, a document in a revision of git, standard input, or a set of documents.

mod place;
mod set;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

pub use place::{Place, Revision};
pub use set::Set;

use crate::git::Repository;

/// Where a document is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, on disk or in a revision of git.
    Place(Place),
}

/// What an argument names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A document.
    One(Source),
    /// The documents of a folder.
    Many(Set),
}

impl Named {
    /// A file on disk.
    pub fn file(path: PathBuf) -> Named {
        Named::One(Source::Place(Place::on_disk(path)))
    }

    /// Finds what an argument names: a file, a folder, one of these in a revision (`REV:path`), or standard input (`-`).
    ///
    /// # Errors
    /// There is no such thing; the reason says what to write.
    pub fn find(text: &str) -> anyhow::Result<Named> {
        let found = Named::find_path(text)?;
        found.with_context(|| no_file(text))
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
            None if is_pattern(text) => bail!(no_file(text)),
            None => revision.at(text),
        }
    }

    /// The same documents in another revision of git.
    ///
    /// # Errors
    /// The revision does not have them.
    pub fn at(&self, revision: &str) -> anyhow::Result<Named> {
        let file = match self {
            Named::Many(set) => return set.at(revision).map(Named::Many),
            Named::One(Source::Place(file)) => file.at(revision)?,
            Named::One(Source::Stdin) => {
                bail!("standard input is in no revision of git: name the base as well")
            }
        };
        file.read().with_context(|| {
            let path = file.path.display();
            format!(
                "the revision `{revision}` has no {path}: name one that has it, or the file of an older document"
            )
        })?;
        Ok(Named::One(Source::Place(file)))
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
        let repository = match self {
            Named::One(Source::Stdin) => bail!("standard input is in no repository"),
            Named::One(Source::Place(place)) => place.repository(),
            Named::Many(set) => set.folder().repository(),
        };
        repository.map_err(|reason| {
            anyhow!("there is no git repository to find the base in: name the base as well (git says: {reason})")
        })
    }

    fn find_path(text: &str) -> anyhow::Result<Option<Named>> {
        let path = PathBuf::from(text);
        if text == "-" {
            return Ok(Some(Named::One(Source::Stdin)));
        }
        if path.is_dir() {
            return Ok(Some(Named::Many(Set::read(Place::on_disk(path))?)));
        }
        // Not only regular files: `<(git show …)` is a pipe.
        if path.exists() {
            return Ok(Some(Named::file(path)));
        }
        if text.contains("://") {
            bail!("`{text}` is a URL: download the document, and name the file");
        }
        let in_git = text.split_once(':');
        in_git
            .map(|(revision, path)| in_revision(revision, path))
            .transpose()
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
    let is_folder = repository.is_folder(revision, &path).or_else(|reason| {
        // An empty revision is the index.
        if !revision.is_empty() {
            repository.check_revision(revision)?;
        }
        bail!("`{revision}:{}` is not in git: {reason}", path.display())
    })?;
    let place = Place::in_revision(repository, revision, path);
    if is_folder {
        Set::read(place).map(Named::Many)
    } else {
        Ok(Named::One(Source::Place(place)))
    }
}

fn no_file(text: &str) -> String {
    let help = if is_pattern(text) {
        ": patterns name no documents, so name their folder"
    } else {
        ""
    };
    format!("there is no file `{text}`{help}")
}

/// Whether a text is a pattern of a shell that was not replaced by names.
fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}
