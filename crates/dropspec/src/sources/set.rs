//! Sets of documents: those of a folder, and those that match a pattern.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use spec_model::{Document, matches_pattern};

use super::{InRevision, Source};
use crate::git::{Reason, Repository};

/// The ends of the names of documents in a folder.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// The documents of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// The documents by their paths from the folder.
    pub documents: BTreeMap<String, Source>,
    folder: Folder,
    /// The pattern of the paths from the folder. Without one, every document belongs to the set.
    pattern: Option<String>,
}

/// A folder on disk or in a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Folder {
    Disk(PathBuf),
    Revision(InRevision),
}

/// Whether an argument is a pattern.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

impl Set {
    pub(super) fn of_folder(folder: PathBuf) -> anyhow::Result<Set> {
        Set::read(Folder::Disk(folder), None)
    }

    pub(super) fn of_pattern(text: &str) -> anyhow::Result<Set> {
        let (folder, pattern) = split(text);
        if !folder.is_dir() {
            bail!(
                "there is no folder `{}` for the pattern `{text}`",
                folder.display()
            );
        }
        Set::read(Folder::Disk(folder), Some(pattern))
    }

    pub(super) fn of_folder_in(
        repository: &Repository,
        revision: &str,
        folder: &Path,
    ) -> anyhow::Result<Set> {
        Set::read(in_revision(repository, revision, folder), None)
    }

    pub(super) fn of_pattern_in(
        repository: &Repository,
        revision: &str,
        text: &str,
    ) -> anyhow::Result<Set> {
        let (folder, pattern) = split(text);
        let folder = if folder == Path::new(".") {
            PathBuf::new()
        } else {
            folder
        };
        Set::read(in_revision(repository, revision, &folder), Some(pattern))
    }

    /// The same set in another revision.
    pub(super) fn at(&self, revision: &str) -> anyhow::Result<Set> {
        let repository = self.repository();
        let repository = repository.map_err(|reason| {
            anyhow!("the base `{revision}` is not a folder, and no revision: {reason}")
        })?;
        repository.check_revision(revision)?;
        let folder = match &self.folder {
            Folder::Disk(folder) => repository.path_of(folder)?,
            Folder::Revision(it) => it.path.clone(),
        };
        let folder = in_revision(&repository, revision, &folder);
        Set::read(folder, self.pattern.clone())
    }

    pub(super) fn repository(&self) -> Result<Repository, Reason> {
        match &self.folder {
            Folder::Disk(folder) => Repository::find(folder),
            Folder::Revision(it) => Ok(it.repository.clone()),
        }
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    fn read(folder: Folder, pattern: Option<String>) -> anyhow::Result<Set> {
        let mut documents = BTreeMap::new();
        for path in folder.list()? {
            let name = path.to_string_lossy().into_owned();
            let is_named = match &pattern {
                Some(pattern) => matches_pattern(pattern, &name),
                None => has_ending(&path),
            };
            // What a pattern names is a document, or part of one.
            if is_named && is_document(&name, folder.read(&path)?) {
                documents.insert(name, folder.source(&path));
            }
        }
        Ok(Set {
            documents,
            folder,
            pattern,
        })
    }
}

impl Folder {
    /// The files below the folder, by their paths from it. Hidden ones and dependencies are left out.
    fn list(&self) -> anyhow::Result<Vec<PathBuf>> {
        let files = match self {
            Folder::Disk(folder) => {
                let mut files = Vec::new();
                list_below(folder, Path::new(""), &mut files)?;
                files
            }
            Folder::Revision(it) => it
                .repository
                .list(&it.revision, &it.path)
                .map_err(|reason| {
                    let (revision, path) = (&it.revision, it.path.display());
                    anyhow!("the folder `{path}` is not in `{revision}`: {reason}")
                })?
                .iter()
                .filter_map(|path| Some(path.strip_prefix(&it.path).ok()?.to_owned()))
                .collect(),
        };
        let is_hidden = |path: &PathBuf| path.iter().any(|name| is_hidden(&name.to_string_lossy()));
        Ok(files.into_iter().filter(|path| !is_hidden(path)).collect())
    }

    fn read(&self, path: &Path) -> anyhow::Result<Vec<u8>> {
        match self {
            Folder::Disk(folder) => {
                let path = folder.join(path);
                std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))
            }
            Folder::Revision(it) => {
                let path = it.path.join(path);
                let shown = it.repository.show(&it.revision, &path);
                shown.map_err(|reason| {
                    anyhow!(
                        "{}:{} cannot be read: {reason}",
                        it.revision,
                        path.display()
                    )
                })
            }
        }
    }

    fn source(&self, path: &Path) -> Source {
        match self {
            Folder::Disk(folder) => Source::File(folder.join(path)),
            Folder::Revision(it) => Source::Revision(InRevision {
                path: it.path.join(path),
                ..it.clone()
            }),
        }
    }
}

fn in_revision(repository: &Repository, revision: &str, folder: &Path) -> Folder {
    Folder::Revision(InRevision {
        repository: repository.clone(),
        revision: revision.to_owned(),
        path: folder.to_owned(),
    })
}

/// Splits a pattern into the folder before its first wildcard, and the rest.
fn split(text: &str) -> (PathBuf, String) {
    let first = text.find(['*', '?']).unwrap_or(text.len());
    match text[..first].rfind('/') {
        Some(0) => (PathBuf::from("/"), text[1..].to_owned()),
        Some(end) => (PathBuf::from(&text[..end]), text[end + 1..].to_owned()),
        None => (PathBuf::from("."), text.to_owned()),
    }
}

fn list_below(folder: &Path, path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let directory = folder.join(path);
    let unreadable = || format!("{} cannot be read", directory.display());
    for entry in std::fs::read_dir(&directory).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let name = entry.file_name();
        let kind = entry.file_type().with_context(unreadable)?;
        if is_hidden(&name.to_string_lossy()) {
            continue;
        }
        let path = path.join(name);
        // A link to a folder could lead in a circle.
        match kind.is_dir() {
            true => list_below(folder, &path, files)?,
            false if folder.join(&path).is_file() => files.push(path),
            false => {}
        }
    }
    Ok(())
}

fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}

fn has_ending(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    ENDINGS.contains(&&*ending)
}

/// Whether a file is a document, and not a part of one or of something else. One that looks like a document and cannot be
/// parsed is one: whoever reads it says what is wrong.
fn is_document(name: &str, bytes: Vec<u8>) -> bool {
    let text = String::from_utf8_lossy(&bytes);
    if !text.contains("openapi") && !text.contains("swagger") {
        return false;
    }
    match Document::parse(name, &text) {
        Ok(document) => ["openapi", "swagger"]
            .iter()
            .any(|key| document.root().get(key).is_some()),
        Err(_) => text.lines().any(|line| {
            let line = line.trim_start_matches(['{', ' ', '"', '\u{feff}']);
            line.starts_with("openapi") || line.starts_with("swagger")
        }),
    }
}
