//! What `generate` and `lint` say of documents that are legal but not kept in full, and of files that are none.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

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

fn repository(settings: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("api.yaml"), DOCUMENT).unwrap();
    fs::write(folder.path().join("dropspec.toml"), settings).unwrap();
    folder
}

fn run(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dropspec"));
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn warnings_of_a_kind_are_printed_together_when_files_change_and_then_counted() {
    let folder = repository(SETTINGS);
    let (code, _, said) = run(&folder, &["generate"]);
    assert_eq!(code, Some(0));
    assert_eq!(
        said,
        "warning: api.yaml:4:8: the operation has no `operationId`, so that it is called `getA` (/paths/~1a/get)
  help: add `operationId: getA`
  and 3 like it: api.yaml:5:8, api.yaml:6:8 and 1 more
warning: api.yaml:7:53: OpenAPI 3.0.3 does not define `colour` here (/paths/~1d/get/responses/204/colour)
  help: remove it, or begin its name with `x-`
`dropspec lint` lists every place
"
    );
    for arguments in [&["generate"][..], &["generate", "--check"]] {
        let (code, _, said) = run(&folder, arguments);
        assert_eq!(code, Some(0));
        assert_eq!(said, "as before: 5 warnings (`dropspec lint` lists them)\n");
    }
}

#[test]
fn edit_prints_only_what_is_new_and_errors_last() {
    let folder = repository(SETTINGS);
    run(&folder, &["generate"]);
    let edited = DOCUMENT.to_owned() + "  /e: {get: {responses: {'204': {description: none}}}}\n";
    fs::write(folder.path().join("api.yaml"), &edited).unwrap();
    let (code, _, said) = run(&folder, &["generate"]);
    assert_eq!(code, Some(0));
    assert_eq!(
        said,
        "warning: api.yaml:8:8: the operation has no `operationId`, so that it is called `getE` (/paths/~1e/get)
  help: add `operationId: getE`
as before: 5 warnings (`dropspec lint` lists them)
"
    );
    fs::write(folder.path().join("api.yaml"), edited + "  /f: 7\n").unwrap();
    let (code, _, said) = run(&folder, &["generate"]);
    assert_eq!(code, Some(2));
    assert!(
        said.starts_with(
            "as before: 1 warning (`dropspec lint` lists them)\nerror: api.yaml:9:7: "
        ),
        "{said}"
    );
}

#[test]
fn lint_lists_every_place_once() {
    let folder = repository(SETTINGS);
    let (code, said, _) = run(&folder, &["lint"]);
    assert_eq!(code, Some(0), "warnings are no errors");
    let places: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("warning: "))
        .collect();
    let expected = [
        "warning: api.yaml:4:8: ",
        "warning: api.yaml:5:8: ",
        "warning: api.yaml:6:8: ",
        "warning: api.yaml:7:8: ",
        "warning: api.yaml:7:53: OpenAPI 3.0.3 does not define `colour`",
    ];
    assert_eq!(places.len(), expected.len(), "{said}");
    for (place, expected) in places.iter().zip(expected) {
        assert!(place.starts_with(expected), "{place}");
    }
    assert!(said.ends_with("\n5 warnings\n"), "{said}");
    assert_eq!(run(&folder, &["lint", "--deny-warnings"]).0, Some(1));
}

#[test]
fn settings_without_a_folder_for_files_are_an_error() {
    let folder = repository("document = \"api.yaml\"\n");
    let (code, _, said) = run(&folder, &["generate"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("add a table [output]"), "{said}");
}

#[test]
fn folders_and_urls_are_no_documents() {
    let folder = repository(SETTINGS);
    for command in [
        &["generate", "--out", "o", "--spec"][..],
        &["bundle"],
        &["new", "books", "--spec"],
    ] {
        for (file, reason) in [
            (".", "this is a folder: name the document in it"),
            (
                "https://example.com/api.yaml",
                "this is a URL: download the document, and name the file",
            ),
        ] {
            let (code, _, said) = run(&folder, &[command, &[file]].concat());
            assert_eq!(code, Some(2), "{command:?}");
            assert!(said.contains(reason), "{command:?}: {said}");
        }
    }
}

#[test]
fn folder_of_modules_is_removed_with_its_last_file() {
    let settings = |traits: &str| format!("{SETTINGS}[generate]\ntraits = \"{traits}\"\n");
    let folder = repository(&settings("by-tag"));
    let tagged = DOCUMENT.replace("get: {", "get: {tags: [A], ");
    let tagged = tagged.replacen("tags: [A]", "tags: [B]", 1);
    fs::write(folder.path().join("api.yaml"), tagged).unwrap();
    assert_eq!(run(&folder, &["generate"]).0, Some(0));
    let modules = folder.path().join("src/api");
    assert!(modules.is_dir());
    fs::write(folder.path().join("dropspec.toml"), settings("one")).unwrap();
    assert_eq!(run(&folder, &["generate"]).0, Some(0));
    assert!(!modules.exists());
    assert!(folder.path().join("src/api.rs").exists());
}
