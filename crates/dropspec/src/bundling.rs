//! Puts an OpenAPI document of several files into one, and applies OpenAPI Overlays (1.0 and 1.1).
//!
//! Every value of the result has the position where it was written, whichever file that is. So all diagnostics about a
//! bundle name the file, line and column that a person edits.

mod bundle;
mod bundler;
mod components;
mod edit;
mod files;
mod identifiers;
mod overlay;
mod references;
mod target;

use std::path::{Path, PathBuf};

pub use bundle::bundle_with;
use dropspec_model::{Diagnostic, Document};
use serde_saphyr::SerializerOptions;

/// What to bundle.
#[derive(Debug, Clone, Copy)]
pub struct Input<'i> {
    /// The directory of the relative paths. Diagnostics name the files below it by their path from it.
    pub directory: &'i Path,
    /// What diagnostics put before the names of files; mostly nothing.
    pub prefix: &'i str,
    /// The document; or an overlay that names its document in `extends`.
    pub document: &'i Path,
    /// The overlays to apply, in this order.
    pub overlays: &'i [PathBuf],
}

/// A document in one file.
#[derive(Debug, Clone)]
pub struct Bundled {
    /// The document, with the positions where its values are written.
    pub document: Document,
    /// What is legal but probably not meant, such as an action of an overlay that changes nothing.
    pub warnings: Vec<Diagnostic>,
    /// All files that were read, the document first.
    pub files: Vec<PathBuf>,
    /// The text of the document, if no other file changes it.
    unchanged: Option<String>,
    is_json: bool,
}

impl Bundled {
    /// The text of the document: JSON if the document is, otherwise YAML. If no other file changes the document, this is
    /// its own text; otherwise it is printed anew, without comments.
    pub fn text(&self) -> String {
        match &self.unchanged {
            Some(text) => text.clone(),
            None if self.is_json => self.json(),
            None => self.yaml(),
        }
    }

    /// The text of the document as it is written, if no other file changes it.
    pub fn unchanged_text(&self) -> Option<&str> {
        self.unchanged.as_deref()
    }

    /// The text of the document, if other files change it.
    pub fn changed_text(&self) -> Option<String> {
        self.unchanged.is_none().then(|| self.text())
    }

    /// The document printed as JSON.
    pub fn json(&self) -> String {
        format!("{:#}\n", self.document.root().to_json())
    }

    /// The document printed as YAML.
    pub fn yaml(&self) -> String {
        to_yaml(&self.document.root().to_json())
    }
}

/// Bundles a document: takes in what its `$ref`s find in other files, and applies the overlays in their order. Relative
/// paths start at the working directory.
///
/// # Errors
/// A file cannot be read or parsed, a `$ref` to another file has no target, or an overlay is not valid or does not fit.
pub fn bundle(document: &Path, overlays: &[PathBuf]) -> Result<Bundled, Vec<Diagnostic>> {
    let input = Input {
        directory: Path::new(""),
        prefix: "",
        document,
        overlays,
    };
    bundle_with(input, &|path| std::fs::read(path))
}

/// Prints a value as YAML; keys keep their order.
pub fn to_yaml(value: &serde_json::Value) -> String {
    serde_saphyr::to_string_with_options(value, SerializerOptions::default()).unwrap_or_default()
}
