//! What `generate` and `lint` say of documents that are legal but not kept in full.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::checkout::Checkout;

/// Four operations without an id, and a field that OpenAPI does not define.
const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Books, version: 1.0.0}
paths:
  /a: {get: {responses: {'204': {description: none}}}}
  /b: {get: {responses: {'204': {description: none}}}}
  /c: {get: {responses: {'204': {description: none}}}}
  /d: {get: {responses: {'204': {description: none, colour: red}}}}
";

const SETTINGS: &str = "document = \"api.yaml\"\n[output]\napi = \"src\"\n";

fn repository(settings: &str) -> Checkout {
    let folder = Checkout::empty();
    folder.write("api.yaml", DOCUMENT);
    folder.write("dropspec.toml", settings);
    folder
}

#[test]
fn warnings_of_a_kind_are_printed_together_when_files_change_and_otherwise_counted() {
    let folder = repository(SETTINGS);
    let (code, _, said) = folder.run(&["generate"]);
    assert_eq!(code, 0);
    let expected = "warning: api.yaml:4:8: the operation has no `operationId`, so that it is called `getA` (/paths/~1a/get)
  help: add `operationId: getA`
  and 3 like it: api.yaml:5:8, api.yaml:6:8 and 1 more
warning: api.yaml:7:53: OpenAPI 3.0.3 does not define `colour` here (/paths/~1d/get/responses/204/colour)
  help: remove it, or begin its name with `x-`
`dropspec lint` lists every place
";
    assert_eq!(said, expected);
    for arguments in [&["generate"][..], &["generate", "--check"]] {
        let (code, _, said) = folder.run(arguments);
        let counted = "as before: 5 warnings (`dropspec lint` lists them)\n";
        assert_eq!((code, said.as_str()), (0, counted));
    }
    // Errors come last.
    folder.write("api.yaml", &format!("{DOCUMENT}  /f: 7\n"));
    let (code, _, said) = folder.run(&["generate"]);
    assert_eq!(code, 2);
    let (warnings, errors) = said.split_once("\nerror: api.yaml:8:7: ").unwrap();
    assert!(
        warnings.contains("`colour`") && !errors.contains("warning:"),
        "{said}"
    );
}

#[test]
fn repair_is_named_where_it_mends_what_is_left_out() {
    let folder = repository(SETTINGS);
    folder.write("api.yaml", &DOCUMENT.replace("/a:", "/a?colour=red:"));
    let (code, _, said) = folder.run(&["generate"]);
    let help =
        "help: `dropspec repair api.yaml` writes an overlay that mends 1 fault, or offers how\n";
    assert!(code == 0 && said.ends_with(help), "{code} {said}");
}

#[test]
fn lint_lists_every_place_once() {
    let folder = repository(SETTINGS);
    let (code, said, _) = folder.run(&["lint"]);
    assert_eq!(code, 0, "warnings are no errors");
    let places = said
        .lines()
        .filter_map(|line| line.strip_prefix("warning: api.yaml:"));
    let places: Vec<&str> = places
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(places, ["4:8", "5:8", "6:8", "7:8", "7:53"]);
    assert!(said.ends_with("\n5 warnings\n"), "{said}");
    assert_eq!(folder.run(&["lint", "--fail-on", "warn"]).0, 1);
    std::fs::remove_file(folder.path("dropspec.toml")).unwrap();
    let (_, _, hint) = folder.run(&["generate", "--spec", "api.yaml", "--out", "src"]);
    let expected = "`dropspec lint api.yaml --code` lists every place\n";
    assert!(hint.ends_with(expected), "{hint}");
    assert_eq!(folder.run(&["lint", "api.yaml", "--code"]).1, said);
}

#[test]
fn what_names_no_document_is_explained() {
    let rows = "
generate --out o --spec . => this is a folder: name the document in it
bundle . => this is a folder: name the document in it
new books --spec https://example.com/api.yaml => this is a URL: download the document, and name the file
";
    repository(SETTINGS).assert_refused(rows);
    repository("document = \"api.yaml\"\n").assert_refused("generate => add a table [output]");
}

#[test]
fn folder_of_modules_is_removed_with_its_last_file() {
    let settings = |traits: &str| format!("{SETTINGS}[generate]\ntraits = \"{traits}\"\n");
    let folder = repository(&settings("by-tag"));
    let tagged = DOCUMENT.replace("get: {", "get: {tags: [A], ");
    folder.write("api.yaml", &tagged.replacen("tags: [A]", "tags: [B]", 1));
    assert_eq!(folder.run(&["generate"]).0, 0);
    let modules = folder.path("src/api");
    assert!(modules.is_dir());
    folder.write("dropspec.toml", &settings("one"));
    assert_eq!(folder.run(&["generate"]).0, 0);
    assert!(!modules.exists() && fs::exists(folder.path("src/api.rs")).unwrap());
}
