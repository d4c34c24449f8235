//! Sets of documents: those of a folder.

use std::collections::BTreeMap;
use std::path::Path;

use spec_model::Document;

use super::Place;

/// The ends of the names of documents in a folder.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// The documents of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// The documents by their paths from the folder.
    pub documents: BTreeMap<String, super::Source>,
    folder: Place,
}

impl Set {
    /// The documents of a folder.
    pub(super) fn read(folder: Place) -> anyhow::Result<Set> {
        let mut documents = BTreeMap::new();
        for path in folder.list()? {
            let name = path.to_string_lossy().into_owned();
            let file = folder.join(&path);
            if has_ending(&path) && is_document(&name, file.read()?) {
                documents.insert(name, super::Source::Place(file));
            }
        }
        Ok(Set { documents, folder })
    }

    /// The same set in another revision.
    pub(super) fn at(&self, revision: &str) -> anyhow::Result<Set> {
        Set::read(self.folder.at(revision)?)
    }

    pub(super) fn folder(&self) -> &Place {
        &self.folder
    }
}

fn has_ending(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    ENDINGS.contains(&&*ending)
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
