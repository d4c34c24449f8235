//! The rules and conventions of this repository beyond OpenAPI: the settings of lint and of the generator.

use chrono::NaiveDate;
use spec_codegen::{ClientLayer, ServerMark, Settings};
use spec_lint::{
    ErrorProperties, ExtensionRule, ExtensionValue, LintSettings, ObjectType, RequiredHeader,
    ResponseFilter,
};

/// The rules of this repository that `cargo xtask lint` checks, with sunsets as of the day `today`.
pub(crate) fn lint_settings(today: NaiveDate) -> LintSettings {
    LintSettings {
        openapi_version: Some("3.0.3"),
        documentation: true,
        extensions: EXTENSIONS,
        deprecations_as_of: Some(today),
        rate_limits: true,
        error_properties: Some(ErrorProperties {
            code: "code",
            status: "status",
        }),
        codes_without_operation: &["route_not_found", "method_not_allowed"],
        no_unused_parts: true,
        required_statuses: &["401", "429", "500", "503"],
        required_headers: REQUIRED_HEADERS,
    }
}

/// The settings that this repository's documents are generated with. The generated files name `command` as what generates
/// them, and `source` as their document.
pub(crate) fn generator_settings(command: &str, source: &str) -> Settings {
    Settings {
        command: command.to_owned(),
        source: source.to_owned(),
        error: Some(spec_codegen::ErrorProperties {
            status: "status".to_owned(),
            message: "message".to_owned(),
            code: "code".to_owned(),
        }),
        server_headers: Some(gate_mark("x-supplied-by")),
        server_parameters: Some(gate_mark("x-handled-by")),
        ..Settings::default()
    }
}

fn gate_mark(extension: &str) -> ServerMark {
    ServerMark {
        extension: extension.to_owned(),
        value: "gate".to_owned(),
    }
}

/// Tells the generator which types and functions of `petstore-client` are written by hand.
pub(crate) fn client_layer() -> ClientLayer {
    ClientLayer {
        state: "crate::Transport".to_owned(),
        crate_name: "petstore_client".to_owned(),
        idempotency_header: "Idempotency-Key".to_owned(),
    }
}

const EXTENSIONS: &[ExtensionRule] = {
    use ExtensionValue::{Any, Boolean, Count, Date, OneOf};
    use ObjectType::{Document, Header, Operation, Parameter, Schema};
    const STABILITY: ExtensionValue = OneOf(&["experimental", "beta"]);
    const ACCESS: ExtensionValue = OneOf(&["read", "write"]);
    &[
        ExtensionRule::new(Document, "x-rate-limits", Any),
        ExtensionRule::new(Document, "x-error-codes", Any),
        ExtensionRule::new(Operation, "x-stability", STABILITY),
        ExtensionRule::new(Operation, "x-deprecated-since", Date),
        ExtensionRule::new(Operation, "x-deprecated-sunset", Date),
        ExtensionRule::new(Operation, "x-successor", Any),
        ExtensionRule::new(Operation, "x-rate-limit-cost", Count),
        ExtensionRule::new(Operation, "x-required-access", ACCESS),
        ExtensionRule::new(Operation, "x-hideTryItPanel", Boolean),
        ExtensionRule::new(Header, "x-supplied-by", OneOf(&["gate"])),
        ExtensionRule::new(Parameter, "x-handled-by", OneOf(&["gate"])),
        ExtensionRule::new(Parameter, "x-deprecated-sunset", Date),
        ExtensionRule::new(Schema, "x-deprecated-sunset", Date),
        ExtensionRule::new(Schema, "x-stability", STABILITY),
    ]
};

const REQUIRED_HEADERS: &[RequiredHeader] = &[
    RequiredHeader::new("X-RateLimit-Limit", ResponseFilter::All),
    RequiredHeader::new("X-RateLimit-Remaining", ResponseFilter::All),
    RequiredHeader::new("X-RateLimit-Reset", ResponseFilter::All),
    RequiredHeader::new("X-Request-Id", ResponseFilter::All),
    RequiredHeader::new("ETag", ResponseFilter::Status("304")),
    RequiredHeader::new("WWW-Authenticate", ResponseFilter::Status("401")),
    RequiredHeader::new("Allow", ResponseFilter::Status("405")),
    RequiredHeader::new("Retry-After", ResponseFilter::Status("429")),
    RequiredHeader::new("Retry-After", ResponseFilter::Status("503")),
    RequiredHeader::new("Deprecation", ResponseFilter::DeprecatedSuccess),
    RequiredHeader::new("Sunset", ResponseFilter::DeprecatedSuccess),
    RequiredHeader::new("Link", ResponseFilter::ReplacedSuccess),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::repository;

    #[test]
    fn own_document_has_no_findings_and_settings_find_violations() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        let path = repository::find_root().unwrap().join(repository::SPEC);
        let text = std::fs::read_to_string(path).unwrap();
        let lint = |text: &str| -> String {
            let findings = spec_lint::lint("petstore.yaml", text, &lint_settings(today));
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
}
