//! The documents of a folder.

use std::collections::BTreeMap;
use std::path::Path;

use dropspec_model::Document;

use super::Place;

/// The extensions of the files of a folder that may be documents.
const DOCUMENT_EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The documents of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    /// The documents by their paths from the folder.
    pub documents: BTreeMap<String, super::Source>,
    pub(super) place: Place,
}

impl Folder {
    /// The documents of a folder.
    pub(super) fn read(place: Place) -> anyhow::Result<Folder> {
        let mut documents = BTreeMap::new();
        for path in place.list()? {
            let name = path.to_string_lossy().into_owned();
            let file = place.join(&path);
            if has_document_extension(&path) && is_document(&name, file.read()?) {
                documents.insert(name, super::Source::Place(file));
            }
        }
        Ok(Folder { documents, place })
    }
}

fn has_document_extension(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    DOCUMENT_EXTENSIONS.contains(&&*extension)
}

/// Whether a file is a document, and not a part of one or of something else. One that looks like a document and cannot be
/// parsed is one: whoever reads it says what is wrong.
fn is_document(name: &str, bytes: Vec<u8>) -> bool {
    let text = String::from_utf8_lossy(&bytes);
    let keys = ["openapi", "swagger"];
    if !keys.iter().any(|key| text.contains(key)) {
        return false;
    }
    match Document::parse(name, &text) {
        Ok(document) => keys.iter().any(|key| document.root().get(key).is_some()),
        Err(_) => text.lines().any(|line| {
            let line = line.trim_start_matches(['{', ' ', '"', '\u{feff}']);
            keys.iter().any(|key| line.starts_with(key))
        }),
    }
}
