//! Reports escape the names of a document.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use spec_diff::{Finding, Policy, report};
use spec_model::Document;

use crate::policy::SETTINGS;

/// A path with all characters that are special in some report, and a file name that is not a URI reference.
fn findings(settings: &str) -> Vec<Finding> {
    let text = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
paths:
  \"/a|b`c\\n::d,e%\": {get: {responses: {}}}
  /ü: {get: {responses: {}}} 
";
    let base = Document::parse("b.yaml", text).unwrap();
    let gone = text.split("  \"").next().unwrap().to_owned() + "  /b: {get: {responses: {}}}\n";
    let revision = Document::parse("spec/a b,c:d.yaml", &gone).unwrap();
    let today = "2026-11-21".parse().unwrap();
    spec_diff::diff(
        &base,
        &revision,
        &Policy::from_toml(settings, today).unwrap(),
    )
}

#[test]
fn markdown_escapes_cells() {
    let found = findings(SETTINGS);
    let text = report::render_markdown(&found);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), found.len() + 2, "{text}");
    for row in rows {
        let ends = row.replace("\\|", "").matches('|').count();
        assert_eq!(ends, 5, "{row}");
    }
    assert!(text.contains("`` GET /a\\|b`c ::d,e% ``"), "{text}");
}

#[test]
fn github_escapes_commands() {
    let found = findings(SETTINGS);
    let text = report::render_github(&found);
    let commands = text.lines().filter(|line| line.starts_with("::"));
    assert_eq!(commands.count(), found.len(), "{text}");
    assert_eq!(text.lines().count(), found.len() + 1, "{text}");
    assert!(text.contains("file=spec/a b%2Cc%3Ad.yaml,line="), "{text}");
    assert!(text.contains("/a|b`c%0A::d,e%25 was removed"), "{text}");
}

#[test]
fn text_escapes_lines() {
    let text = report::render_text(&findings(SETTINGS));
    assert!(!text.lines().any(|line| line.starts_with("::")), "{text}");
}

#[test]
fn sarif_follows_the_standard() {
    let found = findings(SETTINGS);
    let entry = format!(
        "{SETTINGS}[[acknowledged]]\nfingerprint = \"{}\"\nreason = \"agreed\"\nexpires = \"2027-01-01\"\n",
        found[0].fingerprint
    );
    let log: Value = serde_json::from_str(&report::render_sarif(&findings(&entry))).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), found.len());
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "spec/a%20b%2Cc%3Ad.yaml");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(result["message"]["text"].is_string());
        assert!(
            result["suppressions"].is_array(),
            "all results have suppressions or none"
        );
    }
    assert_eq!(results[0]["suppressions"][0]["justification"], "agreed");
}

#[test]
fn counts_columns_in_characters_with_any_line_ending() {
    let text = "openapi: 3.0.3\ninfo: {title: 'äöü→', version: 1.0.0, x-a: 1}\npaths: {}\n";
    let base = Document::parse("a", text).unwrap();
    for ending in ["\n", "\r\n"] {
        let text = text.replace("x-a: 1", "x-a: 2").replace('\n', ending);
        let revision = Document::parse("a", &text).unwrap();
        let policy = Policy::new("2026-11-21".parse().unwrap());
        let found = spec_diff::diff(&base, &revision, &policy);
        let place = &found[0].revision;
        assert_eq!((place.line, place.column), (2, 39), "{found:?}");
    }
}
