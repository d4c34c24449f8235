//! The edit of each rule triggers it, with its level and message, and the levels are those of oasdiff.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use dropspec_diff::rules::{self, Example, ExamplePlace, Rule};
use dropspec_diff::{Finding, Level, Policy};
use dropspec_model::Document;
use serde_json::json;

use crate::common::{self, ids, parse, policy};

/// The settings with which an edit triggers its rule.
pub fn policy_of(example: &Example) -> Policy {
    Policy {
        min_notice_days: example.notice_days,
        passed_sunsets: example.passed_sunsets,
        generated_clients: example.generated_clients,
        ..policy()
    }
}

/// A document with a part of an example.
fn document_of(example: &Example, part: &str) -> Document {
    let fields = match example.place.unwrap() {
        ExamplePlace::Document => part.to_owned(),
        ExamplePlace::Path => format!("{{paths: {{/a: {part}}}}}"),
        ExamplePlace::RequestBody => format!(
            "{{paths: {{/a: {{put: {{requestBody: {{content: {{application/json: {{schema: {part}}}}}}}}}}}}}}}"
        ),
        ExamplePlace::Response => {
            format!("{{paths: {{/a: {{get: {{responses: {{'200': {part}}}}}}}}}}}")
        }
        ExamplePlace::ResponseBody => format!(
            "{{paths: {{/a: {{get: {{responses: {{'200': {{content: {{application/json: {{schema: {part}}}}}}}}}}}}}}}}}"
        ),
    };
    // A document in YAML does not begin with a brace.
    let parsed = parse(&format!("openapi: 3.0.3\npart: {fields}"));
    let mut document = parsed.root().to_json()["part"].take();
    let object = document.as_object_mut().unwrap();
    let version = example.openapi.as_deref().unwrap_or("3.0.3");
    let info = json!({ "version": "1.0.0" });
    for (key, default) in [("openapi", json!(version)), ("info", info)] {
        object.entry(key).or_insert(default);
    }
    common::document(&document)
}

/// Whether the edit has its findings, one of them with the level of the rule and the message of the example.
fn is_as_expected(rule: &Rule, example: &Example, found: &[Finding]) -> bool {
    let mut expected: Vec<&str> = example.also.iter().map(String::as_str).collect();
    expected.push(&rule.id);
    expected.sort_unstable();
    let mut found_ids = ids(found);
    found_ids.sort_unstable();
    let level = rules::find(&rule.id).map(|id| policy_of(example).level(id));
    let is_of_rule = |finding: &Finding| {
        let mut also = finding.also.iter();
        let own = (finding.id == rule.id.as_str()).then_some(finding.level);
        let level_found = own.or_else(|| {
            let of_rule = also.find(|it| it.id == rule.id.as_str());
            of_rule.map(|it| it.level)
        });
        level_found.is_some() && level_found == level && finding.message == example.message
    };
    found_ids == expected && found.iter().any(is_of_rule)
}

#[test]
fn every_edit_triggers_its_rule_with_its_level_and_message() {
    let mut wrong = Vec::new();
    for rule in rules::all() {
        for example in &rule.examples {
            let base = document_of(example, &example.before);
            let revision = document_of(example, &example.after);
            let found = dropspec_diff::diff(&base, &revision, &policy_of(example));
            let places = ["{at}", "{before}", "{1}", "{2}"];
            let is_filled = |it: &Finding| match it.advice() {
                Some(advice) => !places.iter().any(|place| advice.contains(place)),
                None => it.level == Level::Info,
            };
            if !is_as_expected(rule, example, &found) || !found.iter().all(is_filled) {
                wrong.push(format!("{}: {example}: {found:?}", rule.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules whose level differs from that of oasdiff, by a part of their id. `docs/contract.md` has an exchange for each.
const OWN_LEVELS: [(&str, Level); 13] = [
    ("api-version-not-bumped", Level::Error),
    ("api-version-decreased", Level::Error),
    ("api-major-version-not-bumped", Level::Error),
    // A new bound rejects what was valid, as a tighter one does.
    ("-set", Level::Error),
    // A response has a value that clients do not know, whether an `enum`, a `oneOf` or an `anyOf` lists them.
    ("response-", Level::Error),
    ("-required-property-became-not-read-only", Level::Error),
    ("response-optional-property-became-write-only", Level::Warn),
    ("request-property-default-value-", Level::Error),
    ("-discriminator-mapping-", Level::Error),
    ("-discriminator-property-name-changed", Level::Error),
    ("-property-became-read-only", Level::Warn),
    // Clients must follow.
    ("-url-changed", Level::Warn),
    // A response may now have a text that the old pattern excluded.
    ("response-property-pattern-changed", Level::Warn),
];

#[test]
fn levels_equal_those_of_oasdiff() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus/contract-diff/rules.tsv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return;
    };
    let mut wrong = Vec::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split('\t');
        let (id, level) = (fields.next().unwrap(), fields.next().unwrap());
        let level = match level {
            "error" => Level::Error,
            "warn" => Level::Warn,
            _ => Level::Info,
        };
        let own = rules::find(id).map(|id| id.rule().level);
        let mut own_levels = OWN_LEVELS.iter();
        let is_own = own_levels.any(|(part, level)| id.contains(part) && own == Some(*level));
        if own != Some(level) && !is_own {
            wrong.push(format!("{id}: {level:?} there, {own:?} here"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
