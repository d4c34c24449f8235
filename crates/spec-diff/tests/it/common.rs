//! What the tests share: documents to compare, and the ways to compare them.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use serde_json::Value;
use spec_diff::{Finding, Policy};
use spec_model::Document;

/// The day of all tests.
pub fn policy() -> Policy {
    Policy::new(NaiveDate::from_ymd_opt(2026, 11, 21).unwrap())
}

pub fn parse(text: &str) -> Document {
    Document::parse("api.yaml", text).unwrap()
}

pub fn document(value: &Value) -> Document {
    parse(&value.to_string())
}

pub fn diff(base: &Value, revision: &Value) -> Vec<Finding> {
    spec_diff::diff(&document(base), &document(revision), &policy())
}

/// The ids of the findings, with `also` after each.
pub fn ids(findings: &[Finding]) -> Vec<String> {
    let mut ids = Vec::new();
    for finding in findings {
        ids.push(finding.id.clone());
        ids.extend(finding.also.iter().map(|also| also.id.clone()));
    }
    ids
}

/// The repository's own contract.
pub fn petstore() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/petstore.yaml");
    std::fs::read_to_string(path).unwrap()
}

/// The documents of a corpus beside the repository. Absent, they are skipped, but not in CI.
pub fn corpus(part: &str) -> Vec<(String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus")
        .join(part);
    if !root.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return Vec::new();
    }
    let mut files: Vec<PathBuf> = Vec::new();
    let mut waiting = vec![root];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => waiting.push(path),
                Some("yaml" | "yml" | "json") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let read = |path: PathBuf| {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).ok()?;
        let document = Document::parse(&name, &text).ok()?;
        Some((name, document.root().to_json()))
    };
    files.into_iter().filter_map(read).collect()
}

/// The pointers of all values in a value.
pub fn pointers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, pointer: &str, found: &mut Vec<String>) {
        found.push(pointer.to_owned());
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{pointer}/{index}"), found);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    let key = spec_model::escape_token(key);
                    walk(member, &format!("{pointer}/{key}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}
