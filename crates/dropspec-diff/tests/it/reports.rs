//! Reports escape the names of a document.
#![allow(clippy::unwrap_used)]

use dropspec_diff::{Finding, Level, Policy, report};
use dropspec_model::Document;
use serde_json::Value;

use crate::common;
use crate::policy::SETTINGS;

/// A path with all characters that are special in some report, and a file name that is not a URI reference.
fn findings() -> Vec<Finding> {
    findings_with(SETTINGS)
}

/// The same; the first is acknowledged with this reason, given in TOML.
fn acknowledged(reason: &str) -> Vec<Finding> {
    let fingerprint = &findings()[0].fingerprint;
    let entry =
        format!("fingerprint = \"{fingerprint}\"\nreason = {reason}\nexpires = \"2027-01-01\"\n");
    findings_with(&format!("{SETTINGS}[[acknowledged]]\n{entry}"))
}

fn findings_with(settings: &str) -> Vec<Finding> {
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
    dropspec_diff::diff(
        &base,
        &revision,
        &Policy::from_toml(settings, today).unwrap(),
    )
}

#[test]
fn markdown_escapes_names_and_has_a_part_for_each_operation() {
    let found = findings();
    let text = report::render_markdown(&found);
    assert!(
        text.contains("<summary><code>GET /a|b`c ::d,e%</code>: 1 error"),
        "{text}"
    );
    let parts = text.matches("<details").count();
    assert_eq!(text.matches("</details>").count(), parts, "{text}");
    assert_eq!(text.matches("\n- ").count(), found.len(), "{text}");
    // Parts with an error are open.
    let open = text.matches("<details open>").count();
    assert_eq!((parts, open), (3, 2), "{text}");
    assert!(text.contains("GET /a|b\\`c ::d,e% was removed"), "{text}");
}

#[test]
fn html_escapes_names_and_shows_the_lines_of_both_documents() {
    let mut found = findings();
    found[0].message.push_str(" with `<script>`");
    let read = |name: &str| {
        let known = name == "b.yaml";
        known.then(|| "openapi: 3.0.3\n<script>\npaths:\n  /: {}\n".to_owned())
    };
    let page = report::render_html(&found, report::NO_FINDINGS, read);
    assert!(page.contains("<code>GET /a|b`c ::d,e%</code>"), "{page}");
    assert!(page.contains("    2  &lt;script&gt;"), "{page}");
    assert!(page.contains("<mark>    4    /: {}</mark>"), "{page}");
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("after: spec/a b,c:d.yaml:"), "{page}");
    assert_eq!(page.matches("<article").count(), found.len(), "{page}");
}

#[test]
fn junit_fails_from_a_level_on_and_skips_what_is_acknowledged() {
    let found = acknowledged("'a < b & \"c\"'");
    let text = report::render_junit(&found, Level::Error, report::NO_FINDINGS);
    let failures = found.iter().filter(|it| it.fails(Level::Error)).count();
    assert!(failures > 0, "{found:?}");
    assert_eq!(text.matches("<failure type=\"error\"").count(), failures);
    assert_eq!(text.matches("<testcase ").count(), found.len());
    let counts = format!(
        "<testsuite name=\"contract\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"1\">",
        found.len()
    );
    assert!(text.contains(&counts), "{text}");
    assert!(
        text.contains("<skipped message=\"acknowledged: a &lt; b &amp; &quot;c&quot;\"/>"),
        "{text}"
    );
    let nothing = report::render_junit(&[], Level::Warn, report::NO_FINDINGS);
    assert!(nothing.contains("tests=\"1\" failures=\"0\""), "{nothing}");
}

#[test]
fn changelog_has_sections_for_people() {
    let before = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
paths:
  /a: {get: {parameters: [{name: q, in: query, schema: {maximum: 9}}], responses: {}}, post: {responses: {}}}
  /b: {get: {description: a, responses: {}}}
";
    let after = before
        .replace("maximum: 9", "maximum: 5")
        .replace(", post: {responses: {}}", ", put: {responses: {}}")
        .replace("description: a", "description: b, deprecated: true");
    let parse = |text: &str| Document::parse("a", text).unwrap();
    let policy = Policy::new("2026-11-21".parse().unwrap());
    let found = dropspec_diff::diff(&parse(before), &parse(&after), &policy);
    let text = report::render_changelog(&found, Some(("1.0.0", "2.0.0")));
    let expected = "## 2.0.0

Changes since 1.0.0.

### Breaking changes

- POST /a was removed but was not deprecated
- `GET /a`: the query parameter `q`: `maximum` 9 → 5

### Deprecated

- `GET /b`: it was deprecated

### Added

- PUT /a was added
";
    assert_eq!(text, expected);
    let nothing = report::render_changelog(&[], None);
    assert!(nothing.contains("Nothing changed"), "{nothing}");
}

#[test]
fn instance_is_in_every_format_and_printed_once() {
    let document = |length: u8| {
        let name = format!("{{type: string, maxLength: {length}}}");
        let schema = format!("{{type: object, properties: {{name: {name}}}}}");
        let body = format!("{{content: {{application/json: {{schema: {schema}}}}}}}");
        let path = format!("{{post: {{requestBody: {body}, responses: {{}}}}}}");
        let text = format!(
            "openapi: 3.0.3\ninfo: {{version: 1.0.0}}\npaths:\n  /a: {path}\n  /b: {path}\n"
        );
        Document::parse("a.yaml", &text).unwrap()
    };
    let policy = Policy::new("2026-11-21".parse().unwrap());
    let found = dropspec_diff::diff(&document(9), &document(4), &policy);
    assert_eq!(found.len(), 2, "{found:?}");
    let same = format!("the same value as at {}", found[0].revision);
    let instance = found[0].instance.as_ref().unwrap();
    let value = instance.value.to_string();
    let escaped = value.replace('"', "&quot;");
    for text in [report::render_text(&found), report::render_github(&found)] {
        assert_eq!(text.matches(&value).count(), 1, "{text}");
        assert!(text.contains(&same), "{text}");
    }
    let markdown = report::render_markdown(&found);
    assert_eq!(markdown.matches(&value).count(), 1, "{markdown}");
    let page = report::render_html(&found, report::NO_FINDINGS, |_| None);
    assert_eq!(page.matches(&escaped).count(), 1, "{page}");
    // Tools show the results of these apart from each other.
    let junit = report::render_junit(&found, Level::Error, report::NO_FINDINGS);
    assert_eq!(junit.matches(&escaped).count(), 2, "{junit}");
    let log: Value = serde_json::from_str(&report::render_sarif(&found)).unwrap();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        assert_eq!(result["properties"]["instance"]["value"], instance.value);
        let text = result["message"]["text"].as_str().unwrap();
        assert!(text.contains(&value), "{text}");
    }
}

#[test]
fn members_of_a_choice_are_named_by_their_tag() {
    let document = |members: &str| {
        let content = format!("{{application/json: {{schema: {{oneOf: [{members}]}}}}}}");
        let path = format!("{{get: {{responses: {{'200': {{content: {content}}}}}}}}}");
        let text = format!("openapi: 3.0.3\ninfo: {{version: 1.0.0}}\npaths: {{/a: {path}}}\n");
        Document::parse("a.yaml", &text).unwrap()
    };
    let member = |kind: &str, rest: &str| {
        format!(
            "{{type: object, required: [kind], properties: {{kind: {{type: string, enum: [{kind}]}}{rest}}}}}"
        )
    };
    let policy = Policy::new("2026-11-21".parse().unwrap());
    let (cat, dog) = (member("cat", ", age: {type: integer}"), member("dog", ""));
    let both = document(&format!("{cat}, {dog}"));
    let found = dropspec_diff::diff(&document(&cat), &both, &policy);
    let added = "the schema with `kind: dog` was added";
    assert!(found[0].message.contains(added), "{found:?}");
    let other = cat.replace("integer", "string");
    let other = document(&format!("{other}, {dog}"));
    let found = dropspec_diff::diff(&both, &other, &policy);
    let place = "`oneOf[kind: cat]/age`";
    assert!(found[0].message.contains(place), "{found:?}");
}

#[test]
fn github_and_text_escape_commands() {
    let found = findings();
    let text = report::render_github(&found);
    let commands = text.lines().filter(|line| line.starts_with("::"));
    assert_eq!(commands.count(), found.len(), "{text}");
    assert_eq!(text.lines().count(), found.len() + 1, "{text}");
    assert!(text.contains("file=spec/a b%2Cc%3Ad.yaml,line="), "{text}");
    assert!(text.contains("/a|b`c%0A::d,e%25 was removed"), "{text}");
    let text = report::render_text(&found);
    assert!(!text.lines().any(|line| line.starts_with("::")), "{text}");
}

#[test]
fn text_names_the_version_that_the_changes_require() {
    let document = |paths: &str, title: &str| {
        let text =
            format!("openapi: 3.0.3\ninfo: {{title: {title}, version: 1.0.0}}\npaths: {{{paths}}}");
        common::parse(&text)
    };
    let base = document("/a: {get: {}}", "A");
    for (revision, expected) in [
        (
            document("/b: {get: {}}", "A"),
            "; a major version is required\n",
        ),
        (
            document("/a: {get: {}, put: {}}", "A"),
            "; a minor version is required\n",
        ),
        (
            document("/a: {get: {}}", "B"),
            "; a patch version is required\n",
        ),
    ] {
        let found = dropspec_diff::diff(&base, &revision, &common::policy());
        let text = report::render_text(&found);
        assert!(text.ends_with(expected), "{text}");
    }
}

#[test]
fn sarif_follows_the_standard() {
    let found = findings();
    let log = report::render_sarif(&acknowledged("'agreed'"));
    let log: Value = serde_json::from_str(&log).unwrap();
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
        let before = &result["relatedLocations"][0];
        let place = &before["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "b.yaml");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert_eq!(before["message"]["text"], "before the change");
        assert!(
            result["suppressions"].is_array(),
            "all results have suppressions or none"
        );
    }
    assert_eq!(results[0]["suppressions"][0]["justification"], "agreed");
}
