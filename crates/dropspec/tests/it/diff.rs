//! `diff` and `lint`: exit codes, sources of the base, formats.
#![allow(clippy::unwrap_used)]

use std::fs::File;

use crate::checkout::{Checkout, SPEC};

const ADDED: (&str, &str) = (
    "      responses:",
    "      parameters: [{name: q, in: query, required: true, schema: {type: string}}]\n      responses:",
);

#[test]
fn diff_compares_with_last_release() {
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
        (0, "1.0.0 was released as spec/releases/1.0.0.yaml\n"),
        "{error}"
    );
    let (code, said, _) = checkout.run(&["diff"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "no findings: the documents have the same meaning\n")
    );

    checkout.edit(ADDED.0, ADDED.1);
    let (code, said, _) = checkout.run(&["diff"]);
    assert_eq!(code, 1);
    assert!(
        said.contains(
            "spec/petstore.yaml:11:20: error: the required query parameter `q` was added"
        ),
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
fn warnings_fail_only_with_fail_on_warn() {
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
fn reports_unreadable_input_in_one_line_with_help() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("broken.yaml"), "openapi: [").unwrap();
    std::fs::write(checkout.path("other.yaml"), "swagger: '2.0'").unwrap();
    std::fs::write(checkout.path("list.yaml"), "[a]").unwrap();
    std::fs::write(checkout.path("newer.yaml"), "\nopenapi: 4.0.0").unwrap();
    std::fs::write(checkout.path("bytes.yaml"), b"openapi: 3.0.3\n\xff").unwrap();
    let cases = [
        ("broken.yaml", "broken.yaml:2:1: "),
        (
            "other.yaml",
            "other.yaml:1:10: this is a Swagger 2.0 document",
        ),
        (
            "list.yaml",
            "list.yaml:1:1: expected an OpenAPI document (an object), found an array",
        ),
        (
            "newer.yaml",
            "newer.yaml:2:10: OpenAPI version \"4.0.0\" is not supported, only 3.0, 3.1 and 3.2",
        ),
        (
            "bytes.yaml",
            "bytes.yaml:2:1: the text is not UTF-8 from here on",
        ),
        ("missing.yaml", "is not a file, and no revision"),
        (
            "spec",
            "the base is a folder or a pattern, and the revision is one document",
        ),
        // A CI variable that is not set. To git it would be the index.
        ("", "the base is empty"),
    ];
    for (base, expected) in cases {
        let (code, said, error) = checkout.run(&["diff", "--base", base]);
        assert_eq!((code, said.as_str()), (2, ""), "{base}");
        let is_line = |line: &&str| !line.starts_with("  help: ");
        assert_eq!(
            error.trim_end().lines().filter(is_line).count(),
            1,
            "{error}"
        );
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn reads_git_revision_also_in_subdirectory_of_git_repository() {
    let checkout = Checkout::new();
    checkout.commit();
    checkout.edit(ADDED.0, ADDED.1);
    let (code, said, error) = checkout.run(&["diff", "--base", "HEAD"]);
    assert_eq!(code, 1, "{said}{error}");

    let repository = Checkout::new();
    let inner = repository.path("inner/spec");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::copy(
        repository.path("dropspec.toml"),
        repository.path("inner/dropspec.toml"),
    )
    .unwrap();
    std::fs::write(
        inner.join("petstore.yaml"),
        SPEC.replace("Gets it", "Has it"),
    )
    .unwrap();
    repository.commit();
    let (code, said, error) = repository.run_in("inner", &["diff", "--base", "HEAD"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "no findings: the documents have the same meaning\n"),
        "{error}"
    );
}

#[test]
fn findings_name_files_from_the_root() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("old.yaml"), SPEC).unwrap();
    checkout.edit(ADDED.0, ADDED.1);
    let arguments = [
        "diff",
        "--base",
        "../old.yaml",
        "--revision",
        "../spec/petstore.yaml",
    ];
    let (code, said, error) = checkout.run_in("spec", &arguments);
    assert_eq!(code, 1, "{error}");
    assert!(
        said.starts_with("spec/petstore.yaml:11:20: error"),
        "{said}"
    );
}

#[test]
fn lint_prints_line_and_column() {
    let checkout = Checkout::new();
    assert_eq!(checkout.run(&["lint"]), (0, String::new(), String::new()));
    checkout.edit("operationId: getA", "operationId: get_a");
    let (code, said, _) = checkout.run(&["lint"]);
    assert_eq!(code, 1);
    assert!(
        said.starts_with("error: spec/petstore.yaml:7:20: "),
        "{said}"
    );
    assert_eq!(checkout.run(&["lint", "missing.yaml"]).0, 2);
}

#[test]
fn what_cannot_be_used_exits_with_2_whatever_the_command() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("empty.yaml"), "").unwrap();
    for command in [
        &["lint", "empty.yaml"][..],
        &["bundle", "empty.yaml"],
        &["diff", "--base", "empty.yaml"],
        &["generate", "--spec", "empty.yaml", "--out", "out"],
        &["new", "books", "--spec", "empty.yaml"],
    ] {
        let (code, said, error) = checkout.run(command);
        assert_eq!(code, 2, "{command:?}: {said}{error}");
        assert!((said + &error).contains("empty.yaml:1:1: "), "{command:?}");
    }
    std::fs::remove_file(checkout.path("dropspec.toml")).unwrap();
    for command in ["lint", "bundle", "diff", "generate", "release"] {
        let (code, said, error) = checkout.run(&[command]);
        assert_eq!((code, said.as_str()), (2, ""), "{command}: {error}");
        assert!(
            error.contains("there is no dropspec.toml"),
            "{command}: {error}"
        );
    }
}

#[test]
fn lint_of_a_repository_that_generates_nothing_does_not_warn_of_the_generator() {
    let checkout = Checkout::empty();
    let document = "openapi: 3.0.3\ninfo: { title: a, version: 1.0.0 }\n\
                    servers: [{ url: 'https://a.example/api' }]\npaths: {}\n";
    checkout.write("openapi.yaml", document);
    let (code, said, error) = checkout.run(&["lint", "openapi.yaml", "--deny-warnings"]);
    assert_eq!(code, 0, "{said}{error}");
    checkout.write("dropspec.toml", "");
    let (_, said, error) = checkout.run(&["lint", "openapi.yaml"]);
    assert!(said.contains("base path `/api`"), "{said}{error}");
}

#[test]
fn lint_reports_what_generate_refuses_once() {
    let checkout = Checkout::new();
    checkout.edit("tags: [{name", "x-error-codes: {a: 204}\ntags: [{name");
    let (code, said, _) = checkout.run(&["lint"]);
    assert_eq!(code, 1);
    let expected = "error: spec/petstore.yaml:3:17: the code `a` has no error status (/x-error-codes/a)\n  \
                    help: write a status from 400 to 599\n  rule: not-generated\n\n1 error\n";
    assert_eq!(said, expected);

    let checkout = Checkout::new();
    checkout.edit("summary: Get it", "const: a\n      summary: Get it");
    let (code, said, _) = checkout.run(&["lint"]);
    assert_eq!(code, 0, "it is a warning");
    assert_eq!(said.matches("`const`").count(), 1, "{said}");
}

#[test]
fn closed_pipe_keeps_exit_code_and_full_disk_is_an_error() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("old.yaml"), SPEC).unwrap();
    checkout.edit(ADDED.0, ADDED.1);
    for arguments in [&["lint"][..], &["diff", "--base", "old.yaml"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = checkout.command(arguments);
        let output = command.stdout(writer).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(1), ""));

        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = checkout.command(arguments);
        let output = command.stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said.starts_with("error: No space left"), "{said}");
    }
}

#[test]
fn prints_every_format() {
    let checkout = Checkout::new();
    std::fs::write(checkout.path("old.yaml"), SPEC).unwrap();
    checkout.edit(ADDED.0, ADDED.1);
    for (format, expected) in [
        (
            "text",
            "error: the required query parameter `q` was added [new-required-request-parameter]",
        ),
        (
            "github",
            "::error file=spec/petstore.yaml,line=11,col=20,title=new-required-request-parameter::the required",
        ),
        (
            "markdown",
            "- ❌ error: the required query parameter `q` was added<br>\n  `new-required-request-parameter`",
        ),
        (
            "html",
            "<strong>error</strong>: the required query parameter",
        ),
        ("junit", "classname=\"new-required-request-parameter\""),
        ("sarif", "\"ruleId\": \"new-required-request-parameter\""),
        ("json", "\"id\": \"new-required-request-parameter\""),
    ] {
        let (code, said, _) = checkout.run(&["diff", "--base", "old.yaml", "--format", format]);
        assert_eq!(code, 1);
        assert!(said.contains(expected), "{format}: {said}");
    }
}

#[test]
fn reports_have_the_lines_of_both_documents_and_prove_breaks() {
    let checkout = Checkout::new();
    checkout.commit();
    checkout.edit(ADDED.0, ADDED.1);
    let (code, page, error) = checkout.run(&["diff", "--base", "HEAD", "--format", "html"]);
    assert_eq!(code, 1, "{error}");
    let shown = page.matches("<mark>").count();
    assert!(shown >= 2, "{page}");
    assert!(page.contains("in: query, required: true"), "{page}");

    let (code, said, error) = checkout.run(&["diff", "--base", "HEAD", "--prove"]);
    assert_eq!(code, 1, "{error}");
    let refused = "the revision refuses the request: the query parameter `q`: it is required";
    assert!(said.contains(refused), "{said}");

    let (code, report, _) = checkout.run(&["diff", "--base", "HEAD", "--format", "junit"]);
    assert_eq!(code, 1);
    assert!(report.contains("<failure type=\"error\""), "{report}");

    let (code, said, error) = checkout.run(&["changelog", "HEAD", "spec/petstore.yaml"]);
    assert_eq!(code, 0, "{error}");
    assert!(said.contains("### Breaking changes\n\n- "), "{said}");
}
