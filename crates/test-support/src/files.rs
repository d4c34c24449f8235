//! The files of a directory, to check that a command left them alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every file of a directory by name, with its bytes. A directory in it has no bytes.
pub fn read_files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let is_file = entry.file_type().unwrap().is_file();
        let bytes = is_file.then(|| fs::read(entry.path()).unwrap());
        files.insert(name, bytes.unwrap_or_default());
    }
    files
}

/// The names of the files of a directory.
pub fn file_names(directory: &Path) -> Vec<String> {
    read_files(directory).into_keys().collect()
}
