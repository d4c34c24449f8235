//! Files in memory, and their bundle.
#![allow(clippy::unwrap_used)]

use std::io;
use std::path::{Path, PathBuf};

use dropspec::bundling::{Bundled, Input, bundle_with};
use dropspec_model::Diagnostic;
use serde_json::Value;

/// Bundles the first file with the files whose names contain `overlay`.
pub fn bundle(files: &[(&str, &str)]) -> Result<Bundled, Vec<Diagnostic>> {
    let names = files.iter().skip(1).map(|(name, _)| PathBuf::from(name));
    let overlays: Vec<PathBuf> = names
        .filter(|name| {
            name.file_stem()
                .is_some_and(|stem| stem.to_string_lossy().contains("overlay"))
        })
        .collect();
    let input = Input {
        directory: Path::new("/d"),
        prefix: "",
        document: Path::new(files[0].0),
        overlays: &overlays,
    };
    bundle_with(input, &|path| {
        let mut files = files.iter();
        let found = files.find(|(name, _)| Path::new("/d").join(name) == path);
        let text = found.map(|(_, text)| text.as_bytes().to_vec());
        text.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    })
}

pub fn json(bundled: &Bundled) -> Value {
    bundled.document.root().to_json()
}

pub fn lines(diagnostics: &[Diagnostic]) -> String {
    let lines: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The warnings of a bundle.
pub fn warnings(files: &[(&str, &str)]) -> String {
    lines(&bundle(files).map_err(|e| lines(&e)).unwrap().warnings)
}

/// The errors of what cannot be bundled.
pub fn errors(files: &[(&str, &str)]) -> String {
    lines(&bundle(files).unwrap_err())
}
