//! Checks that the files are there which the settings name.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use spec_model::suggest;
use toml::Spanned;

use super::{Config, ConfigError};

/// The settings that name files, with their places.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedFiles {
    document: Option<Spanned<PathBuf>>,
    overlays: Vec<Spanned<PathBuf>>,
}

/// Checks that the files are there which the settings at `path`, with this text, name: the document and its overlays.
///
/// # Errors
/// One is not there.
pub(crate) fn check_files(path: &Path, text: &str) -> Result<(), ConfigError> {
    let root = path.parent().unwrap_or(Path::new(""));
    // Other errors have been reported.
    let named: NamedFiles = toml::from_str(text).unwrap_or_default();
    let document = match &named.document {
        Some(document) => (document.get_ref().clone(), document.span().start),
        None => (Config::default().document, 0),
    };
    let overlays = named.overlays.iter();
    let overlays = overlays.map(|it| (it.get_ref().clone(), it.span().start));
    let is_missing = |(file, _): &(PathBuf, usize)| !root.join(file).exists();
    let Some((file, offset)) = std::iter::once(document).chain(overlays).find(is_missing) else {
        return Ok(());
    };
    let shown = file.display();
    let help = match suggest_file(root, &file) {
        Some(other) => format!("did you mean `{}`?", other.display()),
        None => "write its path from the folder of this file".to_owned(),
    };
    let message = match &named.document {
        None if offset == 0 => {
            format!("there is no `{shown}`, and no `document` names another file: {help}")
        }
        _ => format!("there is no file `{shown}`: {help}"),
    };
    Err(ConfigError::new(path, text, offset, &message))
}

/// The file that was probably meant: the one with the most similar name in the folder, or the only document there.
fn suggest_file(root: &Path, file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|it| root.join(it).is_dir());
    let folder = folder.unwrap_or(Path::new(""));
    let entries = std::fs::read_dir(root.join(folder)).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_document = |name: &String| {
        [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let mut names: Vec<String> = names.filter(is_document).collect();
    names.sort();
    let written = file.file_name()?.to_str()?;
    let similar = suggest(written, names.iter().map(String::as_str)).map(str::to_owned);
    let only = names.first().filter(|_| names.len() == 1).cloned();
    similar.or(only).map(|name| folder.join(name))
}
