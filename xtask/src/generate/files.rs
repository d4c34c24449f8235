//! Formats generated files, compares them with those on disk, and writes them, all or none.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
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
pub(crate) fn format(targets: &mut [Target]) -> Result<(), FormatError> {
    for file in targets.iter_mut().flat_map(|target| &mut target.files) {
        if file.name.ends_with(".rs") {
            file.content = rustfmt(&file.content)?;
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
/// A file cannot be read or written.
pub(crate) fn write(targets: &[Target]) -> anyhow::Result<WriteReport> {
    let differences = check(targets)?;
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
    for (temporary, path) in staged {
        fs::rename(&temporary, &path).with_context(|| describe_failure("write", &path))?;
        report.written.push(path);
    }
    for Difference { path, .. } in differences.0.into_iter().filter(Difference::is_orphaned) {
        fs::remove_file(&path).with_context(|| describe_failure("remove", &path))?;
        report.removed.push(path);
    }
    Ok(report)
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
    fn is_orphaned(&self) -> bool {
        self.wanted.is_none()
    }
}

impl Differences {
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
