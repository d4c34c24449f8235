//! The settings of this repository and its document.
#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::path::Path;

use chrono::NaiveDate;
use dropspec::project::Project;
use spec_bundle::Input;
use spec_lint::LintSettings;
use spec_model::Document;

/// The bundle of this repository's document, after replacing a text where it is first, in the document or an overlay.
fn bundle_edited(from: &str, to: &str) -> Document {
    let project = project();
    let root = project.root.canonicalize().unwrap();
    let is_edited = Cell::new(false);
    let input = Input {
        directory: &root,
        prefix: "",
        document: &project.config.document,
        overlays: &project.config.overlays,
    };
    let bundled = spec_bundle::bundle_with(input, &|path| {
        let text = std::fs::read_to_string(path)?;
        if is_edited.get() || !text.contains(from) {
            return Ok(text.into_bytes());
        }
        is_edited.set(true);
        Ok(text.replacen(from, to, 1).into_bytes())
    });
    assert!(is_edited.get(), "{from}");
    bundled.unwrap().document
}

fn project() -> Project {
    Project::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

#[test]
fn document_with_the_version_of_a_release_is_that_release() {
    let project = project();
    let bundled = project.bundle(&project.document_path()).unwrap();
    let json = bundled.document.root().to_json();
    let version = json["info"]["version"].as_str().unwrap();
    let release = project
        .config
        .contract
        .releases
        .join(format!("{version}.yaml"));
    let release = project.root.join(release);
    if release.exists() {
        let released = project.read_document(&release).unwrap();
        assert_eq!(json, released.root().to_json());
    }
}

#[test]
fn every_action_of_the_overlays_changes_the_document() {
    let project = project();
    let bundled = project.bundle(&project.document_path()).unwrap();
    assert_eq!(bundled.warnings, []);
}

#[test]
fn own_document_has_no_findings_and_settings_find_violations() {
    let settings = LintSettings {
        today: NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(),
        ..project().config.lint
    };
    let lint = |from: &str, to: &str| -> String {
        let findings = spec_lint::lint_document(bundle_edited(from, to), &settings);
        let lines = findings.iter().map(ToString::to_string);
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(lint("", ""), "");
    for (from, to, finding) in [
        (
            "openapi: 3.0.3",
            "openapi: 3.0.1",
            "written in OpenAPI 3.0.1",
        ),
        (
            "  x-supplied-by: gate",
            "  x-supplied-by: nobody",
            "is not `gate`",
        ),
        (
            "x-stability: beta",
            "x-stability: stable",
            "is not `experimental` or `beta`",
        ),
        (
            "X-Request-Id: {",
            "X-Id: {",
            "does not declare `X-Request-Id`",
        ),
        (
            "server cannot answer now.\n          headers:\n            Retry-After",
            "server cannot answer now.\n          headers:\n            X-Retry-After",
            "the response 503 does not declare `Retry-After`",
        ),
        (
            "\"401\": {",
            "\"402\": {",
            "does not declare the status 401",
        ),
        (
            "Link: { $ref: \"#/components/headers/Successor\" }",
            "X-Link: { schema: {} }",
            "the response 200 does not declare `Link`",
        ),
        (
            "code: pet_not_found",
            "code: pet_lost",
            "has another `code`",
        ),
    ] {
        let findings = lint(from, to);
        assert!(findings.contains(finding), "{from} → {to}: {findings}");
    }
}
