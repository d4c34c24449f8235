//! The settings of this repository and its document.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use dropspec::project::Project;

use crate::checkout::Checkout;

fn project() -> Project {
    Project::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

#[test]
fn document_with_the_version_of_a_release_is_that_release() {
    let project = project();
    let bundled = project.bundle(&project.document_path()).unwrap();
    assert_eq!(
        bundled.warnings,
        [],
        "every action of the overlays changes it"
    );
    let json = bundled.document.root().to_json();
    let version = json["info"]["version"].as_str().unwrap();
    let releases = project.root.join(&project.config.contract.releases);
    let release = releases.join(format!("{version}.yaml"));
    if release.exists() {
        let released = project.bundle(&release).unwrap().document;
        assert_eq!(json, released.root().to_json());
    }
}

/// Edits of the document or its overlay, and what `lint` says of them: what is there first, what replaces it, a message.
const EDITS: &str = r##"
openapi: 3.0.3 => openapi: 3.0.1 => written in OpenAPI 3.0.1
  x-supplied-by: gate =>   x-supplied-by: nobody => is not `gate`
x-stability: beta => x-stability: stable => is not `experimental` or `beta`
X-Request-Id: { => X-Id: { => does not declare `X-Request-Id`
"401": { => "402": { => does not declare the status 401
Link: { $ref: "#/components/headers/Successor" } => X-Link: { schema: {} } => the response 200 does not declare `Link`
code: pet_not_found => code: pet_lost => has another `code`
"##;

#[test]
fn own_document_has_no_findings_and_settings_find_violations() {
    let checkout = Checkout::of_this_repository();
    let lint = || checkout.run(&["lint", "--today", "2026-11-21"]);
    assert_eq!(lint(), (0, String::new(), String::new()));
    for row in EDITS.lines().filter(|row| !row.is_empty()) {
        let columns: Vec<&str> = row.split(" => ").collect();
        let files = [
            "spec/petstore.yaml",
            "spec/resource.overlay.yaml",
            "spec/gate.overlay.yaml",
        ];
        let file = files
            .into_iter()
            .find(|file| checkout.read(file).contains(columns[0]));
        let text = checkout.read(file.unwrap());
        checkout.write(file.unwrap(), &text.replacen(columns[0], columns[1], 1));
        let (_, said, error) = lint();
        assert!(said.contains(columns[2]), "{row}: {said}{error}");
        checkout.write(file.unwrap(), &text);
    }
}
