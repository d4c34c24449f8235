//! Formats generated files, all at once: rustfmt takes longer to begin than to format a file.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use dropspec_codegen::{rustfmt, rustfmt_files};

use crate::generate::Target;

/// The list of the modules of a crate. rustfmt would follow it to all files.
const LIBRARY: &str = "lib.rs";

/// Formats the generated Rust files with rustfmt, by its settings in the working directory, in a temporary folder.
///
/// # Errors
///
/// rustfmt cannot be run, or rejects a file.
pub(crate) fn format(targets: &mut [Target]) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |target: usize, name: &str| folder.path().join(target.to_string()).join(name);
    let mut tops: Vec<PathBuf> = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        for file in target.files.iter().filter(|it| it.name.ends_with(".rs")) {
            let path = path(index, &file.name);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(&path, &file.content)?;
            // rustfmt formats the modules that a file declares.
            if file.name != LIBRARY && !file.name.contains('/') {
                tops.push(path);
            }
        }
    }
    rustfmt_files(&tops)?;
    for (index, target) in targets.iter_mut().enumerate() {
        for file in target
            .files
            .iter_mut()
            .filter(|it| it.name.ends_with(".rs"))
        {
            file.content = if file.name == LIBRARY {
                rustfmt(&file.content)?
            } else {
                let path = path(index, &file.name);
                fs::read_to_string(&path).with_context(|| path.display().to_string())?
            };
        }
    }
    Ok(())
}
