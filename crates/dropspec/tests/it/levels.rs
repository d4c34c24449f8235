//! Levels of rules by `[[severity]]` of `dropspec.toml`, and the flags that choose findings.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

use crate::checkout::Checkout;

const OLD: &str = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
paths:
  /pets: {get: {operationId: listPets, tags: [Pets], responses: {'200': {$ref: '#/components/responses/Name'}}}}
  /internal/jobs: {get: {operationId: listJobs, tags: [Jobs], responses: {'200': {$ref: '#/components/responses/Name'}}}}
  /trial: {get: {operationId: getTrial, x-stability: beta, responses: {'200': {$ref: '#/components/responses/Name'}}}}
components:
  responses:
    Name: {description: It., content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
";

fn folder(settings: &str) -> Checkout {
    let folder = Checkout::empty();
    folder.write("old.yaml", OLD);
    folder.write("new.yaml", &OLD.replace("type: string", "type: integer"));
    folder.write("dropspec.toml", settings);
    folder
}

fn json(folder: &Checkout, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    let (_, said, error) = folder.run(&arguments);
    serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}{error}"))
}

/// The level at each operation of the only finding.
fn levels_of(found: &Value) -> Vec<String> {
    let reach = found[0]["reach"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let lines = reach
        .iter()
        .map(|it| text(&it["operation"]) + " " + &text(&it["level"]));
    lines.collect()
}

fn levels(settings: &str) -> Vec<String> {
    levels_of(&json(&folder(settings), &["diff", "old.yaml", "new.yaml"]))
}

/// Entries, and the levels that they choose at `/pets`, `/internal/jobs` and `/trial`.
const ENTRIES: &str = r#"
level = "warn" => warn warn warn
rule = "response-*-type-changed"\nlevel = "info" => info info info
rule = "request-*"\nlevel = "info" => error error error
path = "/internal/**"\nlevel = "info" => error info error
tag = "Pets"\nlevel = "warn" => warn error error
stability = "beta"\nlevel = "info" => error error info
"#;

#[test]
fn severity_changes_levels_by_rule_path_tag_and_stability() {
    for row in ENTRIES.lines().filter(|row| !row.is_empty()) {
        let (entry, expected) = row.split_once(" => ").unwrap();
        let settings = format!("[[severity]]\n{}\n", entry.replace("\\n", "\n"));
        let found = levels(&settings);
        let found: Vec<&str> = found
            .iter()
            .map(|it| it.rsplit(' ').next().unwrap())
            .collect();
        assert_eq!(found.join(" "), expected, "{entry}");
    }
}

#[test]
fn last_entry_that_applies_counts_and_off_removes_operations_and_findings() {
    let off = "[[severity]]\nlevel = \"off\"\n[[severity]]\ntag = \"Jobs\"\nlevel = \"warn\"\n";
    assert_eq!(levels(off), ["GET /internal/jobs warn"]);
    let (code, said, _) =
        folder("[[severity]]\nlevel = \"off\"\n").run(&["diff", "old.yaml", "new.yaml"]);
    let expected = "no findings of the rules that dropspec.toml leaves on\n";
    assert_eq!((code, said.as_str()), (0, expected));
}

#[test]
fn entry_that_names_no_rule_is_an_error_with_its_line() {
    let settings = "[[severity]]\nlevel = \"warn\"\n\n[[severity]]\nrule = \"unknown-fields\"\nlevel = \"error\"\n";
    let expected =
        "dropspec.toml:4:1: no rule has the id `unknown-fields`: did you mean `unknown-field`?";
    folder(settings).assert_refused(&format!("lint old.yaml => {expected}"));
}

#[test]
fn rules_are_listed_and_those_that_are_named_are_explained() {
    let folder = Checkout::empty();
    let rules = |arguments: &[&str]| folder.run(&[&["rules"], arguments].concat()).1;
    let all = rules(&[]);
    let line = "lint error operation-id-unique: No two operations have the same `operationId`\n";
    assert!(all.contains(line), "{all}");
    assert!(all.contains("\ndiff error request-body-max-set: "), "{all}");
    assert_eq!(rules(&["operation-id-*"]), line);
    let explained = rules(&["request-body-max-set"]);
    let lines: Vec<&str> = explained.lines().collect();
    assert!(
        lines[1].starts_with("  reason: A new bound "),
        "{explained}"
    );
    assert!(
        lines[2].starts_with("  example: `{type: integer}` → "),
        "{explained}"
    );
    assert_eq!(lines.len(), 3);
    folder.assert_refused(
        "rules max-set => invalid value 'max-set' for '[RULE]...': no rule has the id `max-set`",
    );
}

#[test]
fn severity_changes_levels_of_lint() {
    let at = |settings: &str| {
        let folder = folder(settings);
        folder.write("a.yaml", &OLD.replace("tags: [Pets]", "tag: Pets"));
        let found = json(&folder, &["lint", "a.yaml", "--only", "unknown-field"]);
        let level = found[0]["level"].as_str().unwrap_or("off").to_owned();
        (folder.run(&["lint", "a.yaml"]).0, level)
    };
    assert_eq!(at(""), (0, "warn".to_owned()));
    let entry = |fields: &str, level: &str| {
        format!("[[severity]]\nrule = \"unknown-field\"\n{fields}\nlevel = \"{level}\"\n")
    };
    for (fields, level, code, expected) in [
        ("", "error", 1, "error"),
        ("path = \"/pets\"", "error", 1, "error"),
        ("path = \"/internal/**\"", "error", 0, "warn"),
        ("", "off", 0, "off"),
    ] {
        assert_eq!(at(&entry(fields, level)), (code, expected.to_owned()));
    }
}

#[test]
fn document_that_vanished_has_a_level_at_each_of_its_operations() {
    let levels = |settings: &str| {
        let folder = folder(settings);
        folder.write("before/a.yaml", OLD);
        folder.write("before/b.yaml", OLD);
        folder.write("after/a.yaml", OLD);
        levels_of(&json(&folder, &["diff", "before", "after"]))
    };
    let of_path =
        "[[severity]]\nrule = \"document-removed\"\npath = \"/internal/**\"\nlevel = \"info\"\n";
    let expected = [
        "GET /pets error",
        "GET /internal/jobs info",
        "GET /trial error",
    ];
    assert_eq!(levels(of_path), expected);
    let off = "[[severity]]\nrule = \"document-removed\"\nlevel = \"off\"\n";
    assert!(levels(off).is_empty());
}

#[test]
fn flags_choose_findings_by_level_and_rule() {
    let folder = folder("");
    let diff =
        |flags: &[&str]| folder.run(&[&["diff", "old.yaml", "new.yaml"][..], flags].concat());
    assert_eq!(diff(&[]).0, 1);
    let (code, said, _) = diff(&["--only", "request-*,endpoint-added"]);
    let nothing = "nothing to show: 1 finding hidden by --only or --hide\n";
    assert_eq!((code, said.as_str()), (0, nothing));
    let (code, said, _) = diff(&["--hide", "info,error"]);
    assert_eq!(
        (code, said.as_str()),
        (1, nothing),
        "what is hidden still fails"
    );
    let (code, said, _) = diff(&["--only", "response-property-type-changed", "--hide", "info"]);
    assert_eq!(code, 1);
    assert!(said.contains("[response-property-type-changed]"), "{said}");
    for command in [&["diff", "old.yaml", "new.yaml"][..], &["lint", "old.yaml"]] {
        let (code, said, error) =
            folder.run(&[command, &["--only", "response-property-typ-changed"]].concat());
        assert_eq!((code, said.as_str()), (2, ""));
        let expected = "did you mean `response-property-type-changed`?";
        assert!(error.contains(expected), "{error}");
    }

    folder.write(
        "info.yaml",
        &OLD.replace("description: It.", "description: That."),
    );
    let diff = ["diff", "old.yaml", "info.yaml", "--fail-on", "info"];
    assert_eq!((folder.run(&diff[..3]).0, folder.run(&diff).0), (0, 1));
}

#[test]
fn lint_prints_every_format_with_the_rule() {
    let folder = Checkout::empty();
    folder.write("a.yaml", &OLD.replace("tags: [Pets]", "tag: Pets"));
    let help = "help: write `tags`, or begin the name with `x-`";
    for (format, expected) in [
        (
            "text",
            &*format!(
                "did you mean `tags`? (/paths/~1pets/get/tag)\n  {help}\n  rule: unknown-field\n"
            ),
        ),
        ("json", "\"id\": \"unknown-field\""),
        (
            "github",
            &*format!(
                "::warning file=a.yaml,line=4,col=40,title=unknown-field::OpenAPI 3.0.3 does not define `tag` here: did you mean `tags`?%0A{help}\n"
            ),
        ),
        ("sarif", "\"ruleId\": \"unknown-field\""),
    ] {
        let (code, said, error) = folder.run(&["lint", "a.yaml", "--format", format]);
        assert_eq!((code, error.as_str()), (0, ""), "{format}");
        assert!(said.contains(expected), "{format}: {said}");
    }
}

#[test]
fn documents_that_other_validators_accept_pass() {
    let corpus =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.exists() {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return;
    }
    // Not valid: types `int`, `long` and `double`; no `paths`.
    let invalid = ["callback.json", "shipbob.json", "tripactions.yaml"];
    let folder = Checkout::empty();
    let mut failing = Vec::new();
    let mut total = 0;
    for part in ["others", "more-others", "dropshot", "more-dropshot"] {
        let path = corpus.join(part);
        total += std::fs::read_dir(&path).unwrap().count();
        let found = json(&folder, &["lint", path.to_str().unwrap(), "--hide", "warn"]);
        let files = found
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["file"].as_str().unwrap());
        failing.extend(files.map(|file| file.rsplit('/').next().unwrap().to_owned()));
    }
    failing.sort();
    failing.dedup();
    println!("{} of {total} documents pass lint", total - failing.len());
    assert_eq!(failing, invalid);
}
