//! Renders findings as SARIF 2.1.0, which code scanning services read. The types of `serde-sarif` would make it longer.

use std::collections::BTreeSet;

use dropspec_model::Location;
use serde_json::{Value, json};

use super::details::{Instances, describe};
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
                "defaultConfiguration": { "level": sarif_level(rule.level) },
            })
        })
        .collect();
    let results: Vec<Value> = findings.iter().map(to_result).collect();
    write_sarif("dropspec-diff", &rules, &results)
}

/// Writes a log of one run, by the name of the tool, the rules that it used, and its results.
pub fn write_sarif(tool: &str, rules: &[Value], results: &[Value]) -> String {
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": tool, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn to_result(finding: &Finding) -> Value {
    // If one result has suppressions, all must have (SARIF 2.1.0, 3.27.23).
    let suppressions: Vec<Value> = finding
        .acknowledged
        .iter()
        .map(|reason| json!({ "kind": "external", "justification": reason }))
        .collect();
    let mut properties = json!({
        "reach": finding.reach,
        "usage": finding.usage,
        "instance": finding.instance,
        "proof": finding.proof,
    });
    if let Some(properties) = properties.as_object_mut() {
        properties.retain(|_, value| !value.is_null());
    }
    let text = describe(finding, &mut Instances::default());
    json!({
        "ruleId": finding.id,
        "level": sarif_level(finding.level),
        "message": { "text": text.trim_end() },
        "locations": [{
            "physicalLocation": to_physical_location(&finding.revision),
            "logicalLocations": [{ "fullyQualifiedName": finding.pointer }],
        }],
        "relatedLocations": [{
            "id": 1,
            "message": { "text": "before the change" },
            "physicalLocation": to_physical_location(&finding.base),
        }],
        "properties": properties,
        "partialFingerprints": { "contract/v1": finding.fingerprint },
        "suppressions": suppressions,
    })
}

fn to_physical_location(location: &Location) -> Value {
    sarif_location(&location.file, (location.line, location.column))
}

/// The `physicalLocation` of a result: a file with line and column.
pub fn sarif_location(file: &str, (line, column): (u32, u32)) -> Value {
    json!({
        "artifactLocation": { "uri": to_uri(file) },
        "region": { "startLine": line, "startColumn": column },
    })
}

/// Encodes a path as a URI reference (RFC 3986).
fn to_uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encoded = path.bytes().map(|byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    encoded.collect()
}

/// The `level` of a result.
pub fn sarif_level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "note",
    }
}
