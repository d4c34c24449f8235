//! Reads every document of the corpora beside the repository: no panic, and every error has a location in its file.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use dropspec_model::{Diagnostic, Spec};

/// Reads the documents of a folder, and returns the name and the errors of each. The corpora are third-party data and not part
/// of the repository.
fn read_folder(folder: &Path, read: &mut Vec<(String, Vec<Diagnostic>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            read_folder(&path, read);
        } else if [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            let text = std::fs::read_to_string(&path).unwrap();
            let errors = Spec::parse(&name, &text).err().unwrap_or_default();
            errors
                .iter()
                .for_each(|error| assert_is_in_file(error, &text));
            read.push((name, errors));
        }
    }
}

fn assert_is_in_file(error: &Diagnostic, text: &str) {
    let line = text.lines().nth(error.location.line as usize - 1);
    let columns = line.unwrap_or_default().chars().count() + 1;
    let column = error.location.column as usize;
    assert!((1..=columns).contains(&column), "{error}");
}

#[test]
fn reads_documents_of_real_services_except_invalid_ones() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return;
    }
    let mut read = Vec::new();
    read_folder(&corpus, &mut read);
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
    ogen--testdata-positive-additional-operations.yaml: `link` is not another method of HTTP
    openapi-ts-specs-3-1-x-external.yaml: the path `/external-model` has no `{id}`
    openapi-ts-specs-json-schema-ref-parser-sibling-schema-collision-root.json: the `$ref` to `sibling-schema-collision-wrapper.json#/components/schemas/MainSchema` refers to another document
    openapi-ts-specs-json-schema-ref-parser-sibling-schema-extended-root.json: the `$ref` to `sibling-schema-extended-wrapper.json#/components/schemas/Wrapper_Schema` refers to another document
    shipbob.json: `int` is not a type
    tripactions.yaml: `long` is not a type
    ");
}
