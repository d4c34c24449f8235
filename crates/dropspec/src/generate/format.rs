//! Formats generated files, all at once: rustfmt takes longer to begin than to format a file.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use spec_codegen::{FormatError, rustfmt, rustfmt_files};

use crate::generate::Target;
use crate::generate::files::describe_failure;

/// The list of the modules of a crate. rustfmt would follow it to all files.
const LIBRARY: &str = "lib.rs";

/// Formats the generated Rust files with rustfmt, by its settings in the working directory.
///
/// # Errors
///
/// rustfmt cannot be run, or rejects a file.
pub(crate) fn format(targets: &mut [Target]) -> anyhow::Result<()> {
    for target in targets {
        if format_together(target).is_ok() {
            continue;
        }
        // One by one, so that the error names the file.
        for file in target
            .files
            .iter_mut()
            .filter(|file| file.name.ends_with(".rs"))
        {
            let formatted = rustfmt(&file.content).map_err(|error| match error {
                FormatError::NotRun { .. } => error.into(),
                _ => {
                    let path = target.directory.join(&file.name);
                    anyhow::Error::new(error).context(describe_failure("format", &path))
                }
            });
            file.content = formatted?;
        }
    }
    Ok(())
}

/// Formats the files of a target in a temporary folder.
fn format_together(target: &mut Target) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let files = target.files.iter_mut();
    let files: Vec<_> = files.filter(|file| file.name.ends_with(".rs")).collect();
    // The size of each file that declares modules, with its modules.
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.name != LIBRARY) {
        let path = folder.path().join(&file.name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, &file.content)?;
        let top = file.name.split(['/', '.']).next().unwrap_or_default();
        *sizes.entry(top).or_default() += file.content.len();
    }
    format_modules(folder.path(), sizes)?;
    for file in files {
        file.content = if file.name == LIBRARY {
            rustfmt(&file.content)?
        } else {
            fs::read_to_string(folder.path().join(&file.name))?
        };
    }
    Ok(())
}

/// Formats files and their modules in place, by one process for each processor. Each has a size.
fn format_modules(folder: &Path, sizes: BTreeMap<&str, usize>) -> Result<(), FormatError> {
    let mut sizes: Vec<_> = sizes.into_iter().collect();
    sizes.sort_by_key(|(_, size)| Reverse(*size));
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let mut shares: Vec<(usize, Vec<PathBuf>)> = vec![(0, Vec::new()); processors];
    for (name, size) in sizes {
        if let Some((sum, files)) = shares.iter_mut().min_by_key(|(sum, _)| *sum) {
            *sum += size;
            files.push(folder.join(format!("{name}.rs")));
        }
    }
    thread::scope(|scope| {
        let shares = shares.iter().filter(|(_, files)| !files.is_empty());
        let threads = shares.map(|(_, files)| scope.spawn(|| rustfmt_files(files)));
        let threads: Vec<_> = threads.collect();
        let mut results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.try_for_each(|result| result)
    })
}
