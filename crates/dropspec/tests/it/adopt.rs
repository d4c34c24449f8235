//! The contract check in a repository that has nothing else, as docs/adopt.md describes it.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use crate::checkout::{Checkout, SPEC, result};

/// A repository with `openapi.yaml` on `main`, at the branch `work`.
fn repository() -> Checkout {
    let checkout = Checkout::empty();
    checkout.write("openapi.yaml", SPEC);
    checkout.begin_branch();
    checkout
}

/// The document of a version that breaks those who use it.
fn broken() -> String {
    SPEC.replace("type: string", "type: integer")
        .replace("1.0.0", "2.0.0")
}

/// The settings that acknowledge the first of these findings.
fn acknowledge(said: &str) -> String {
    let fingerprint = said.split("fingerprint: ").nth(1).unwrap();
    let fingerprint = fingerprint.lines().next().unwrap();
    format!(
        "\n[[acknowledged]]\nfingerprint = \"{fingerprint}\"\nreason = \"agreed\"\nexpires = \"2126-12-31\"\n"
    )
}

#[test]
fn break_is_released_with_its_acknowledgement() {
    let checkout = repository();
    let release = ["release", "openapi.yaml", "--releases", "releases"];
    let missing =
        "release openapi.yaml --releases releases --settings a.toml => a.toml cannot be read";
    checkout.assert_refused(missing);
    assert_eq!(checkout.run(&release).0, 0);
    checkout.write("openapi.yaml", &broken());
    let help = "\nTo release a break, acknowledge it: an entry `[[acknowledged]]` with its `fingerprint`, a `reason` and a day \
                `expires` in a file such as contract.toml, which `--settings` names\n";
    for format in ["text", "github", "markdown", "json"] {
        let (code, said, _) = checkout.run(&["diff", "openapi.yaml", "--format", format]);
        let shown = (code, said.contains(help));
        assert_eq!(shown, (1, format != "json"), "{said}");
    }
    let (code, said, _) = checkout.run(&release);
    assert_eq!((code, said.contains(help)), (1, true), "{said}");

    checkout.write("contract.toml", &acknowledge(&said));
    let settings = ["--settings", "contract.toml"];
    let (code, said, error) = checkout.run(&[&["diff", "openapi.yaml"], &settings[..]].concat());
    assert_eq!(code, 0, "{said}{error}");
    assert!(!said.contains("To release"), "{said}");
    let (code, said, error) = checkout.run(&[&release, &settings[..]].concat());
    assert_eq!(code, 0, "{said}{error}");
}

#[test]
fn acknowledgement_is_unused_only_after_the_release() {
    let checkout = repository();
    let settings = "document = \"openapi.yaml\"\n[contract]\nsettings = \"contract.toml\"\nreleases = \"releases\"\n";
    checkout.write("dropspec.toml", settings);
    checkout.write("contract.toml", "");
    checkout.run(&["release"]);
    checkout.write("openapi.yaml", &broken());
    let (_, said, _) = checkout.run(&["diff"]);
    checkout.write("contract.toml", &acknowledge(&said));
    checkout.commit();
    checkout.git(&["branch", "-f", "main"]);
    let diff = || checkout.run(&["diff", "openapi.yaml"]).1;
    assert_eq!(diff(), "no findings: the documents have the same meaning\n");
    assert_eq!(checkout.run(&["release"]).0, 0);
    let said = diff();
    assert!(
        said.starts_with("contract.toml:2:1: warn: the acknowledgement of"),
        "{said}"
    );
    assert!(said.contains("keep the entry until the release"), "{said}");
}

#[test]
fn branch_older_than_a_tagged_release_is_compared_with_the_releases_that_it_has() {
    let checkout = Checkout::new();
    for (version, other) in [("1.0.0", "1.1.0"), ("1.1.0", "1.2.0")] {
        checkout.run(&["release"]);
        checkout.commit();
        checkout.git(&["tag", &format!("v{version}")]);
        checkout.git(&["branch", &format!("from-{version}")]);
        checkout.edit(version, other);
        checkout.edit("Gets it", "Gets it all");
    }
    checkout.git(&["checkout", "-qf", "from-1.0.0"]);
    for command in [
        &["lint"][..],
        &["diff"],
        &["diff", "spec/petstore.yaml", "spec/petstore.yaml"],
    ] {
        let (code, said, error) = checkout.run(command);
        assert_eq!(code, 0, "{command:?}: {said}{error}");
    }
}

#[test]
fn document_that_the_base_does_not_have_is_new() {
    let checkout = repository();
    checkout.write("apis/second.yaml", SPEC);
    for (document, name) in [
        ("apis/second.yaml", "apis/second.yaml"),
        ("apis", "second.yaml"),
    ] {
        let (code, said, error) = checkout.run(&["diff", document]);
        assert_eq!(code, 0, "{error}");
        let added = format!("info: the document `{name}` was added [document-added]");
        assert!(said.contains(&added), "{said}");
        let (code, _, error) = checkout.run(&["diff", "main", document]);
        assert_eq!(code, 2);
        let expected = format!("error: the revision `main` has no {document}: ");
        assert!(error.starts_with(&expected), "{error}");
        assert!(!error.contains("on disk"), "{error}");
    }
    checkout.assert_refused("diff apis/secnd.yaml => there is no file `apis/secnd.yaml`");
}

/// Runs the script of the action with these variables: its exit code and its output.
fn run_action(checkout: &Checkout, variables: &[(&str, &str)]) -> (i32, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/contract");
    let mut action = Command::new(script);
    action.current_dir(checkout.path(""));
    action.env("DROPSPEC", env!("CARGO_BIN_EXE_dropspec"));
    action
        .env("DOCUMENT", "openapi.yaml")
        .env("SARIF", "a.sarif");
    action.env_remove("GITHUB_STEP_SUMMARY");
    let (code, said, _) = result(action.envs(variables.iter().copied()).output().unwrap());
    (code, said)
}

#[test]
fn action_annotates_what_stops_it() {
    let checkout = repository();
    checkout.write("openapi.yaml", &broken());
    let (code, said) = run_action(&checkout, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(!said.contains("::error::"), "{said}");
    assert!(checkout.read("a.sarif").contains("2.1.0"));

    let (code, said) = run_action(&checkout, &[("BASE", "100%")]);
    assert_eq!(code, 2);
    assert!(
        said.contains("\n::error::`100%25` is neither a file nor"),
        "{said}"
    );
    assert!(!checkout.path("a.sarif").exists());

    for variable in ["LINT", "PROVE"] {
        let (code, said) = run_action(&checkout, &[(variable, "TRUE")]);
        assert_eq!(code, 2);
        assert!(
            said.starts_with("::error::the inputs lint and prove"),
            "{said}"
        );
    }
}
