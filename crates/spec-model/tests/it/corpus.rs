//! Reads every document of the corpora beside the repository: no panic, and every error has a location in its file.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use spec_model::{Diagnostic, Document, Spec};

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
    let read = read_corpus("openapi");
    if read.is_empty() {
        return;
    }
    let refused = read.iter().filter_map(|(name, errors)| {
        let first = errors.first()?;
        Some(format!("{name}: {}", first.message))
    });
    let mut refused: Vec<String> = refused.collect();
    refused.sort();
    insta::assert_snapshot!(refused.join("\n"), @r"
    callback.json: the document has no `paths`
    jentic-transitapp-com.json: a request body needs `content`
    oapi-codegen-internal-test-references-external-x-go-name-qualification-spec-base.yaml: the `$ref` to `spec-ext.yaml#/components/responses/Outcome` refers to another document
    oas3-gen-crates-oas3-gen-fixtures-oas-3-1-2-pet-benchmark.json: the `$ref` to `Lizard.json#/components/schemas/Lizard` refers to another document
    openapi-ts-specs-3-1-x-external.yaml: the path `/external-model` has no `{id}`
    openapi-ts-specs-json-schema-ref-parser-sibling-schema-collision-root.json: the `$ref` to `sibling-schema-collision-wrapper.json#/components/schemas/MainSchema` refers to another document
    openapi-ts-specs-json-schema-ref-parser-sibling-schema-extended-root.json: the `$ref` to `sibling-schema-extended-wrapper.json#/components/schemas/Wrapper_Schema` refers to another document
    shipbob.json: `int` is not a type
    tripactions.yaml: `long` is not a type
    ");
}

#[test]
fn parses_documents_to_compare() {
    for path in corpus_files("contract-diff/data") {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(Document::parse("a", &text).is_ok(), "{}", path.display());
    }
    read_corpus("contract-diff/data");
}
