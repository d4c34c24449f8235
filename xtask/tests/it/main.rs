//! Tests of the commands as processes.
#![allow(clippy::unwrap_used)]

mod tidy;

use std::path::Path;
use std::process::Command;

#[test]
fn missing_corpus_fails_only_in_ci() {
    let run = |ci: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["conformance", "no-such-corpus"])
            .env("CI", ci)
            .output()
            .unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let line = "skipped: no corpus at no-such-corpus\n".to_owned();
    assert_eq!(run(""), (0, line.clone()));
    assert_eq!(run("true"), (1, line));
}

#[test]
fn corpus_agrees() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/contract-diff");
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("conformance")
        .arg(corpus)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn repository_is_up_to_date() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let checked = command.args(["generate", "--check"]).output().unwrap();
    let said = String::from_utf8_lossy(&checked.stdout);
    assert_eq!(checked.status.code(), Some(0), "{said}");
}
