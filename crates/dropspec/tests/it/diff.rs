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
    // To who runs it in another folder, findings name files from the root.
    let arguments = ["diff", "releases/1.0.0.yaml", "../spec/petstore.yaml"];
    let (_, said, _) = checkout.run_in("spec", &arguments);
    assert!(
        said.starts_with("spec/petstore.yaml:11:20: error"),
        "{said}"
    );
}

/// Bases that cannot be read.
const UNREADABLE: &str = "
diff broken.yaml spec/petstore.yaml => error: broken.yaml:2:1: 
diff other.yaml spec/petstore.yaml => error: other.yaml:1:10: this is a Swagger 2.0 document
diff list.yaml spec/petstore.yaml => error: list.yaml:1:1: expected an OpenAPI document (an object), found an array
diff newer.yaml spec/petstore.yaml => error: newer.yaml:2:10: OpenAPI version \"4.0.0\" is not supported, only 3.0, 3.1 and 3.2
diff bytes.yaml spec/petstore.yaml => error: bytes.yaml:2:1: the text is not UTF-8 from here on
diff missing.yaml spec/petstore.yaml => is not a file, and no revision
diff spec spec/petstore.yaml => the base is a folder, and the revision is one document
diff --base= spec/petstore.yaml => the base is empty
lint missing.yaml => there is no file `missing.yaml`
lint apis/*.yaml => there is no file `apis/*.yaml`: patterns name no documents, so name their folder
diff apis/*.yaml spec/petstore.yaml => patterns name no documents
";

#[test]
fn input_that_cannot_be_read_is_explained() {
    let checkout = Checkout::new();
    checkout.write("broken.yaml", "openapi: [");
    checkout.write("other.yaml", "swagger: '2.0'");
    checkout.write("list.yaml", "[a]");
    checkout.write("newer.yaml", "\nopenapi: 4.0.0");
    std::fs::write(checkout.path("bytes.yaml"), b"openapi: 3.0.3\n\xff").unwrap();
    checkout.assert_refused(UNREADABLE);
}

#[test]
fn settings_below_the_top_of_a_repository_name_their_own_document() {
    let repository = Checkout::new();
    let settings = repository.read("dropspec.toml");
    repository.write("inner/dropspec.toml", &settings);
    repository.write(
        "inner/spec/petstore.yaml",
        &SPEC.replace("Gets it", "Has it"),
    );
    repository.commit();
    let (code, said, error) = repository.run_in("inner", &["diff", "--base", "HEAD"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "no findings: the documents have the same meaning\n"),
        "{error}"
    );
}

#[test]
fn settings_of_another_document_are_not_ignored_in_silence() {
    let checkout = Checkout::new();
    checkout.write("other.yaml", SPEC);
    checkout.write("spec/contract.toml", "[settings]\n");
    let (code, _, error) = checkout.run(&["diff", "other.yaml", "other.yaml"]);
    assert_eq!(code, 0);
    assert_eq!(
        error,
        "spec/contract.toml is not used, since it is for spec/petstore.yaml, the `document` of dropspec.toml: \
         `--settings spec/contract.toml` uses it\n"
    );
    let settings = checkout.read("dropspec.toml");
    checkout.write(
        "dropspec.toml",
        &format!("{settings}\n[contract]\nsettings = \"c.toml\"\n"),
    );
    let (code, _, error) = checkout.run(&["diff", "spec/petstore.yaml", "spec/petstore.yaml"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("there is no c.toml, which `settings` of `[contract]`"),
        "{error}"
    );
}

#[test]
fn commands_without_settings_say_what_to_write() {
    let checkout = Checkout::empty();
    for command in ["lint", "bundle", "diff", "generate", "release"] {
        checkout.assert_refused(&format!("{command} => there is no dropspec.toml"));
    }
}

#[test]
fn lint_of_a_repository_that_generates_nothing_does_not_warn_of_the_generator() {
    let checkout = Checkout::empty();
    let document = "openapi: 3.0.3\ninfo: { title: a, version: 1.0.0 }\n\
                    servers: [{ url: 'https://a.example/api' }]\npaths: {}\n";
    checkout.write("openapi.yaml", document);
    let (code, said, error) = checkout.run(&["lint", "openapi.yaml", "--fail-on", "warn"]);
    assert_eq!(code, 0, "{said}{error}");
    checkout.write("other.yaml", document);
    let settings = "document = \"openapi.yaml\"\n";
    for (settings, document, warns) in [
        ("[contract]\n", "other.yaml", false),
        (settings, "openapi.yaml", false),
        (
            &format!("{settings}[output]\napi = \"src\"\n"),
            "openapi.yaml",
            true,
        ),
        (
            &format!("{settings}[output]\napi = \"src\"\n"),
            "other.yaml",
            false,
        ),
    ] {
        checkout.write("dropspec.toml", settings);
        let (_, said, error) = checkout.run(&["lint", document]);
        let has_warning = said.contains("base path `/api`");
        assert_eq!(has_warning, warns, "{settings} {document}: {said}{error}");
    }
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
    checkout.write("old.yaml", SPEC);
    checkout.edit(ADDED.0, ADDED.1);
    let rule = "new-required-request-parameter";
    for (format, expected) in [
        (
            "text",
            format!("error: the required query parameter `q` was added [{rule}]"),
        ),
        (
            "github",
            format!("::error file=spec/petstore.yaml,line=11,col=20,title={rule}::the required"),
        ),
        (
            "markdown",
            format!("- ❌ error: the required query parameter `q` was added<br>\n  `{rule}`"),
        ),
        (
            "html",
            "<strong>error</strong>: the required query parameter".to_owned(),
        ),
        ("junit", format!("classname=\"{rule}\"")),
        ("sarif", format!("\"ruleId\": \"{rule}\"")),
        ("json", format!("\"id\": \"{rule}\"")),
    ] {
        let (code, said, _) = checkout.run(&["diff", "--base", "old.yaml", "--format", format]);
        assert_eq!(code, 1);
        assert!(said.contains(&expected), "{format}: {said}");
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

    let (code, said, error) = checkout.run(&["changelog", "HEAD", "spec/petstore.yaml"]);
    assert_eq!(code, 0, "{error}");
    assert!(said.contains("### Breaking changes\n\n- "), "{said}");
}
