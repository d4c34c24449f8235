//! `generate` as a person runs it, on a directory of its own.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::checkout::{Checkout, result};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Books, version: 1.0.0}
x-error-codes: {book_not_found: 404}
paths:
  /books:
    get:
      operationId: listBooks
      responses: {'204': {description: none}}
";

const GENERATE: [&str; 5] = ["generate", "--spec", "books.yaml", "--out", "out"];

fn folder() -> Checkout {
    let folder = Checkout::empty();
    folder.write("books.yaml", DOCUMENT);
    folder
}

fn run(folder: &Checkout, options: &[&str]) -> (i32, String, String) {
    folder.run(&[&GENERATE[..], options].concat())
}

fn names(folder: &Checkout) -> Vec<String> {
    let entries = fs::read_dir(folder.path("out")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn writes_all_files_and_touches_none_that_is_up_to_date() {
    let folder = folder();
    assert_eq!(run(&folder, &[]).0, 0);
    let expected = [
        "api.rs",
        "client",
        "client.rs",
        "document.rs",
        "error_codes.rs",
        "interface.rs",
        "openapi.json",
        "operations.rs",
        "parameters.rs",
        "types.rs",
    ];
    assert_eq!(names(&folder), expected);
    assert_eq!(
        run(&folder, &["--check"]),
        (0, String::new(), String::new())
    );
    let modified = || {
        fs::metadata(folder.path("out/types.rs"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let written = modified();
    assert_eq!(run(&folder, &[]).1, "12 files are unchanged\n");
    assert_eq!(modified(), written);
}

#[test]
fn check_reports_stale_files_and_changes_nothing() {
    let folder = folder();
    run(&folder, &[]);
    let stale = folder
        .read("out/operations.rs")
        .replace("\"listBooks\"", "\"listPets\"");
    folder.write("out/operations.rs", &stale);
    fs::remove_file(folder.path("out/types.rs")).unwrap();
    folder.write("out/lib.rs", "//! By hand.\n");
    folder.write(
        "books.yaml",
        &DOCUMENT.replace("x-error-codes: {book_not_found: 404}\n", ""),
    );
    let (code, said, _) = run(&folder, &["--check"]);
    assert_eq!(code, 1);
    for expected in [
        "out/operations.rs is stale",
        "-    operation_id: \"listPets\",",
        "+    operation_id: \"listBooks\",",
        "out/types.rs is missing",
        "out/error_codes.rs is no longer generated",
        "dropspec generate --spec books.yaml --out out",
    ] {
        assert!(said.contains(expected), "{expected:?} is not in:\n{said}");
    }
    assert_eq!(folder.read("out/operations.rs"), stale);
    assert!(!folder.path("out/types.rs").exists());
    assert!(folder.path("out/error_codes.rs").exists());
    run(&folder, &[]);
    assert!(!folder.path("out/error_codes.rs").exists());
    assert!(
        folder.path("out/lib.rs").exists(),
        "what was written by hand stays"
    );
}

#[test]
fn invalid_document_changes_nothing() {
    let folder = folder();
    run(&folder, &[]);
    let before = folder.read("out/api.rs");
    let invalid = DOCUMENT
        .replace("{description: none}", "1")
        .replace("404", "204");
    folder.write("books.yaml", &invalid);
    for options in [&["--check"][..], &[]] {
        let (code, _, error) = run(&folder, options);
        assert_eq!(code, 2);
        for expected in [
            "error: books.yaml:3:17: the code `book_not_found` has no error status",
            "error: books.yaml:8:26: expected a response (an object)",
            "2 errors; nothing was written",
        ] {
            assert!(error.contains(expected), "{error}");
        }
    }
    assert_eq!(folder.read("out/api.rs"), before);
}

#[test]
fn refuses_to_overwrite_files_that_were_not_generated() {
    let folder = folder();
    for name in ["out/types.rs", "out/openapi.json"] {
        folder.write(name, "by hand");
    }
    let (code, _, error) = run(&folder, &[]);
    assert_eq!(code, 2);
    let end = "another directory: out/openapi.json, out/types.rs\n";
    assert!(error.ends_with(end), "{error}");
    assert_eq!(
        names(&folder),
        ["openapi.json", "types.rs"],
        "nothing else is written"
    );
    assert_eq!(folder.read("out/types.rs"), "by hand");
}

#[test]
fn rustfmt_that_cannot_be_run_is_explained() {
    let folder = folder();
    for (program, expected) in [
        (
            "no-such-rustfmt",
            "error: there is no `no-such-rustfmt`; install it by `rustup component add rustfmt`",
        ),
        // A file that is no program is not one to install.
        (
            "/dev/null",
            "error: cannot run `/dev/null`; check its permissions: Permission denied",
        ),
    ] {
        let mut command = folder.command(&GENERATE);
        let (code, _, error) = result(command.env("RUSTFMT", program).output().unwrap());
        assert_eq!(code, 2);
        assert!(error.starts_with(expected), "{error}");
        assert!(!folder.path("out").exists());
    }
}

#[test]
fn client_is_of_the_generator_that_the_settings_name() {
    for (client, expected) in [
        ("own", "dropspec_client::"),
        ("progenitor", "progenitor_client::"),
    ] {
        let folder = folder();
        folder.write(
            "dropspec.toml",
            &format!("[generate]\nclient = \"{client}\"\n"),
        );
        assert_eq!(run(&folder, &[]).0, 0);
        let text = folder.read("out/client.rs");
        assert!(text.contains(expected), "{client}:\n{text}");
    }
}
