//! Tests of the commands as processes.
#![allow(clippy::unwrap_used)]

mod tidy;

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
