//! Each example of a rule has its message.

use std::path::Path;

use dropspec::linting::{LintSettings, RULES};
use serde::Deserialize;

use crate::{house, lint, newer, openapi};

/// A file of `rules`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(rename = "summary")]
    _summary: String,
    #[serde(default, rename = "help")]
    _help: String,
    #[serde(rename = "level")]
    _level: dropspec_model::Level,
    #[serde(default)]
    examples: Vec<Example>,
}

/// An edit of the valid document of the tests that violates the rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    /// The version of OpenAPI, if it is another one than 3.0.3.
    openapi: Option<String>,
    before: String,
    after: String,
    /// The message, or what it begins with if the rest is that of a library.
    message: String,
}

#[test]
fn examples_of_rules_have_their_messages() {
    for rule in RULES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("rules/{}.toml", rule.id));
        let file: File = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        // Two are found by those who read a document for another purpose; the last one no single edit violates.
        let is_found_here =
            !["not-generated", "other-files", "nothing-described"].contains(&rule.id);
        assert_eq!(!file.examples.is_empty(), is_found_here, "{}", rule.id);
        for example in &file.examples {
            let (document, settings) = match &example.openapi {
                Some(version) if version == "3.2.0" => {
                    (newer::DOCUMENT_OF_3_2, LintSettings::default())
                }
                Some(_) => (newer::DOCUMENT, LintSettings::default()),
                None if rule.id.starts_with("house-") => (house::DOCUMENT, house::settings()),
                None => (openapi::DOCUMENT, LintSettings::default()),
            };
            assert!(document.contains(&example.before), "{}", example.before);
            let edited = document.replacen(&example.before, &example.after, 1);
            let found = lint("a.yaml", &edited, &settings);
            let is_expected = found.iter().any(|finding| {
                finding.rule == rule.id && finding.message.starts_with(&example.message)
            });
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert!(is_expected, "{}: {}", example.message, found.join("\n"));
        }
    }
}
