//! Reads every document of the corpora beside the repository: no panic, and every error has a location in its file.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use spec_model::{Diagnostic, Document, Spec};

/// Documents of `openapi` that are invalid, and their first error.
const INVALID: [(&str, &str); 3] = [
    ("callback.json", "the document has no `paths`"),
    ("shipbob.json", "`int` is not a type of OpenAPI 3.0"),
    ("tripactions.yaml", "`long` is not a type of OpenAPI 3.0"),
];

/// The documents of a corpus. The corpora are third-party data and not part of the repository.
fn corpus_files(corpus: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !root.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return Vec::new();
    }
    let mut files = Vec::new();
    let mut folders = vec![root.join(corpus)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(extension, Some("yaml" | "yml" | "json")) {
                files.push(path);
            }
        }
    }
    files
}

/// Reads the documents of a corpus, and returns the name and the errors of each.
fn read_corpus(corpus: &str) -> Vec<(String, Vec<Diagnostic>)> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let errors = Spec::parse(name, &text).err().unwrap_or_default();
        for error in &errors {
            assert_is_in_file(error, &text);
        }
        (name.to_owned(), errors)
    };
    corpus_files(corpus).into_iter().map(read).collect()
}

fn assert_is_in_file(error: &Diagnostic, text: &str) {
    let line = text.lines().nth(error.location.line as usize - 1);
    let columns = line.unwrap_or_default().chars().count() + 1;
    let column = error.location.column as usize;
    assert!((1..=columns).contains(&column), "{error}");
}

#[test]
fn reads_documents_of_real_services_except_invalid_ones() {
    for (name, errors) in read_corpus("openapi") {
        let expected = INVALID.iter().find(|(invalid, _)| *invalid == name);
        let first = errors.first().map(|error| error.message.as_str());
        // Documents of later versions are refused as such.
        if first.is_some_and(|message| message.ends_with("is not supported, only 3.0")) {
            continue;
        }
        assert_eq!(first, expected.map(|(_, message)| *message), "{name}");
    }
}

#[test]
fn parses_documents_to_compare() {
    for path in corpus_files("contract-diff/data") {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(Document::parse("a", &text).is_ok(), "{}", path.display());
    }
    read_corpus("contract-diff/data");
}
