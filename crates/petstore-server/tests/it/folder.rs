//! What is in a folder, to show that it was left alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every file of a folder with its bytes; a folder in it counts as empty.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let is_file = entry.file_type().unwrap().is_file();
        let bytes = is_file.then(|| fs::read(entry.path()).unwrap());
        files.insert(name, bytes.unwrap_or_default());
    }
    files
}

/// The names of the files of a folder.
pub fn names(folder: &Path) -> Vec<String> {
    contents(folder).into_keys().collect()
}
