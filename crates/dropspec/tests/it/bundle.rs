//! `bundle`, and bundles in the other commands.
#![allow(clippy::unwrap_used)]

use crate::checkout::Checkout;

const OVERLAY: &str = "overlay: 1.1.0
info: {title: Tags, version: 1.0.0}
actions:
  - target: $.paths.*.get.responses
    update: {'404': {description: None., content: {application/json: {schema: {type: string}, example: none}}}}
";

/// A repository whose document has an overlay.
fn checkout() -> Checkout {
    let checkout = Checkout::new();
    let settings = checkout.read("dropspec.toml");
    let settings = format!("overlays = [\"spec/more.overlay.yaml\"]\n{settings}");
    checkout.write("dropspec.toml", &settings);
    checkout.write("spec/more.overlay.yaml", OVERLAY);
    checkout
}

#[test]
fn bundle_prints_the_document_with_its_overlays() {
    let checkout = checkout();
    let (code, yaml, error) = checkout.run(&["bundle"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(yaml.contains("\"404\":"), "{yaml}");
    let (_, json, _) = checkout.run(&["bundle", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["paths"]["/a"]["get"]["responses"]["404"]["description"],
        "None."
    );
    let (_, plain, _) = checkout.run(&["bundle", "spec/petstore.yaml"]);
    assert_eq!(
        plain,
        crate::checkout::SPEC,
        "a named document has no overlays"
    );
    let overlay = ["--overlay", "spec/more.overlay.yaml"];
    let (code, said, _) = checkout.run(&[&["bundle", "spec/petstore.yaml"], &overlay[..]].concat());
    assert_eq!((code, said), (0, yaml));
}

#[test]
fn bundle_that_fails_exits_with_2_and_names_file_line_and_column() {
    let checkout = checkout();
    checkout.write(
        "spec/more.overlay.yaml",
        &OVERLAY.replace("$.paths", "paths"),
    );
    checkout.assert_refused("bundle => error: spec/more.overlay.yaml:4:13: ");
}

#[test]
fn lint_release_and_diff_see_the_overlay_and_its_lines() {
    let checkout = checkout();
    let (code, said, _) = checkout.run(&["lint"]);
    assert_eq!((code, said.as_str()), (0, ""));
    let (code, _, error) = checkout.run(&["release"]);
    assert_eq!(code, 0, "{error}");
    let released = checkout.read("spec/releases/1.0.0.yaml");
    assert!(released.contains("\"404\":"), "{released}");
    checkout.commit();
    let added = OVERLAY.replace("404", "410");
    checkout.write("spec/more.overlay.yaml", &added);
    for base in [&["diff"][..], &["diff", "--base", "HEAD"]] {
        let (_, said, error) = checkout.run(base);
        assert!(
            said.contains("spec/more.overlay.yaml:5:14: "),
            "{said}{error}"
        );
    }
    let unused = OVERLAY.replace(".get.", ".put.");
    checkout.write("spec/more.overlay.yaml", &unused);
    let (code, said, _) = checkout.run(&["lint", "--fail-on", "warn"]);
    assert_eq!(code, 1);
    assert!(
        said.starts_with("warning: spec/more.overlay.yaml:4:13: the target"),
        "{said}"
    );
}
