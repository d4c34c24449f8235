//! The settings of this repository and its document.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use chrono::NaiveDate;
use dropspec::project::Project;
use spec_lint::LintSettings;

#[test]
fn own_document_has_no_findings_and_settings_find_violations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = Project::open(&root).unwrap();
    let text = std::fs::read_to_string(project.document_path()).unwrap();
    let settings = LintSettings {
        today: NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(),
        ..project.config.lint
    };
    let lint = |text: &str| -> String {
        let findings = spec_lint::lint("petstore.yaml", text, &settings);
        let lines = findings.iter().map(ToString::to_string);
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(lint(&text), "");
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
            "RequestId\" }\n        Retry-After: { $ref: \"#/components/headers/RetryAfter\" }\n      content:\n        application/json:\n          schema: { $ref: \"#/components/schemas/Error\" }\n          examples:\n            unavailable",
            "RequestId\" }\n      content:\n        application/json:\n          schema: { $ref: \"#/components/schemas/Error\" }\n          examples:\n            unavailable",
            "the response 503 does not declare `Retry-After`",
        ),
        (
            "\"401\": {",
            "\"402\": {",
            "does not declare the status 401",
        ),
        (
            "  Link: { $ref: \"#/components/headers/Successor\" }",
            "  X-Link: { schema: {} }",
            "the response 200 does not declare `Link`",
        ),
        (
            "code: pet_not_found",
            "code: pet_lost",
            "has another `code`",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let findings = lint(&text.replacen(from, to, 1));
        assert!(findings.contains(finding), "{from} → {to}: {findings}");
    }
}
