//! Formats generated files, compares them with those on disk, and writes them, all or none.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use similar::TextDiff;
use spec_codegen::{FormatError, MARKER, rustfmt};

use crate::generate::Target;

/// A file whose text on disk differs from the generated text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    path: PathBuf,
    /// The text on disk; `None` if the file does not exist.
    found: Option<String>,
    /// The generated text; `None` if the file is no longer generated.
    wanted: Option<String>,
}

/// All files on disk that differ from the generated ones.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences(Vec<Difference>);

/// Which files `write` wrote and removed, and how many it left unchanged.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WriteReport {
    pub(crate) written: Vec<PathBuf>,
    pub(crate) removed: Vec<PathBuf>,
    pub(crate) unchanged: usize,
}

/// Formats the generated Rust files with rustfmt, by its settings in the working directory.
///
/// # Errors
///
/// rustfmt cannot be run, or rejects a file.
pub(crate) fn format(targets: &mut [Target]) -> anyhow::Result<()> {
    for target in targets {
        for file in &mut target.files {
            if !file.name.ends_with(".rs") {
                continue;
            }
            let path = target.directory.join(file.name);
            file.content = rustfmt(&file.content).map_err(|error| match error {
                FormatError::Missing(_) => error.into(),
                _ => anyhow::Error::new(error).context(describe_failure("format", &path)),
            })?;
        }
    }
    Ok(())
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
            let path = target.directory.join(file.name);
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
            match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
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
        let temporary = path.with_added_extension("new");
        staged.push((temporary.clone(), path.clone()));
        fs::write(&temporary, wanted).with_context(|| describe_failure("write", &temporary))?;
    }
    Ok(())
}

/// Finds files that are marked as generated but are no longer generated.
fn find_orphans(target: &Target) -> anyhow::Result<Vec<Difference>> {
    let entries = match fs::read_dir(&target.directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| describe_failure("read", &target.directory));
        }
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry
            .with_context(|| describe_failure("read", &target.directory))?
            .path();
        let known = target.files.iter().any(|file| path.ends_with(file.name));
        if !known && path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
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

fn read_if_there(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| describe_failure("read", path)),
    }
}

fn describe_failure(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", path.display())
}

/// A path for output, relative to the working directory where possible.
fn shorten_path(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}

impl Difference {
    /// Whether the file on disk lacks the mark of a generated file. Only Rust files have it; another file counts as
    /// generated if it lies beside a marked one.
    fn was_written_by_hand(&self) -> bool {
        let Some(found) = &self.found else {
            return false;
        };
        let is_rust = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
        if is_rust(&self.path) {
            return !found.starts_with(MARKER);
        }
        if found.contains(super::COMMAND) {
            return false;
        }
        let siblings = self
            .path
            .parent()
            .and_then(|parent| fs::read_dir(parent).ok());
        let mut siblings = siblings.into_iter().flatten().flatten();
        !siblings.any(|entry| {
            is_rust(&entry.path())
                && fs::read_to_string(entry.path()).is_ok_and(|text| text.starts_with(MARKER))
        })
    }

    fn is_orphaned(&self) -> bool {
        self.wanted.is_none()
    }
}

impl Differences {
    /// Fails if a file would be overwritten that was not generated.
    fn check_overwritten(&self) -> anyhow::Result<()> {
        let by_hand: Vec<String> = self
            .0
            .iter()
            .filter(|difference| difference.was_written_by_hand())
            .map(|difference| shorten_path(&difference.path))
            .collect();
        match by_hand.is_empty() {
            true => Ok(()),
            false => bail!(
                "nothing was written: these files were not generated and would be overwritten; move them away, or \
                 generate into another directory: {}",
                by_hand.join(", ")
            ),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.0 {
            let what = match (&difference.found, &difference.wanted) {
                (None, _) => "is missing",
                (Some(_), Some(_)) => "is stale",
                (Some(_), None) => "is no longer generated",
            };
            let name = shorten_path(&difference.path);
            let found = difference.found.as_deref().unwrap_or_default();
            let wanted = difference.wanted.as_deref().unwrap_or_default();
            writeln!(f, "{name} {what}")?;
            let diff = TextDiff::from_lines(found, wanted);
            writeln!(
                f,
                "{}",
                diff.unified_diff()
                    .context_radius(3)
                    .header(&name, "as generated")
            )?;
        }
        Ok(())
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
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn failed_rename_names_replaced_and_unchanged_files_and_removes_temporary_ones() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let staged =
            ["a.rs", "b.rs", "c.rs"].map(|name| (path(&format!("{name}.new")), path(name)));
        for (temporary, path) in &staged {
            fs::write(temporary, "new").unwrap();
            fs::write(path, "old").unwrap();
        }
        let rename = |from: &Path, to: &Path| match to.ends_with("b.rs") {
            true => Err(std::io::ErrorKind::StorageFull.into()),
            false => fs::rename(from, to),
        };

        let error = replace_all(staged.to_vec(), rename)
            .unwrap_err()
            .to_string();

        let expected = format!(
            "cannot replace {b} (already replaced: {a}; unchanged: {b}, {c}; generate again once the cause is gone)",
            a = path("a.rs").display(),
            b = path("b.rs").display(),
            c = path("c.rs").display(),
        );
        assert_eq!(error, expected);
        let text = |name| fs::read_to_string(path(name)).unwrap();
        assert_eq!(
            [text("a.rs"), text("b.rs"), text("c.rs")],
            ["new", "old", "old"]
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }
}
