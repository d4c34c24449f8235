//! Settings: stability, notice, renames.
#![allow(clippy::unwrap_used)]

use chrono::NaiveDate;
use spec_diff::{Bump, Finding, Level, Policy};

use crate::common::{ids, parse};

pub const SETTINGS: &str =
    "[settings]\nmin-notice-days = 30\nmin-notice-days-beta = 10\nversions = \"off\"\n";

pub fn policy(settings: &str, today: &str) -> Policy {
    Policy::from_toml(settings, today.parse::<NaiveDate>().unwrap()).unwrap()
}

/// A document of one operation, with a second one that stays.
pub fn document(version: &str, operation: &str) -> String {
    format!(
        "openapi: 3.0.3
info: {{title: a, version: {version}}}
paths:
  /b: {{get: {{responses: {{}}}}}}
  /a:
    get:
      responses: {{}}
{operation}"
    )
}

pub fn compare(base: &str, revision: &str, policy: &Policy) -> Vec<Finding> {
    let version = "1.0.0";
    spec_diff::diff(
        &parse(&document(version, base)),
        &parse(&document(version, revision)),
        policy,
    )
}

pub const REQUIRED: &str =
    "      parameters: [{name: q, in: query, required: true, schema: {type: string}}]\n";

#[test]
fn level_of_break_depends_on_stability() {
    let policy = policy(SETTINGS, "2026-11-21");
    let cases = [
        ("", Level::Error, Bump::Major),
        ("      x-stability: beta\n", Level::Warn, Bump::Minor),
        (
            "      x-stability: experimental\n",
            Level::Info,
            Bump::Minor,
        ),
        ("      x-stability-level: alpha\n", Level::Info, Bump::Minor),
    ];
    for (stability, level, bump) in cases {
        let found = compare(stability, &format!("{stability}{REQUIRED}"), &policy);
        assert_eq!(
            ids(&found),
            ["new-required-request-parameter"],
            "{stability}"
        );
        assert_eq!(
            (found[0].level, found[0].bump),
            (level, bump),
            "{stability}"
        );
    }
}

#[test]
fn lower_stability_does_not_lower_level_of_same_change() {
    let found = compare(
        "",
        &format!("      x-stability: experimental\n{REQUIRED}"),
        &policy(SETTINGS, "2026-11-21"),
    );
    assert_eq!(
        ids(&found),
        ["api-stability-decreased", "new-required-request-parameter"]
    );
    assert!(found.iter().all(|finding| finding.level == Level::Error));
}

fn deprecated(sunset: &str) -> String {
    format!("      deprecated: true\n      x-deprecated-sunset: '{sunset}'\n")
}

#[test]
fn deprecation_requires_notice() {
    let policy = policy(SETTINGS, "2026-11-21");
    let cases = [
        (
            "      deprecated: true\n".to_owned(),
            "api-deprecated-sunset-missing",
        ),
        (deprecated("soon"), "api-deprecated-sunset-parse"),
        (deprecated("2026-12-20"), "api-sunset-date-too-small"),
        (deprecated("2026-12-21"), "endpoint-deprecated-with-sunset"),
        // The 20th of December, and the 21st, in UTC.
        (
            deprecated("2026-12-21T01:00:00+02:00"),
            "api-sunset-date-too-small",
        ),
        (
            deprecated("2026-12-20T23:00:00-02:00"),
            "endpoint-deprecated-with-sunset",
        ),
    ];
    for (revision, expected) in cases {
        assert_eq!(
            ids(&compare("", &revision, &policy)),
            [expected],
            "{revision}"
        );
    }
    // A beta operation requires less, an experimental one none.
    for (stability, sunset) in [("beta", "2026-12-01"), ("experimental", "2026-11-21")] {
        let stability = format!("      x-stability: {stability}\n");
        let found = compare(
            &stability,
            &format!("{stability}{}", deprecated(sunset)),
            &policy,
        );
        assert_eq!(
            ids(&found),
            ["endpoint-deprecated-with-sunset"],
            "{stability}"
        );
    }
}

#[test]
fn sunset_may_only_move_later() {
    let policy = policy(SETTINGS, "2026-11-21");
    let base = deprecated("2027-06-30");
    let cases = [
        (
            deprecated("2027-06-29"),
            "api-sunset-date-changed-too-small",
        ),
        (deprecated("2027-07-01"), "api-sunset-date-moved"),
        ("      deprecated: true\n".to_owned(), "sunset-deleted"),
    ];
    for (revision, expected) in cases {
        assert_eq!(
            ids(&compare(&base, &revision, &policy)),
            [expected],
            "{revision}"
        );
    }
}

#[test]
fn removal_is_allowed_after_sunset() {
    let base = parse(&document("1.0.0", &deprecated("2027-06-30")));
    let revision = document("1.0.0", "");
    let gone = revision.split("  /a:").next().unwrap();
    for (today, expected) in [
        ("2027-06-30", "api-path-removed-before-sunset"),
        ("2027-07-01", "api-path-removed-with-deprecation"),
    ] {
        let found = spec_diff::diff(&base, &parse(gone), &policy(SETTINGS, today));
        assert_eq!(ids(&found), [expected], "{today}");
    }
    let left = spec_diff::diff(&base, &base, &policy(SETTINGS, "2027-07-01"));
    assert_eq!(ids(&left), ["sunset-passed"]);
    assert_eq!(left[0].level, Level::Warn);
}

#[test]
fn added_deprecated_operation_requires_sunset() {
    let added = document("1.0.0", "      deprecated: true\n");
    let base = added.split("  /a:").next().unwrap();
    let found = spec_diff::diff(
        &parse(base),
        &parse(&added),
        &policy(SETTINGS, "2026-11-21"),
    );
    assert_eq!(ids(&found), ["endpoint-added-deprecated", "endpoint-added"]);
}

#[test]
fn added_deprecated_operation_requires_notice() {
    let cases = [
        (
            "2026-12-20",
            ["api-sunset-date-too-small", "endpoint-added"].as_slice(),
        ),
        ("2026-12-21", &["endpoint-added"]),
    ];
    for (sunset, expected) in cases {
        let added = document("1.0.0", &deprecated(sunset));
        let base = added.split("  /a:").next().unwrap();
        let policy = policy(SETTINGS, "2026-11-21");
        let found = spec_diff::diff(&parse(base), &parse(&added), &policy);
        assert_eq!(ids(&found), expected, "{sunset}");
    }
}

#[test]
fn added_deprecated_parameters_and_properties_require_notice() {
    let parameter = |life: &str| {
        format!(
            "      parameters: [{{name: q, in: query, deprecated: true{life}, schema: {{}}}}]\n"
        )
    };
    let body = |properties: &str| {
        format!(
            "      requestBody: {{content: {{application/json: {{schema: {{properties: {{{properties}}}}}}}}}}}\n"
        )
    };
    let property = |life: &str| body(&format!("p: {{deprecated: true{life}}}"));
    let empty = body("");
    let cases = [
        ("", "deprecated-sunset-missing", "deprecated-sunset-missing"),
        (
            ", x-sunset: soon",
            "sunset-parse",
            "deprecated-sunset-invalid",
        ),
        (
            ", x-sunset: '2026-12-20'",
            "sunset-date-too-small",
            "sunset-date-too-small",
        ),
    ];
    let policy = policy(SETTINGS, "2026-11-21");
    for (life, of_parameter, of_property) in cases {
        let found = compare("", &parameter(life), &policy);
        let rule = format!("request-parameter-{of_parameter}");
        assert_eq!(ids(&found), [&rule, "new-optional-request-parameter"]);
        assert_eq!(found.len(), 1, "one edit: {life}");
        let found = compare(&empty, &property(life), &policy);
        let rule = format!("request-property-{of_property}");
        assert_eq!(ids(&found), [&rule, "new-optional-request-property"]);
        assert_eq!(found.len(), 1, "one edit: {life}");
    }
    let announced = ", x-sunset: '2026-12-21'";
    let found = compare(&empty, &property(announced), &policy);
    assert_eq!(ids(&found), ["new-optional-request-property"]);
    let found = compare("", &parameter(announced), &policy);
    assert_eq!(ids(&found), ["new-optional-request-parameter"]);
}

#[test]
fn unknown_stability_requires_notice_of_stable() {
    let unknown = "      x-stability: perhaps\n";
    let revision = format!("{unknown}{}", deprecated("2026-11-22"));
    let found = compare(unknown, &revision, &policy(SETTINGS, "2026-11-21"));
    assert_eq!(ids(&found), ["api-sunset-date-too-small"]);
}

#[test]
fn notice_beyond_the_calendar_is_too_long() {
    let settings = "[settings]\nversions = \"off\"\nmin-notice-days = 4294967295\n";
    let found = compare(
        "",
        &deprecated("2030-01-01"),
        &policy(settings, "2026-11-21"),
    );
    assert_eq!(ids(&found), ["api-sunset-date-too-small"]);
}

#[test]
fn renames_are_errors_for_generated_clients() {
    let settings = format!("{}generated-clients = true\n", SETTINGS);
    let (base, revision) = ("      operationId: a\n", "      operationId: b\n");
    let plain = compare(base, revision, &policy(SETTINGS, "2026-11-21"));
    let generated = compare(base, revision, &policy(&settings, "2026-11-21"));
    assert_eq!(
        (plain[0].level, generated[0].level),
        (Level::Info, Level::Error)
    );
}

#[test]
fn rejects_unknown_settings() {
    let today = "2026-11-21".parse().unwrap();
    for text in [
        "[settings]\nnotice = 3\n",
        "[[acknowledged]]\nfingerprint = \"a\"\n",
        "versions",
    ] {
        assert!(Policy::from_toml(text, today).is_err(), "{text}");
    }
}
