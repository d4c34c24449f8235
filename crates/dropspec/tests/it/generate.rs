//! `generate` as a person runs it, on a directory of its own.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Books, version: 1.0.0}
x-error-codes: {book_not_found: 404}
paths:
  /books:
    get:
      operationId: listBooks
      responses: {'204': {description: none}}
";

/// A document and the directory that its files go to.
struct Folder(TempDir);

impl Folder {
    fn with(document: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.describe(document);
        folder
    }

    fn describe(&self, document: &str) {
        fs::write(self.0.path().join("books.yaml"), document).unwrap();
    }

    fn run(&self, options: &[&str]) -> Output {
        self.command(options).output().unwrap()
    }

    fn command(&self, options: &[&str]) -> Command {
        let arguments = ["generate", "--spec", "books.yaml", "--out", "out"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_dropspec"));
        command
            .current_dir(self.0.path())
            .args(arguments)
            .args(options);
        command
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join("out").join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path().join("out")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn writes_all_files_and_then_check_succeeds() {
    let folder = Folder::with(DOCUMENT);
    assert_eq!(folder.run(&[]).status.code(), Some(0));
    let names = [
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
    assert_eq!(folder.names(), names);
    let checked = folder.run(&["--check"]);
    assert_eq!(
        (checked.status.code(), printed(&checked).as_str()),
        (Some(0), "")
    );
}

#[test]
fn does_not_touch_unchanged_files() {
    let folder = Folder::with(DOCUMENT);
    folder.run(&[]);
    let written = fs::metadata(folder.file("types.rs"))
        .unwrap()
        .modified()
        .unwrap();
    let again = folder.run(&[]);
    assert_eq!(printed(&again), "12 files are unchanged\n");
    assert_eq!(
        fs::metadata(folder.file("types.rs"))
            .unwrap()
            .modified()
            .unwrap(),
        written
    );
}

#[test]
fn check_reports_stale_files_and_changes_nothing() {
    let folder = Folder::with(DOCUMENT);
    folder.run(&[]);
    let path = folder.file("operations.rs");
    let stale = fs::read_to_string(&path)
        .unwrap()
        .replace("\"listBooks\"", "\"listPets\"");
    fs::write(&path, &stale).unwrap();
    fs::remove_file(folder.file("types.rs")).unwrap();
    let checked = folder.run(&["--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let text = printed(&checked);
    for expected in [
        "out/operations.rs is stale",
        "-    operation_id: \"listPets\",",
        "+    operation_id: \"listBooks\",",
        "out/types.rs is missing",
        "dropspec generate --spec books.yaml --out out",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in:\n{text}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), stale);
    assert!(!folder.file("types.rs").exists());
}

#[test]
fn reports_and_removes_files_that_are_no_longer_generated() {
    let folder = Folder::with(DOCUMENT);
    folder.run(&[]);
    fs::write(folder.file("lib.rs"), "//! By hand.\n").unwrap();
    folder.describe(&DOCUMENT.replace("x-error-codes: {book_not_found: 404}\n", ""));
    let checked = folder.run(&["--check"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(printed(&checked).contains("out/error_codes.rs is no longer generated"));
    assert!(folder.file("error_codes.rs").exists());
    folder.run(&[]);
    assert!(!folder.file("error_codes.rs").exists());
    assert!(
        folder.file("lib.rs").exists(),
        "what was written by hand stays"
    );
}

#[test]
fn invalid_document_exits_with_2_and_changes_nothing() {
    let folder = Folder::with(DOCUMENT);
    folder.run(&[]);
    let before = fs::read_to_string(folder.file("api.rs")).unwrap();
    folder.describe(
        &DOCUMENT
            .replace("{description: none}", "1")
            .replace("404", "204"),
    );
    for options in [&[][..], &["--check"]] {
        let refused = folder.run(options);
        assert_eq!(refused.status.code(), Some(2));
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            text.contains("books.yaml:3:17: the code `book_not_found` has no error status"),
            "{text}"
        );
        assert!(
            text.contains("books.yaml:8:26: expected a response (an object)"),
            "{text}"
        );
        assert!(text.contains("2 errors; nothing was written"), "{text}");
    }
    assert_eq!(fs::read_to_string(folder.file("api.rs")).unwrap(), before);
}

#[test]
fn refuses_to_overwrite_files_that_were_not_generated() {
    let folder = Folder::with(DOCUMENT);
    fs::create_dir(folder.file("")).unwrap();
    let by_hand = ["types.rs", "openapi.json"];
    for name in by_hand {
        fs::write(folder.file(name), "by hand").unwrap();
    }
    let refused = folder.run(&[]);
    assert_eq!(refused.status.code(), Some(2));
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(
        text.ends_with("another directory: out/openapi.json, out/types.rs\n"),
        "{text}"
    );
    let mut names = folder.names();
    names.sort();
    assert_eq!(
        names,
        ["openapi.json", "types.rs"],
        "nothing else is written"
    );
    for name in by_hand {
        assert_eq!(fs::read_to_string(folder.file(name)).unwrap(), "by hand");
    }
}

#[test]
fn rejected_code_names_its_file() {
    let folder = Folder::with(DOCUMENT);
    let output = folder
        .command(&[])
        .env("RUSTFMT", "false")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.starts_with("cannot format out/api.rs: rustfmt rejects"),
        "{text}"
    );
}

#[test]
fn closed_pipes_end_quietly() {
    let folder = Folder::with(DOCUMENT);
    for arguments in [
        &["lint", "books.yaml"][..],
        &["lint", "nowhere.yaml"],
        &["help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_dropspec"));
        command.current_dir(folder.0.path()).args(arguments);
        command.stdout(writer.try_clone().unwrap()).stderr(writer);
        let status = command.status().unwrap();
        assert_ne!(status.code(), Some(101), "{arguments:?} panics");
    }
}

#[test]
fn missing_document_exits_with_2() {
    let folder = Folder::with(DOCUMENT);
    fs::remove_file(folder.0.path().join("books.yaml")).unwrap();
    let refused = folder.run(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&refused.stderr)
            .starts_with("error: books.yaml: the file cannot be read: ")
    );
    assert!(!Path::new(&folder.file("api.rs")).exists());
}

#[test]
fn missing_rustfmt_exits_with_2_and_says_what_to_install() {
    let folder = Folder::with(DOCUMENT);
    let mut command = folder.command(&[]);
    let output = command.env("RUSTFMT", "no-such-rustfmt").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    let expected = "there is no `no-such-rustfmt`; install it by `rustup component add rustfmt`";
    assert!(text.starts_with(expected), "{text}");
    // A file that is no program is not one to install.
    let mut command = folder.command(&[]);
    let output = command.env("RUSTFMT", "/dev/null").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    let expected = "cannot run `/dev/null`; check its permissions: Permission denied";
    assert!(text.starts_with(expected), "{text}");
    assert!(!folder.0.path().join("out").exists());
}

#[test]
fn report_lists_what_is_refused_also_of_a_document_that_cannot_be_used() {
    let folder = Folder::with(DOCUMENT);
    let report = || {
        let path = folder.0.path().join("report.json");
        let text = fs::read_to_string(path).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    folder.run(&["--report", "report.json"]);
    let complete = serde_json::json!({"operations": 1, "generated": 1, "refused": []});
    assert_eq!(report(), complete);

    folder.describe(&DOCUMENT.replace("'204': {description: none}", "'204': 1"));
    let refused = folder.run(&["--report", "report.json"]);
    assert_eq!(refused.status.code(), Some(2));
    let report = report();
    assert_eq!(report["operations"], 1);
    assert_eq!(report["generated"], 0);
    assert_eq!(report["refused"][0]["operation"], "listBooks");
    assert_eq!(report["refused"][0]["line"], 8);
    assert_eq!(report["refused"][0]["column"], 26);
    let refused = report["refused"][0].as_object().unwrap();
    let keys: Vec<&String> = refused.keys().collect();
    assert_eq!(keys, ["operation", "line", "column", "message", "help"]);
}

#[test]
fn client_is_of_the_generator_that_the_settings_name() {
    for (client, expected) in [
        ("own", "spec_client::"),
        ("progenitor", "progenitor_client::"),
    ] {
        let folder = Folder::with(DOCUMENT);
        let settings = format!("[generate]\nclient = \"{client}\"\n");
        fs::write(folder.0.path().join("dropspec.toml"), settings).unwrap();
        let output = folder.run(&[]);
        assert!(output.status.success(), "{output:?}");
        let text = fs::read_to_string(folder.file("client.rs")).unwrap();
        assert!(text.contains(expected), "{client}:\n{text}");
    }
}
