//! Formats generated files, compares them with those on disk, and writes them, all or none.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;
use spec_codegen::{FormatError, MARKER, rustfmt};

use crate::generate::Target;

/// A file that differs from what is generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Difference {
    /// The file does not exist.
    Missing { path: PathBuf, wanted: String },
    /// The file has another text.
    Stale {
        path: PathBuf,
        found: String,
        wanted: String,
    },
    /// The file was generated, and is no longer.
    Orphaned { path: PathBuf, found: String },
}

/// All files that differ.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences(Vec<Difference>);

/// The files that were written and removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) written: Vec<PathBuf>,
    pub(crate) removed: Vec<PathBuf>,
    pub(crate) unchanged: usize,
}

/// Formats the files that are Rust, as rustfmt does in the working directory.
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

/// Compares the files on disk with the generated ones.
///
/// # Errors
///
/// A file cannot be read.
pub(crate) fn check(targets: &[Target]) -> Result<Differences, String> {
    let mut differences = Vec::new();
    for target in targets {
        for file in &target.files {
            let path = target.directory.join(file.name);
            match read_if_there(&path)? {
                None => differences.push(Difference::Missing {
                    path,
                    wanted: file.content.clone(),
                }),
                Some(found) if found != file.content => {
                    differences.push(Difference::Stale {
                        path,
                        found,
                        wanted: file.content.clone(),
                    });
                }
                Some(_) => {}
            }
        }
        differences.extend(orphans(target)?);
    }
    Ok(Differences(differences))
}

/// Writes what differs. All new texts are on disk before the first file is replaced.
///
/// # Errors
///
/// A file cannot be read or written.
pub(crate) fn write(targets: &[Target]) -> Result<Report, String> {
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
    let mut report = Report {
        unchanged: all - staged.len(),
        ..Report::default()
    };
    for (temporary, path) in staged {
        fs::rename(&temporary, &path).map_err(|error| failed("write", &path, &error))?;
        report.written.push(path);
    }
    for difference in differences.0 {
        if let Difference::Orphaned { path, .. } = difference {
            fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))?;
            report.removed.push(path);
        }
    }
    Ok(report)
}

fn stage_all(
    targets: &[Target],
    differences: &Differences,
    staged: &mut Vec<(PathBuf, PathBuf)>,
) -> Result<(), String> {
    for target in targets {
        let directory = &target.directory;
        fs::create_dir_all(directory).map_err(|error| failed("create", directory, &error))?;
    }
    for difference in &differences.0 {
        let (Difference::Missing { path, wanted } | Difference::Stale { path, wanted, .. }) =
            difference
        else {
            continue;
        };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let temporary = path.with_file_name(name);
        staged.push((temporary.clone(), path.clone()));
        fs::write(&temporary, wanted).map_err(|error| failed("write", &temporary, &error))?;
    }
    Ok(())
}

/// Files that are marked as generated but are not among the generated ones.
fn orphans(target: &Target) -> Result<Vec<Difference>, String> {
    let entries = match fs::read_dir(&target.directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed("read", &target.directory, &error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| failed("read", &target.directory, &error))?
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
            orphans.push(Difference::Orphaned { path, found });
        }
    }
    Ok(orphans)
}

fn read_if_there(path: &Path) -> Result<Option<String>, String> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path, &error)),
    }
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {what} {}: {error}", path.display())
}

/// A path, relative to the working directory where possible.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}

impl Differences {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.0 {
            let (path, found, wanted, what) = match difference {
                Difference::Missing { path, wanted } => (path, "", wanted.as_str(), "is missing"),
                Difference::Stale {
                    path,
                    found,
                    wanted,
                } => (path, found.as_str(), wanted.as_str(), "is stale"),
                Difference::Orphaned { path, found } => {
                    (path, found.as_str(), "", "is no longer generated")
                }
            };
            let name = shown(path);
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.written {
            writeln!(f, "wrote   {}", shown(path))?;
        }
        for path in &self.removed {
            writeln!(f, "removed {}", shown(path))?;
        }
        if self.unchanged > 0 {
            writeln!(f, "{} files are unchanged", self.unchanged)?;
        }
        Ok(())
    }
}
