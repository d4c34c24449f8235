//! Renders findings as SARIF 2.1.0, which code scanning services read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::finding::Finding;
use crate::rules::{self, Level};

/// Renders one run with all findings.
pub fn render_sarif(findings: &[Finding]) -> String {
    let ids: BTreeSet<&str> = findings.iter().map(|finding| finding.id.as_str()).collect();
    let rules: Vec<Value> = ids
        .iter()
        .filter_map(|id| Some(rules::find(id)?.rule()))
        .map(|rule| {
            json!({
                "id": rule.id,
                "shortDescription": { "text": rule.summary },
                "help": { "text": format!("For example: {}", rule.example) },
                "defaultConfiguration": { "level": level_name(rule.level) },
            })
        })
        .collect();
    let results: Vec<Value> = findings.iter().map(to_result).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "spec-diff", "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("a JSON value can be written");
    text.push('\n');
    text
}

fn to_result(finding: &Finding) -> Value {
    let location = &finding.revision;
    let operations = match finding.operations.is_empty() {
        true => String::new(),
        false => format!(" Affects {}.", finding.operations.join(", ")),
    };
    // If one result has suppressions, all must have (SARIF 2.1.0, 3.27.23).
    let suppressions: Vec<Value> = finding
        .acknowledged
        .iter()
        .map(|reason| json!({ "kind": "external", "justification": reason }))
        .collect();
    json!({
        "ruleId": finding.id,
        "level": level_name(finding.level),
        "message": { "text": format!("{}.{operations}", finding.message) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": to_uri(&location.file) },
                "region": { "startLine": location.line, "startColumn": location.column },
            },
            "logicalLocations": [{ "fullyQualifiedName": finding.pointer }],
        }],
        "partialFingerprints": { "contract/v1": finding.fingerprint },
        "suppressions": suppressions,
    })
}

/// Encodes a path as a URI reference (RFC 3986).
fn to_uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encoded = path.bytes().map(|byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    encoded.collect()
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "note",
    }
}
