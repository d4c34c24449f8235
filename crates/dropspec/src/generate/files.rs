//! Compares generated files with those on disk, and writes them, all or none.

mod differences;

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use spec_codegen::{GeneratedFile, MARKER};

pub(crate) use self::differences::Differences;
use self::differences::{Difference, shorten_path};

/// Which files `write` wrote and removed, and how many it left unchanged.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WriteReport {
    pub(crate) written: Vec<PathBuf>,
    pub(crate) removed: Vec<PathBuf>,
    pub(crate) unchanged: usize,
}

/// Whether a file may be written: it does not exist, or it was generated.
pub(crate) fn may_write(path: &Path) -> bool {
    fs::read_to_string(path).map_or(true, |text| text.starts_with(MARKER))
}

/// A directory, and the generated files that belong into it.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) directory: PathBuf,
    pub(crate) files: Vec<GeneratedFile>,
}

/// Compares the files on disk with the generated ones, without writing.
///
/// # Errors
///
/// A file cannot be read.
pub(crate) fn check(targets: &[Target]) -> anyhow::Result<Differences> {
    let mut differences = Vec::new();
    for target in targets {
        for file in &target.files {
            let path = target.directory.join(&file.name);
            let found = read_if_there(&path)?;
            if found.as_ref() != Some(&file.content) {
                differences.push(Difference {
                    path,
                    found,
                    wanted: Some(file.content.clone()),
                });
            }
        }
        differences.extend(find_orphans(target)?);
    }
    Ok(Differences(differences))
}

/// Writes the files that differ. All new texts are on disk before the first file is replaced.
///
/// # Errors
///
/// A file cannot be read or written, or a file that was not generated is in the way.
pub(crate) fn write(targets: &[Target]) -> anyhow::Result<WriteReport> {
    let differences = check(targets)?;
    differences.check_overwritten()?;
    let all: usize = targets.iter().map(|target| target.files.len()).sum();
    let mut staged = Vec::new();
    let staging = stage_all(targets, &differences, &mut staged);
    if let Err(error) = staging {
        for (temporary, _) in &staged {
            // The first error is the one to report.
            let _ = fs::remove_file(temporary);
        }
        return Err(error);
    }
    let mut report = WriteReport {
        unchanged: all - staged.len(),
        ..WriteReport::default()
    };
    report.written = replace_all(staged, |from, to| fs::rename(from, to))?;
    for Difference { path, .. } in differences.0.into_iter().filter(Difference::is_orphaned) {
        fs::remove_file(&path).with_context(|| describe_failure("remove", &path))?;
        // The folder of a module that is a single file again. One with other files stays.
        if let Some(folder) = path.parent()
            && targets.iter().all(|target| target.directory != folder)
        {
            let _ = fs::remove_dir(folder);
        }
        report.removed.push(path);
    }
    Ok(report)
}

/// Renames all temporary files to the files that they replace.
///
/// # Errors
///
/// A file cannot be replaced. Then the rest stays as it was, and the error lists both.
fn replace_all(
    staged: Vec<(PathBuf, PathBuf)>,
    rename: impl Fn(&Path, &Path) -> std::io::Result<()>,
) -> anyhow::Result<Vec<PathBuf>> {
    let paths = |files: &[(PathBuf, PathBuf)]| -> Vec<PathBuf> {
        files.iter().map(|(_, path)| path.clone()).collect()
    };
    for (index, (temporary, path)) in staged.iter().enumerate() {
        let Err(error) = rename(temporary, path) else {
            continue;
        };
        let (replaced, kept) = staged.split_at(index);
        for (temporary, _) in kept {
            // The first error is the one to report.
            let _ = fs::remove_file(temporary);
        }
        let list = |files: &[(PathBuf, PathBuf)]| {
            let names: Vec<String> = paths(files).iter().map(|path| shorten_path(path)).collect();
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        };
        let failure = describe_failure("replace", path);
        return Err(anyhow::Error::new(error).context(format!(
            "{failure} (already replaced: {}; unchanged: {}; generate again once the cause is gone)",
            list(replaced),
            list(kept)
        )));
    }
    Ok(paths(&staged))
}

fn stage_all(
    targets: &[Target],
    differences: &Differences,
    staged: &mut Vec<(PathBuf, PathBuf)>,
) -> anyhow::Result<()> {
    for target in targets {
        let directory = &target.directory;
        fs::create_dir_all(directory).with_context(|| describe_failure("create", directory))?;
    }
    for difference in &differences.0 {
        let Difference {
            path,
            wanted: Some(wanted),
            ..
        } = difference
        else {
            continue;
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| describe_failure("create", folder))?;
        }
        let temporary = path.with_added_extension("new");
        staged.push((temporary.clone(), path.clone()));
        fs::write(&temporary, wanted).with_context(|| describe_failure("write", &temporary))?;
    }
    Ok(())
}

/// Finds files that are marked as generated but are no longer generated.
fn find_orphans(target: &Target) -> anyhow::Result<Vec<Difference>> {
    let files = target.files.iter();
    let known: HashSet<PathBuf> = files
        .map(|file| target.directory.join(&file.name))
        .collect();
    let mut paths = Vec::new();
    list_rust_files(&target.directory, &mut paths)?;
    paths.retain(|path| !known.contains(path));
    paths.sort();
    let mut orphans = Vec::new();
    for path in paths {
        if let Some(found) = read_if_there(&path)?.filter(|text| text.starts_with(MARKER)) {
            orphans.push(Difference {
                path,
                found: Some(found),
                wanted: None,
            });
        }
    }
    Ok(orphans)
}

/// Lists the files of Rust in a directory, and those of their modules in the folders beside them.
fn list_rust_files(directory: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| describe_failure("read", directory)),
    };
    for entry in entries {
        let path = entry
            .with_context(|| describe_failure("read", directory))?
            .path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let folder = path.with_extension("");
            if folder.is_dir() {
                list_rust_files(&folder, paths)?;
            }
            paths.push(path);
        }
    }
    Ok(())
}

fn read_if_there(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| describe_failure("read", path)),
    }
}

pub(super) fn describe_failure(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", path.display())
}

impl WriteReport {
    /// Whether nothing was written or removed.
    pub(crate) fn is_empty(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty()
    }
}

impl fmt::Display for WriteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.written {
            writeln!(f, "wrote   {}", shorten_path(path))?;
        }
        for path in &self.removed {
            writeln!(f, "removed {}", shorten_path(path))?;
        }
        if self.unchanged > 0 {
            writeln!(f, "{} files are unchanged", self.unchanged)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
