//! `release`, and the verification of releases.
#![allow(clippy::unwrap_used)]

use crate::checkout::Checkout;

#[test]
fn rejects_changed_release() {
    let checkout = Checkout::new();
    assert_eq!(checkout.run(&["release"]).0, 0);
    let again = checkout.run(&["release"]);
    assert_eq!(again.1, "1.0.0 is already released\n");
    checkout.edit("Gets it.", "Gets it, or not.");
    let expected = "error: 1.0.0 is already released: increment `info.version`\n";
    assert_eq!(checkout.run(&["release"]).2, expected);
    checkout.write("spec/releases/1.0.0.yaml", "changed");
    checkout.assert_refused("diff => 1.0.0.yaml was changed after its release");
    let (code, said, _) = checkout.run(&["lint"]);
    assert_eq!(code, 1);
    assert!(said.contains("was changed after its release"), "{said}");
}

#[test]
fn git_tag_detects_release_changed_with_its_checksum() {
    let checkout = Checkout::new();
    checkout.run(&["release"]);
    checkout.commit();
    let other = Checkout::new();
    other.edit("Gets it.", "Gets something.");
    other.run(&["release"]);
    let files = ["spec/releases/1.0.0.yaml", "spec/releases/SHA256SUMS"];
    for file in files {
        std::fs::copy(other.path(file), checkout.path(file)).unwrap();
    }
    // Until it is published it may be replaced.
    assert_ne!(checkout.run(&["diff"]).0, 2);
    checkout.git(&["tag", "v1.0.0"]);
    checkout.assert_refused("diff => 1.0.0.yaml was changed");

    for file in files {
        std::fs::remove_file(checkout.path(file)).unwrap();
    }
    checkout.assert_refused("release => 1.0.0.yaml was removed");
}

#[test]
fn release_needs_no_settings_and_prints_lint_findings() {
    let checkout = Checkout::new();
    assert_eq!(checkout.run(&["release"]).0, 0);
    checkout.edit("version: 1.0.0", "version: 1.1.0");
    checkout.edit("Gets it.", "Gets it, and more.");
    let (code, said, error) = checkout.run(&["release"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "1.1.0 was released as spec/releases/1.1.0.yaml\n"),
        "{error}"
    );

    checkout.edit("version: 1.1.0", "version: 1.2.0");
    checkout.edit("operationId: getA", "operationId: get_a");
    let (code, said, error) = checkout.run(&["release"]);
    assert_eq!((code, said.as_str()), (1, ""));
    assert!(
        error.contains("error: spec/petstore.yaml:7:20: "),
        "{error}"
    );
    assert!(!checkout.path("spec/releases/1.2.0.yaml").exists());
}
