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
fn levels(settings: &str) -> Vec<String> {
    let found = json(&folder(settings), &["diff", "old.yaml", "new.yaml"]);
    let reach = found[0]["reach"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let lines = reach
        .iter()
        .map(|it| text(&it["operation"]) + " " + &text(&it["level"]));
    lines.collect()
}

#[test]
fn severity_changes_levels_by_rule_path_tag_and_stability() {
    for (entry, expected) in [
        ("", ["error", "error", "error"]),
        ("level = \"warn\"", ["warn", "warn", "warn"]),
        (
            "rule = \"response-*-type-changed\"\nlevel = \"info\"",
            ["info", "info", "info"],
        ),
        (
            "rule = \"request-*\"\nlevel = \"info\"",
            ["error", "error", "error"],
        ),
        (
            "path = \"/internal/**\"\nlevel = \"info\"",
            ["error", "info", "error"],
        ),
        (
            "tag = \"Pets\"\nlevel = \"warn\"",
            ["warn", "error", "error"],
        ),
        (
            "stability = \"beta\"\nlevel = \"info\"",
            ["error", "error", "info"],
        ),
    ] {
        let settings = match entry {
            "" => String::new(),
            entry => format!("[[severity]]\n{entry}\n"),
        };
        let [pets, jobs, trial] = expected;
        let expected = [
            format!("GET /pets {pets}"),
            format!("GET /internal/jobs {jobs}"),
            format!("GET /trial {trial}"),
        ];
        assert_eq!(levels(&settings), expected, "{entry}");
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
    let (code, _, error) = folder(settings).run(&["lint", "old.yaml"]);
    assert_eq!(code, 2);
    let expected =
        "dropspec.toml:4:1: no rule has the id `unknown-fields`: did you mean `unknown-field`?";
    assert!(error.contains(expected), "{error}");
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
    assert_eq!(at(&entry("", "error")), (1, "error".to_owned()));
    assert_eq!(
        at(&entry("path = \"/pets\"", "error")),
        (1, "error".to_owned())
    );
    assert_eq!(
        at(&entry("path = \"/internal/**\"", "error")),
        (0, "warn".to_owned())
    );
    assert_eq!(at(&entry("", "off")), (0, "off".to_owned()));
}

#[test]
fn entry_that_can_never_apply_is_an_error() {
    for (entry, expected) in [
        (
            "path = \"pets/**\"",
            "dropspec.toml:1:1: no path matches `pets/**`, so this entry never applies: paths begin with `/`, write `/pets/**`",
        ),
        (
            "rule = \"api-version-*\"\ntag = \"Pets\"",
            "`api-version-*` is about the whole document and at no operation, so this entry never applies: remove `tag`",
        ),
        (
            "rule = \"house-unused-tag\"\npath = \"/pets\"\nstability = \"beta\"",
            "so this entry never applies: remove `path` and `stability`",
        ),
    ] {
        let settings = format!("[[severity]]\n{entry}\nlevel = \"warn\"\n");
        for command in [&["lint", "old.yaml"][..], &["diff", "old.yaml", "new.yaml"]] {
            let (code, _, error) = folder(&settings).run(command);
            assert_eq!(code, 2);
            assert!(error.contains(expected), "{error}");
        }
    }
    // Some of the rules are about operations.
    let settings = "[[severity]]\nrule = \"*\"\npath = \"**/jobs\"\nlevel = \"info\"\n";
    assert_eq!(folder(settings).run(&["diff", "old.yaml", "new.yaml"]).0, 1);
}

#[test]
fn document_that_vanished_has_a_level_at_each_of_its_operations() {
    for (entry, expected) in [
        ("", Some(["error", "error", "error"])),
        ("level = \"info\"", Some(["info", "info", "info"])),
        (
            "rule = \"document-removed\"\npath = \"/internal/**\"\nlevel = \"info\"",
            Some(["error", "info", "error"]),
        ),
        (
            "tag = \"Pets\"\nlevel = \"warn\"",
            Some(["warn", "error", "error"]),
        ),
        (
            "stability = \"beta\"\nlevel = \"info\"",
            Some(["error", "error", "info"]),
        ),
        ("rule = \"document-removed\"\nlevel = \"off\"", None),
    ] {
        let settings = match entry {
            "" => String::new(),
            entry => format!("[[severity]]\n{entry}\n"),
        };
        let folder = folder(&settings);
        folder.write("before/a.yaml", OLD);
        folder.write("before/b.yaml", OLD);
        folder.write("after/a.yaml", OLD);
        let found = json(&folder, &["diff", "before", "after"]);
        let reach = found[0]["reach"].as_array();
        let level = |it: &Value| it["level"].as_str().unwrap().to_owned();
        let levels: Option<Vec<String>> = reach.map(|it| it.iter().map(level).collect());
        let expected = expected.map(|it| it.map(str::to_owned).to_vec());
        assert_eq!(levels, expected, "{entry}");
    }
}

#[test]
fn severity_of_lint_counts_at_the_operations_that_reach_a_component() {
    // `Pet` is reached through `Name` by `/pets` and by nothing else, `Alone` by nothing.
    const COMPONENTS: &str = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
paths:
  /pets: {get: {operationId: listPets, tags: [Pets], responses: {'200': {$ref: '#/components/responses/Name'}}}}
  /trial:
    parameters: [{name: q, in: query, wrong: 1, schema: {type: string}}]
    get: {operationId: getTrial, x-stability: beta, responses: {'200': {description: It.}}}
components:
  responses:
    Name: {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
  schemas:
    Pet: {type: object, wrong: 1}
    Alone: {type: object, wrong: 1}
";
    for (entry, expected) in [
        ("path = \"/pets\"", ["warn", "error", "warn"]),
        ("tag = \"Pets\"", ["warn", "error", "warn"]),
        ("stability = \"beta\"", ["error", "warn", "warn"]),
        ("path = \"/trial\"", ["error", "warn", "warn"]),
        ("path = \"/none\"", ["warn", "warn", "warn"]),
        ("", ["error", "error", "error"]),
    ] {
        let folder = folder(&format!(
            "[[severity]]\nrule = \"unknown-field\"\n{entry}\nlevel = \"error\"\n"
        ));
        folder.write("a.yaml", COMPONENTS);
        let found = json(&folder, &["lint", "a.yaml", "--only", "unknown-field"]);
        let levels = found.as_array().unwrap().iter();
        let levels: Vec<&str> = levels.map(|it| it["level"].as_str().unwrap()).collect();
        assert_eq!(levels, expected, "{entry}");
    }
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
    for format in ["html", "junit"] {
        let (_, said, _) = diff(&["--hide", "info,error", "--format", format]);
        let is_told = said.contains(nothing.trim_end()) && !said.contains("same meaning");
        assert!(is_told, "{said}");
    }
    let (code, said, _) = diff(&["--only", "response-property-type-changed", "--hide", "info"]);
    assert_eq!(code, 1);
    assert!(said.contains("[response-property-type-changed]"), "{said}");

    folder.write(
        "info.yaml",
        &OLD.replace("description: It.", "description: That."),
    );
    assert_eq!(folder.run(&["diff", "old.yaml", "info.yaml"]).0, 0);
    assert_eq!(
        folder
            .run(&["diff", "old.yaml", "info.yaml", "--fail-on", "info"])
            .0,
        1
    );
}

#[test]
fn lint_prints_every_format_with_the_rule() {
    let folder = Checkout::empty();
    folder.write("a.yaml", &OLD.replace("tags: [Pets]", "tag: Pets"));
    for (format, expected) in [
        (
            "text",
            "did you mean `tags`? (/paths/~1pets/get/tag)\n  help: write `tags`, or begin the name with `x-`\n  rule: unknown-field\n",
        ),
        ("json", "\"id\": \"unknown-field\""),
        (
            "github",
            "::warning file=a.yaml,line=4,col=40,title=unknown-field::OpenAPI",
        ),
        (
            "markdown",
            "| warning | OpenAPI 3.0.3 does not define `tag` here: did you mean `tags`?<br>`unknown-field`<br>→ write",
        ),
        ("sarif", "\"ruleId\": \"unknown-field\""),
        (
            "html",
            "<summary><code>GET /pets</code>: 1 warning</summary>\n<article class=\"warn\">",
        ),
        (
            "html",
            "<div><small>/paths/~1pets/get/tag: a.yaml:4</small>\n<pre>    1  openapi: 3.0.3\n",
        ),
        (
            "html",
            "<mark>    4    /pets: {get: {operationId: listPets, tag: Pets,",
        ),
    ] {
        let (code, said, error) = folder.run(&["lint", "a.yaml", "--format", format]);
        assert_eq!((code, error.as_str()), (0, ""), "{format}");
        assert!(said.contains(expected), "{format}: {said}");
    }
    let (code, said, _) = folder.run(&["lint", "--rules"]);
    assert_eq!(code, 0);
    assert!(
        said.contains("\nunknown-field              warn   "),
        "{said}"
    );
}

#[test]
fn names_with_signs_of_html_are_shown_as_they_are() {
    let folder = Checkout::empty();
    folder.write(
        "a.yaml",
        &OLD.replace("tags: [Pets]", "'<b>|`': 1, '<i>': 1"),
    );
    let markdown = folder.run(&["lint", "a.yaml", "--format", "markdown"]).1;
    // In code, Markdown shows every character; only the end of a cell is escaped.
    assert!(
        markdown.contains("does not define `<i>` here"),
        "{markdown}"
    );
    assert!(markdown.contains("&lt;b>\\|"), "{markdown}");
    let html = folder.run(&["lint", "a.yaml", "--format", "html"]).1;
    assert!(
        html.contains("does not define <code>&lt;i&gt;</code> here"),
        "{html}"
    );
    assert!(!html.contains("&amp;lt;"), "{html}");
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
    let invalid = ["shipbob.json", "tripactions.yaml", "callback.json"];
    let folder = Checkout::empty();
    let mut failing = Vec::new();
    let mut total = 0;
    for part in ["others", "more-others", "dropshot", "more-dropshot"] {
        let path = corpus.join(part);
        total += std::fs::read_dir(&path).unwrap().count();
        let found = json(&folder, &["lint", path.to_str().unwrap(), "--hide", "warn"]);
        failing.extend(
            found
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["file"].as_str().unwrap().to_owned()),
        );
    }
    failing.dedup();
    let name = |file: &String| file.rsplit('/').next().unwrap().to_owned();
    let mut failing: Vec<String> = failing.iter().map(name).collect();
    failing.sort();
    println!("{} of {total} documents pass lint", total - failing.len());
    let mut expected = invalid.to_vec();
    expected.sort_unstable();
    assert_eq!(failing, expected);
}
