//! Documents of real services: each ends in Rust that parses or in located errors, never in a panic.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use spec_codegen::{Settings, generate};
use spec_model::Spec;

#[test]
fn every_document_ends_in_rust_or_in_located_errors() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.is_dir() {
        assert!(
            std::env::var_os("CI").is_none(),
            "the corpus is missing: {}",
            corpus.display()
        );
        println!("skipped: there is no corpus at {}", corpus.display());
        return;
    }
    let mut through = Vec::new();
    let documents = documents(&corpus);
    for path in &documents {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match generated(path, &name) {
            Ok(()) => through.push(name),
            Err(places) => {
                assert!(!places.is_empty(), "{name} fails without an error");
                for (line, message) in places {
                    assert!(line > 0, "{name}: {message} has no place");
                    assert!(
                        !message.contains('\n'),
                        "{name}: {message:?} is more than a line"
                    );
                }
            }
        }
    }
    println!(
        "{} of {} documents come through: {through:?}",
        through.len(),
        documents.len()
    );
    assert!(
        through.len() >= 13,
        "fewer documents come through than before: {through:?}"
    );
}

/// Every file parses, or the places and messages of the errors.
fn generated(path: &Path, name: &str) -> Result<(), Vec<(u32, String)>> {
    let located = |errors: Vec<spec_model::Diagnostic>| {
        errors
            .into_iter()
            .map(|error| (error.location.line, error.message))
            .collect::<Vec<_>>()
    };
    let text = fs::read_to_string(path).unwrap();
    let spec = Spec::parse(name, &text).map_err(located)?;
    let settings = Settings {
        command: "make".to_owned(),
        source: name.to_owned(),
    };
    let files = generate(&spec, &settings).map_err(located)?;
    assert!(
        generate(&spec, &settings).is_ok_and(|again| again == files),
        "{name}: other bytes the second time"
    );
    for file in files {
        if file.name.ends_with(".rs") {
            syn::parse_file(&file.content)
                .unwrap_or_else(|error| panic!("{name}: {}: {error}", file.name));
        }
    }
    Ok(())
}

fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            found.extend(documents(&path));
        } else if ["json", "yaml", "yml"].contains(&extension.as_str()) {
            found.push(path);
        }
    }
    found.sort();
    found
}
