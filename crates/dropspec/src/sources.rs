//! What arguments name: a file, a document in a revision of git, at a URL or on standard input, or the documents of a folder.

mod folder;
mod place;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
pub use folder::Folder;
pub use place::{Place, Revision};

use crate::git::Repository;

/// Where a document is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// What a URL of HTTP answers.
    Url(String),
    /// A file, on disk or in a revision of git.
    Place(Place),
}

impl Source {
    /// A file on disk.
    pub fn on_disk(path: impl Into<PathBuf>) -> Source {
        Source::Place(Place::on_disk(path))
    }
}

/// The documents that an argument names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// One.
    Document(Source),
    /// All of a folder.
    Folder(Folder),
}

impl Selection {
    /// A file on disk.
    pub fn file(path: PathBuf) -> Selection {
        Selection::Document(Source::on_disk(path))
    }

    /// Finds what an argument names: a file, a folder, one of these in a revision (`REV:path`), a URL, or standard input (`-`).
    ///
    /// # Errors
    /// There is no such thing; the reason says what to write.
    pub fn find(text: &str) -> anyhow::Result<Selection> {
        let found = Selection::find_path(text)?;
        found.with_context(|| no_file(text))
    }

    /// Finds what the base of a comparison names. A revision alone is that of what the revision of the comparison names.
    ///
    /// # Errors
    /// There is no such thing; the reason says what to write.
    pub fn resolve_base(text: &str, revision: &Selection) -> anyhow::Result<Selection> {
        // To git, nothing is the index.
        if text.is_empty() {
            bail!("the base is empty: name a file or a revision");
        }
        match Selection::find_path(text)? {
            Some(selection) => Ok(selection),
            None if is_pattern(text) => bail!(no_file(text)),
            None => {
                // Other sources are in no revision.
                let place = revision.place().with_context(|| no_file(text))?.at(text)?;
                revision.at(text)?.with_context(|| {
                    let path = place.path.display();
                    format!("the revision `{text}` has no {path}: name one that has it, or the file of an older document")
                })
            }
        }
    }

    /// The same documents in another revision of git; `None` if it does not have them.
    ///
    /// # Errors
    /// There is no such revision, or the documents are in none.
    pub fn at(&self, revision: &str) -> anyhow::Result<Option<Selection>> {
        let place = self.place().context("what is no file is in no revision")?;
        let place = place.at(revision)?;
        if !place.exists() {
            return Ok(None);
        }
        Ok(Some(match self {
            Selection::Folder(_) => Selection::Folder(Folder::read(place)?),
            Selection::Document(_) => Selection::Document(Source::Place(place)),
        }))
    }

    /// The file or the folder.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Selection::Folder(folder) => Some(&folder.place),
            Selection::Document(Source::Place(place)) => Some(place),
            Selection::Document(Source::Stdin | Source::Url(_)) => None,
        }
    }

    /// The documents as a set, a single one by its path.
    #[must_use]
    pub fn into_set(self) -> Selection {
        match self {
            Selection::Document(Source::Place(place)) => {
                let name = place.path.display().to_string();
                let documents = BTreeMap::from([(name, Source::Place(place))]);
                Selection::Folder(Folder {
                    documents,
                    ..Folder::default()
                })
            }
            other => other,
        }
    }

    /// All documents.
    pub fn sources(&self) -> Box<dyn Iterator<Item = &Source> + '_> {
        match self {
            Selection::Document(source) => Box::new(std::iter::once(source)),
            Selection::Folder(folder) => Box::new(folder.documents.values()),
        }
    }

    /// The repository that the documents are in.
    ///
    /// # Errors
    /// They are in none.
    pub fn repository(&self) -> anyhow::Result<Repository> {
        let place = self.place();
        let place = place.context("what is no file is in no repository: name the base as well")?;
        place.repository().map_err(|reason| {
            anyhow!("there is no git repository to find the base in: name the base as well (git says: {reason})")
        })
    }

    fn find_path(text: &str) -> anyhow::Result<Option<Selection>> {
        let path = PathBuf::from(text);
        if text == "-" {
            return Ok(Some(Selection::Document(Source::Stdin)));
        }
        if path.is_dir() {
            return Ok(Some(Selection::Folder(Folder::read(Place::on_disk(path))?)));
        }
        // Not only regular files: `<(git show …)` is a pipe.
        if path.exists() {
            return Ok(Some(Selection::file(path)));
        }
        if ["https://", "http://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            return Ok(Some(Selection::Document(Source::Url(text.to_owned()))));
        }
        if text.contains("://") {
            bail!(
                "`{text}` is a URL of another scheme than http and https: download the document, and name the file"
            );
        }
        let in_git = text.split_once(':');
        let in_git = in_git.map(|(revision, path)| in_revision(revision, path));
        in_git.transpose()
    }
}

/// What `REV:path` names. As in git, the path starts at the top of the repository, or with `./` at the working directory.
fn in_revision(revision: &str, path: &str) -> anyhow::Result<Selection> {
    let repository = Repository::find(Path::new(".")).map_err(|reason| {
        anyhow!("`{revision}:{path}` is not a file, and this folder is in no git repository (git says: {reason})")
    })?;
    let from_here = path.starts_with("./") || path.starts_with("../");
    let path = if from_here {
        repository.path_of(Path::new(path))?
    } else {
        PathBuf::from(path)
    };
    let is_folder = repository.is_folder(revision, &path).or_else(|_| {
        // An empty revision is the index.
        if !revision.is_empty() {
            repository.check_revision(revision)?;
        }
        let path = path.display();
        bail!("`{revision}:{path}` is not in git (paths start at the top of the repository, or with `./` here)")
    })?;
    let place = Place::in_revision(repository, revision, path);
    if is_folder {
        Folder::read(place).map(Selection::Folder)
    } else {
        Ok(Selection::Document(Source::Place(place)))
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
