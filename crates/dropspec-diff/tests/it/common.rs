//! Shared test code: documents to compare, and functions to compare them.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use chrono::NaiveDate;
use dropspec_diff::{Finding, Policy};
use dropspec_model::Document;
use serde_json::Value;

/// The settings for documents without settings, on the day of all tests.
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
    dropspec_diff::diff(&document(base), &document(revision), &policy())
}

/// The ids of the findings, with `also` after each.
pub fn ids(findings: &[Finding]) -> Vec<String> {
    let mut ids = Vec::new();
    for finding in findings {
        ids.push(finding.id.to_string());
        ids.extend(finding.also.iter().map(|also| also.id.to_string()));
    }
    ids
}

/// The first release of the repository's own document, which never changes.
pub fn petstore() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/releases/1.0.0.yaml");
    std::fs::read_to_string(path).unwrap()
}

/// The documents of a corpus beside the repository. If it is missing, tests skip it, except in CI.
pub fn corpus(part: &str) -> Vec<(String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.join(part)];
    while let Some(path) = waiting.pop() {
        if let Ok(entries) = path.read_dir() {
            waiting.extend(entries.map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.display().to_string();
        let is_document = [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| name.ends_with(end));
        let text = std::fs::read_to_string(&path).ok().filter(|_| is_document);
        if let Some(Ok(document)) = text.map(|text| Document::parse(&name, &text)) {
            found.insert(name, document.root().to_json());
        }
    }
    if found.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
    }
    found.into_iter().collect()
}

/// Compares two documents, given without `openapi` and `info`.
pub fn compare(base: &str, revision: &str, policy: &Policy) -> Vec<Finding> {
    compare_versions(("3.0.3", base), ("3.0.3", revision), policy)
}

/// Compares two documents, given without `info`, each with its version of OpenAPI.
pub fn compare_versions(
    base: (&str, &str),
    revision: (&str, &str),
    policy: &Policy,
) -> Vec<Finding> {
    let document = |(version, text): (&str, &str)| {
        parse(&format!(
            "openapi: {version}\ninfo: {{title: a, version: 1.0.0}}\n{text}"
        ))
    };
    dropspec_diff::diff(&document(base), &document(revision), policy)
}

/// The JSON pointers of all values in a value.
pub fn pointers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, pointer: &str, found: &mut Vec<String>) {
        found.push(pointer.to_owned());
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            walk(item, &format!("{pointer}/{index}"), found);
        }
        for (key, member) in value.as_object().into_iter().flatten() {
            walk(member, &dropspec_schema::pointer::join(pointer, key), found);
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}
