//! What `new`, `generate` and `lint` say of documents, settings and revisions that are wrong.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::checkout::Checkout;

/// A document in which each line of `paths` violates OpenAPI in one way that does not prevent code.
const VIOLATIONS: &str = "openapi: 3.0.3
info: {title: Books, version: v3}
paths:
  /a:
    get:
      operationID: getA
      parameters:
        - {name: q, in: query}
        - {name: r, in: query, schema: {type: string, pattern: '('}}
      responses: {'200': {descripton: a}}
    gett: {}
";

/// What is said of it, each with its place.
const SAID: [&str; 6] = [
    "warning: api.yaml:6:7: OpenAPI 3.0.3 does not define `operationID` here: did you mean `operationId`?",
    "warning: api.yaml:8:11: the parameter needs either `schema` or `content`",
    "warning: api.yaml:9:55: `(` is not a regular expression",
    "warning: api.yaml:10:19: the response has no `description`",
    "warning: api.yaml:10:27: OpenAPI 3.0.3 does not define `descripton` here: did you mean `description`?",
    "warning: api.yaml:11:5: OpenAPI 3.0.3 does not define `gett` here: did you mean `get`?",
];

/// A document with errors, and with what `lint` calls an error although it can mean only one thing.
const ERRORS: &str = "openapi: 3.0.3
info: {title: Books, version: 1.0.0}
paths:
  /a/{id}:
    get:
      operationId: same
      responces: {'204': {description: none}}
    put:
      operationId: same
      parameters: [{name: id, in: path, required: true, schema: {type: strng}}]
      responses: {'200': {$ref: '#/components/responses/Boks'}}
components:
  responses:
    Books: {description: all}
";

/// What is said of it. `LEVEL` is that of what can mean only one thing: an error of `lint`, and a warning of the others.
const ERRORS_SAID: [&str; 7] = [
    "LEVEL: api.yaml:5:5: the path parameter `{id}` is not declared, so that it is a string",
    "error: api.yaml:5:5: the operation has no `responses`",
    "warning: api.yaml:7:7: OpenAPI 3.0.3 does not define `responces` here: did you mean `responses`?",
    "LEVEL: api.yaml:9:20: the operationId `same` is not unique, so that the operation is called `putAId`",
    "error: api.yaml:10:72: `strng` is not a type",
    "  help: did you mean `string`?",
    "  help: did you mean `#/components/responses/Books`?",
];

fn folder_with(document: &str) -> Checkout {
    let checkout = Checkout::empty();
    checkout.write("api.yaml", document);
    let settings = "document = \"api.yaml\"\n[output]\napi = \"src\"\n";
    checkout.write("dropspec.toml", settings);
    checkout
}

const COMMANDS: [&[&str]; 4] = [
    &["lint"],
    &["generate"],
    &["generate", "--spec", "api.yaml", "--out", "out"],
    &["new", "books", "--spec", "api.yaml"],
];

#[test]
fn violations_with_which_code_can_be_generated_are_the_same_warnings_of_each_command() {
    for command in COMMANDS {
        let checkout = folder_with(VIOLATIONS);
        let (code, said, error) = checkout.run(command);
        let all = said + &error;
        for expected in SAID {
            assert!(all.contains(expected), "{command:?}: {expected}\n{all}");
        }
        assert_eq!(code, 0, "{command:?}: {all}");
        assert!(
            !all.contains("v3"),
            "a semantic version is a house rule: {all}"
        );
        assert!(!all.contains("error:"), "{all}");
    }
    let checkout = folder_with(VIOLATIONS);
    let (code, said, _) = checkout.run(&["lint", "--fail-on", "warn"]);
    assert_eq!(code, 1);
    assert!(said.ends_with(" warnings\n"), "{said}");
}

#[test]
fn errors_are_the_same_of_each_command_with_warnings_that_explain_them() {
    for command in COMMANDS {
        let checkout = folder_with(ERRORS);
        let (code, said, error) = checkout.run(command);
        let all = said + &error;
        let (level, number, expected) = if command == ["lint"] {
            ("error", "5 errors", 1)
        } else {
            ("warning", "3 errors", 2)
        };
        for said in ERRORS_SAID {
            let said = said.replace("LEVEL", level);
            assert!(all.contains(&said), "{command:?}: {said}\n{all}");
        }
        assert!(all.contains(number), "{command:?}: {all}");
        assert_eq!(code, expected, "{all}");
        assert!(!checkout.path("src").exists() && !checkout.path("books").exists());
    }
}

#[test]
fn files_that_are_no_documents_are_explained_by_each_command() {
    for (text, expected) in [
        (
            "openapi: 3.0.3\ninfo:\n\ttitle: a\n",
            "error: api.yaml:3:1: the line is indented by a tab (/info)\n  help: YAML allows only spaces",
        ),
        ("PK\x03\x04\0", "error: api.yaml:1:1: this is a binary file"),
        ("", "error: api.yaml:1:1: the document is empty\n  help: "),
        (
            "swagger: '2.0'\ninfo: {title: a, version: b}\npaths: {}\n",
            "error: api.yaml:1:10: this is a Swagger 2.0 document: only OpenAPI 3.0, 3.1 and 3.2 are supported (/swagger)\n  help: convert",
        ),
    ] {
        for command in COMMANDS.into_iter().chain([&["release"][..]]) {
            let (code, said, error) = folder_with(text).run(command);
            let all = said + &error;
            assert!(all.contains(expected), "{command:?}: {all}");
            assert_ne!(code, 0, "{all}");
        }
    }
}

#[test]
fn documents_of_later_versions_are_taken_by_each_command() {
    for version in ["3.1.2", "3.2.0"] {
        let text = format!("openapi: {version}\ninfo: {{title: a, version: 1.0.0}}\npaths: {{}}\n");
        for command in COMMANDS {
            let (code, said, error) = folder_with(&text).run(command);
            assert_eq!(code, 0, "{version} {command:?}: {said}{error}");
        }
        let checkout = folder_with(&text);
        checkout.write("old.yaml", &text.replace(version, "3.0.2"));
        let (code, said, _) = checkout.run(&["diff", "old.yaml", "api.yaml"]);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("[openapi-version-changed]"), "{said}");
    }
}

#[test]
fn document_that_settings_name_wrongly_is_an_error_of_each_command() {
    let checkout = folder_with(VIOLATIONS);
    checkout.write("dropspec.toml", "\ndocument = \"apu.yaml\"\n");
    for command in ["lint", "generate", "diff", "release", "bundle"] {
        let expected = "dropspec.toml:2:12: there is no file `apu.yaml`: did you mean `api.yaml`?";
        checkout.assert_refused(&format!("{command} => {expected}"));
    }
}

#[test]
fn what_cannot_be_compared_or_released_is_explained() {
    let rows = "
release => error: api.yaml:2:31: \"v3\" is not the version of a release: write three
diff --base main => `main` is not a file, and no revision, since this folder is in no git repository
";
    let checkout = folder_with(VIOLATIONS);
    checkout.assert_refused(rows);
    checkout.commit();
    checkout.git(&["branch", "-M", "main"]);
    let misspelt = "`mian` is neither a file nor a revision of git: did you mean `main`?";
    checkout.assert_refused(&format!("diff --base mian => {misspelt}"));
    fs::rename(checkout.path("api.yaml"), checkout.path("new.yaml")).unwrap();
    checkout.write("dropspec.toml", "document = \"new.yaml\"\n");
    checkout.assert_refused("diff --base main => the revision `main` has no new.yaml");
}

#[test]
fn settings_are_printed_and_can_be_used() {
    let checkout = folder_with(VIOLATIONS);
    let (code, said, _) = checkout.run(&["settings"]);
    assert_eq!(code, 0);
    assert!(said.starts_with("document = \""), "{said}");
    checkout.write("dropspec.toml", &said);
    checkout.assert_refused("lint => there is no file `spec/openapi.yaml`");
}
