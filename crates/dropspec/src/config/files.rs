//! Checks that the files are there which the settings name.

use std::path::Path;

use dropspec_model::suggest;

use super::{Config, ConfigError};

/// Checks that the document and its overlays are there. The settings are those at `path`, with this text.
///
/// # Errors
/// One is not there.
pub(crate) fn check_files(path: &Path, text: &str, config: &Config) -> Result<(), ConfigError> {
    let root = path.parent().unwrap_or(Path::new(""));
    let mut files = std::iter::once(&config.document).chain(&config.overlays);
    let Some(file) = files.find(|file| !root.join(file).exists()) else {
        return Ok(());
    };
    let shown = file.display().to_string();
    // The only default among them is that of the document.
    let written = text.find(&format!("\"{shown}\""));
    let folder = file.parent().unwrap_or(Path::new(""));
    let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let paths: Vec<String> = names
        .map(|name| folder.join(name).display().to_string())
        .collect();
    let help = match suggest(&shown, paths.iter().map(String::as_str)) {
        Some(other) => format!("did you mean `{other}`?"),
        None => "write its path from the folder of this file".to_owned(),
    };
    let message = match written {
        Some(_) => format!("there is no file `{shown}`: {help}"),
        None => format!("there is no `{shown}`, and no `document` names another file: {help}"),
    };
    Err(ConfigError::new(path, text, written.unwrap_or(0), &message))
}
