//! Reads the request body of `--json-body`.

use std::path::Path;
use std::{fs, io};

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

/// Reads a request body from a JSON file, or from standard input if the file is `-`.
///
/// # Errors
///
/// It cannot be read, or is not the JSON of the request body; with its name, and line and column of the mistake.
pub fn read_body<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let (name, text) = if file.as_os_str() == "-" {
        (
            "standard input".to_owned(),
            io::read_to_string(io::stdin().lock()),
        )
    } else {
        (file.display().to_string(), fs::read_to_string(file))
    };
    let text = text.with_context(|| format!("cannot read {name}"))?;
    serde_json::from_str(&text).with_context(|| format!("{name} is not a body of this request"))
}
