//! Documents of real services: each becomes Rust that parses, or located errors, and never panics.

use std::fs;
use std::path::{Path, PathBuf};

use spec_codegen::{Settings, generate};
use spec_model::Spec;

/// How many documents generate at least.
const MINIMUM: usize = 54;

#[test]
fn documents_of_real_services_become_rust_or_located_errors() {
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
    let mut generated = Vec::new();
    let documents = documents(&corpus);
    for path in &documents {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match generate_document(path, &name) {
            Ok(()) => generated.push(name),
            Err(places) => {
                assert!(!places.is_empty(), "{name} fails without an error");
                for (line, message) in places {
                    assert!(line > 0, "{name}: {message} has no location");
                    assert!(
                        !message.contains('\n'),
                        "{name}: {message:?} is more than a line"
                    );
                }
            }
        }
    }
    println!(
        "{} of {} documents generate: {generated:?}",
        generated.len(),
        documents.len()
    );
    assert!(
        generated.len() >= MINIMUM,
        "fewer documents generate than {MINIMUM}: {generated:?}"
    );
}

/// Checks that every file parses, or returns the lines and messages of the errors.
fn generate_document(path: &Path, name: &str) -> Result<(), Vec<(u32, String)>> {
    let located = |errors: Vec<spec_model::Diagnostic>| {
        errors
            .into_iter()
            .map(|error| (error.location.line, error.message))
            .collect::<Vec<_>>()
    };
    let text = fs::read_to_string(path).unwrap();
    let spec = Spec::parse_with_errors(name, &text).map_err(located)?;
    // A document of another service generates with neutral settings.
    let settings = Settings::default();
    let generated = generate(&spec, &settings).map_err(located)?;
    assert!(
        generate(&spec, &settings).is_ok_and(|again| again == generated),
        "{name}: other bytes the second time"
    );
    for file in generated.files {
        if file.name.ends_with(".rs") {
            syn::parse_file(&file.content)
                .unwrap_or_else(|error| panic!("{name}: {}: {error}", file.name));
        }
    }
    Ok(())
}

/// The documents in a folder, in depth.
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
