//! Reads every document of the corpora beside the repository: no panic, and every refusal is located.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use spec_model::{Diagnostic, Spec, Strictness};

/// The corpora are third-party data and not part of the repository.
fn corpus(part: &str) -> Option<Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !root.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return None;
    }
    let mut files = Vec::new();
    let mut folders = vec![root.join(part)];
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
    files.sort();
    Some(files)
}

fn refusals(part: &str, strictness: Strictness) -> Vec<String> {
    let mut refused = Vec::new();
    for path in corpus(part).unwrap_or_default() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let Err(errors) = Spec::parse_with(name, &text, strictness) else {
            continue;
        };
        assert!(!errors.is_empty(), "{name} is refused without a reason");
        for error in &errors {
            assert_located(error, &text);
        }
        let lines: Vec<String> = errors.iter().map(Diagnostic::to_string).collect();
        refused.push(lines.join("\n"));
    }
    refused
}

fn assert_located(error: &Diagnostic, text: &str) {
    let line = text
        .lines()
        .nth(error.location.line as usize - 1)
        .unwrap_or_default();
    let columns = line.chars().count() + 1;
    assert!(
        (1..=columns).contains(&(error.location.column as usize)),
        "{error}"
    );
}

#[test]
fn documents_to_generate_from_are_read_but_for_invalid_ones() {
    // Its schemas have types such as `long`.
    const INVALID: [&str; 1] = ["tripactions.yaml"];
    for refusal in refusals("openapi", Strictness::Strict) {
        let invalid = INVALID.iter().any(|name| refusal.starts_with(name));
        assert!(invalid, "{refusal}");
    }
    assert_eq!(refusals("openapi", Strictness::Lenient), [""; 0]);
}

#[test]
fn documents_to_compare_are_all_read_leniently() {
    assert_eq!(refusals("contract-diff/data", Strictness::Lenient), [""; 0]);
    refusals("contract-diff/data", Strictness::Strict);
}
