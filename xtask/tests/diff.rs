//! The commands as a person and CI run them: exit codes, and where the base comes from.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SPEC: &str = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
tags: [{name: A, description: All of it.}]
paths:
  /a:
    get:
      operationId: getA
      tags: [A]
      summary: Get it
      description: Gets it.
      responses: {'200': {description: It., content: {text/plain: {schema: {type: string}, example: a}}}}
";

/// A checkout with a contract in it.
struct Checkout(tempfile::TempDir);

impl Checkout {
    fn new() -> Checkout {
        let checkout = Checkout(tempfile::tempdir().unwrap());
        std::fs::create_dir(checkout.path("spec")).unwrap();
        std::fs::write(checkout.path("Cargo.toml"), "").unwrap();
        std::fs::write(checkout.path("spec/petstore.yaml"), SPEC).unwrap();
        checkout
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn edit(&self, from: &str, to: &str) {
        let path = self.path("spec/petstore.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace(from, to)).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }
}

const ADDED: (&str, &str) = (
    "      responses:",
    "      parameters: [{name: q, in: query, required: true, schema: {type: string}}]\n      responses:",
);

#[test]
fn a_change_is_compared_with_the_last_release() {
    let checkout = Checkout::new();
    let (code, _, error) = checkout.run(&["diff"]);
    assert_eq!(code, 2);
    assert!(
        error.starts_with("error: there is no release in spec/releases"),
        "{error}"
    );

    let (code, said, error) = checkout.run(&["release"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "1.0.0 is frozen as spec/releases/1.0.0.yaml\n"),
        "{error}"
    );
    let (code, said, _) = checkout.run(&["diff"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "no findings: the documents mean the same\n")
    );

    checkout.edit(ADDED.0, ADDED.1);
    let (code, said, _) = checkout.run(&["diff"]);
    assert_eq!(code, 1);
    assert!(
        said.contains("spec/petstore.yaml:11:20: error: the required query parameter `q` is new"),
        "{said}"
    );
    let (code, said, _) = checkout.run(&["diff", "--format", "json"]);
    let findings: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (code, &findings[0]["id"]),
        (1, &"new-required-request-parameter".into())
    );
    let members = [
        "id",
        "level",
        "operations",
        "pointer",
        "base",
        "revision",
        "message",
        "fingerprint",
    ];
    assert!(
        members
            .iter()
            .all(|member| findings[0].get(member).is_some()),
        "{said}"
    );
}

#[test]
fn warnings_fail_only_where_they_are_asked_to() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("old.yaml"), SPEC).unwrap();
    checkout.edit(
        "schema: {type: string}",
        "schema: {type: string, contentEncoding: base64}",
    );
    let plain = checkout.run(&[
        "diff",
        "--base",
        "old.yaml",
        "--revision",
        "spec/petstore.yaml",
    ]);
    assert_eq!(plain.0, 0, "{}", plain.1);
    let strict = checkout.run(&["diff", "--base", "old.yaml", "--fail-on", "warn"]);
    assert_eq!(strict.0, 1);
}

#[test]
fn unusable_input_is_told_in_a_line() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("broken.yaml"), "openapi: [").unwrap();
    std::fs::write(checkout.path("other.yaml"), "swagger: '2.0'").unwrap();
    for base in ["broken.yaml", "other.yaml", "missing.yaml"] {
        let (code, said, error) = checkout.run(&["diff", "--base", base]);
        assert_eq!((code, said.as_str()), (2, ""), "{base}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    }
}

#[test]
fn a_frozen_document_is_guarded() {
    let checkout = Checkout::new();
    assert_eq!(checkout.run(&["release"]).0, 0);
    let again = checkout.run(&["release"]);
    assert_eq!(again.1, "1.0.0 is frozen already\n");
    checkout.edit("Gets it.", "Gets it, or not.");
    assert_ne!(checkout.run(&["release"]).0, 0, "1.0.0 is taken");
    std::fs::write(checkout.path("spec/releases/1.0.0.yaml"), "changed").unwrap();
    let (code, _, error) = checkout.run(&["diff"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("1.0.0.yaml was changed after its release"),
        "{error}"
    );
    let (code, said, _) = checkout.run(&["lint"]);
    assert_eq!(code, 1);
    assert!(said.contains("was changed after its release"), "{said}");
}

#[test]
fn lint_tells_line_and_column() {
    let checkout = Checkout::new();
    assert_eq!(checkout.run(&["lint"]), (0, String::new(), String::new()));
    checkout.edit("operationId: getA", "operationId: get_a");
    let (code, said, _) = checkout.run(&["lint"]);
    assert_eq!(code, 1);
    assert!(said.starts_with("spec/petstore.yaml:7:20: "), "{said}");
    assert_eq!(checkout.run(&["lint", "missing.yaml"]).0, 2);
}

#[test]
fn every_format_is_written() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("old.yaml"), SPEC).unwrap();
    checkout.edit(ADDED.0, ADDED.1);
    for (format, expected) in [
        (
            "text",
            "error: the required query parameter `q` is new [new-required-request-parameter]",
        ),
        (
            "github",
            "::error file=spec/petstore.yaml,line=11,col=20,title=new-required-request-parameter::the required",
        ),
        (
            "markdown",
            "| ❌ error | the required query parameter `q` is new<br>`new-required-request-parameter`",
        ),
        ("sarif", "\"ruleId\": \"new-required-request-parameter\""),
        ("json", "\"id\": \"new-required-request-parameter\""),
    ] {
        let (code, said, _) = checkout.run(&["diff", "--base", "old.yaml", "--format", format]);
        assert_eq!(code, 1);
        assert!(said.contains(expected), "{format}: {said}");
    }
}

#[test]
fn a_corpus_that_is_absent_is_a_failure_only_in_ci() {
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
    let line = "skipped: there is no corpus at no-such-corpus\n".to_owned();
    assert_eq!(run(""), (0, line.clone()));
    assert_eq!(run("true"), (1, line));
}

#[test]
fn the_corpus_agrees() {
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
