//! A file or a folder, on disk or in a revision of git.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::git::Repository;

/// A file or a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The path; in a revision from the top of the repository.
    pub(crate) path: PathBuf,
    /// The revision; `None` on disk.
    pub(crate) revision: Option<Revision>,
}

/// A revision of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    pub(crate) repository: Repository,
    /// The name of the revision; empty for the index.
    pub(crate) name: String,
}

impl Place {
    /// A place on disk.
    pub fn on_disk(path: impl Into<PathBuf>) -> Place {
        Place {
            path: path.into(),
            revision: None,
        }
    }

    /// The repository that it belongs to.
    ///
    /// # Errors
    /// There is none; the reason is that of git.
    pub(super) fn repository(&self) -> Result<Repository, String> {
        match &self.revision {
            Some(revision) => Ok(revision.repository.clone()),
            None if self.path.is_dir() => Repository::find(&self.path),
            None => Repository::find(self.path.parent().unwrap_or(&self.path)),
        }
    }

    /// The same place in another revision, which need not have it.
    pub(super) fn at(&self, name: &str) -> anyhow::Result<Place> {
        let repository = self.repository().map_err(|reason| {
            if reason.contains("not a git repository") {
                anyhow!(
                    "the base `{name}` is not a file, and no revision, since this folder is in no git repository: name the file of \
                     an older document"
                )
            } else {
                anyhow!("the base `{name}` is not a file, and git cannot look for it: {reason}")
            }
        })?;
        repository.check_revision(name)?;
        let path = match &self.revision {
            Some(_) => self.path.clone(),
            None => repository.path_of(&self.path)?,
        };
        Ok(Place::in_revision(repository, name, path))
    }

    /// Whether it is there.
    pub(super) fn exists(&self) -> bool {
        match &self.revision {
            Some(Revision { repository, name }) => repository.has_path(name, &self.path),
            None => self.path.exists(),
        }
    }

    pub(super) fn in_revision(repository: Repository, name: &str, path: PathBuf) -> Place {
        let name = name.to_owned();
        Place {
            path,
            revision: Some(Revision { repository, name }),
        }
    }

    /// A place below a folder.
    pub(super) fn join(&self, path: &Path) -> Place {
        Place {
            path: self.path.join(path),
            revision: self.revision.clone(),
        }
    }

    pub(super) fn read(&self) -> anyhow::Result<Vec<u8>> {
        match &self.revision {
            None => fs::read(&self.path).map_err(|error| anyhow!(error)),
            Some(revision) => revision.show(&self.path).map_err(|reason| anyhow!(reason)),
        }
        .with_context(|| format!("{} cannot be read", self.path.display()))
    }

    /// The files below the folder, by their paths from it. Hidden ones and dependencies are left out.
    pub(super) fn list(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        match &self.revision {
            None => list_below(&self.path, Path::new(""), &mut files)?,
            Some(Revision { repository, name }) => {
                let listed = repository.list(name, &self.path);
                files = listed.map_err(|reason| {
                    let path = self.path.display();
                    anyhow!("the folder `{path}` is not in `{name}`: {reason}")
                })?;
                files.retain(|path| !path.iter().any(|name| is_skipped(&name.to_string_lossy())));
            }
        }
        Ok(files)
    }
}

impl Revision {
    /// The content of a file.
    ///
    /// # Errors
    /// The revision does not have it.
    pub(crate) fn show(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.repository.show(&self.name, path)
    }
}

fn list_below(folder: &Path, path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let directory = folder.join(path);
    let unreadable = || format!("{} cannot be read", directory.display());
    for entry in fs::read_dir(&directory).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let name = entry.file_name();
        if is_skipped(&name.to_string_lossy()) {
            continue;
        }
        let path = path.join(name);
        // A link to a folder could lead in a circle.
        if entry.file_type().with_context(unreadable)?.is_dir() {
            list_below(folder, &path, files)?;
        } else if folder.join(&path).is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}
