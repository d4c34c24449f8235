//! Settings: stability, notice, renames.
#![allow(clippy::unwrap_used)]

use chrono::NaiveDate;
use dropspec_diff::{Bump, Finding, Level, Policy};

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
    dropspec_diff::diff(
        &parse(&document(version, base)),
        &parse(&document(version, revision)),
        policy,
    )
}

/// The settings of most tests, on the day of all tests.
fn settings() -> Policy {
    policy(SETTINGS, "2026-11-21")
}

/// Asserts that a change of the operation has findings of these rules.
fn assert_ids(base: &str, revision: &str, expected: &[&str]) {
    let found = ids(&compare(base, revision, &settings()));
    assert_eq!(found, expected, "{base} → {revision}");
}

pub const REQUIRED: &str =
    "      parameters: [{name: q, in: query, required: true, schema: {type: string}}]\n";

#[test]
fn level_of_break_depends_on_stability() {
    let cases = [
        ("", Level::Error, Bump::Major),
        ("      x-stability: beta\n", Level::Warn, Bump::Minor),
        ("      x-stability: draft\n", Level::Info, Bump::Minor),
        ("      x-stability-level: alpha\n", Level::Info, Bump::Minor),
    ];
    for (stability, level, bump) in cases {
        let found = compare(stability, &format!("{stability}{REQUIRED}"), &settings());
        assert_eq!(ids(&found), ["new-required-request-parameter"]);
        let rated = (found[0].level, found[0].bump);
        assert_eq!(rated, (level, bump), "{stability}");
    }
}

#[test]
fn lower_stability_does_not_lower_level_of_same_change() {
    let revision = format!("      x-stability: experimental\n{REQUIRED}");
    let found = compare("", &revision, &settings());
    let expected = ["api-stability-decreased", "new-required-request-parameter"];
    assert_eq!(ids(&found), expected);
    assert!(found.iter().all(|finding| finding.level == Level::Error));
}

fn deprecated(sunset: &str) -> String {
    format!("      deprecated: true\n      x-deprecated-sunset: '{sunset}'\n")
}

#[test]
fn deprecation_requires_notice() {
    let deprecated_only = "      deprecated: true\n";
    assert_ids("", deprecated_only, &["api-deprecated-sunset-missing"]);
    let cases = [
        ("soon", "api-deprecated-sunset-parse"),
        ("2026-12-20", "api-sunset-date-too-small"),
        ("2026-12-21", "endpoint-deprecated-with-sunset"),
        // The 20th of December, and the 21st, in UTC.
        ("2026-12-21T01:00:00+02:00", "api-sunset-date-too-small"),
        (
            "2026-12-20T23:00:00-02:00",
            "endpoint-deprecated-with-sunset",
        ),
    ];
    for (sunset, expected) in cases {
        assert_ids("", &deprecated(sunset), &[expected]);
    }
    // A beta operation requires less, an experimental one none.
    for (stability, sunset) in [("beta", "2026-12-01"), ("experimental", "2026-11-21")] {
        let stability = format!("      x-stability: {stability}\n");
        let revision = format!("{stability}{}", deprecated(sunset));
        assert_ids(&stability, &revision, &["endpoint-deprecated-with-sunset"]);
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
        let found = dropspec_diff::diff(&base, &parse(gone), &policy(SETTINGS, today));
        assert_eq!(ids(&found), [expected], "{today}");
    }
    let left = dropspec_diff::diff(&base, &base, &policy(SETTINGS, "2027-07-01"));
    assert_eq!(ids(&left), ["sunset-passed"]);
    assert_eq!(left[0].level, Level::Warn);
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
    #[rustfmt::skip]
    let cases = [
        ("", "deprecated-sunset-missing", "deprecated-sunset-missing"),
        (", x-sunset: soon", "sunset-parse", "deprecated-sunset-invalid"),
        (", x-sunset: '2026-12-20'", "sunset-date-too-small", "sunset-date-too-small"),
    ];
    let policy = settings();
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
    assert_ids(
        &empty,
        &property(announced),
        &["new-optional-request-property"],
    );
    assert_ids(
        "",
        &parameter(announced),
        &["new-optional-request-parameter"],
    );
}

#[test]
fn notice_is_that_of_stable_if_the_stability_is_unknown_and_may_exceed_the_calendar() {
    let unknown = "      x-stability: perhaps\n";
    let revision = format!("{unknown}{}", deprecated("2026-11-22"));
    assert_ids(unknown, &revision, &["api-sunset-date-too-small"]);
    let settings = "[settings]\nversions = \"off\"\nmin-notice-days = 4294967295\n";
    let endless = policy(settings, "2026-11-21");
    let found = compare("", &deprecated("2030-01-01"), &endless);
    assert_eq!(ids(&found), ["api-sunset-date-too-small"]);
}

#[test]
fn unknown_stability_is_reported_once() {
    for base in ["", "      x-stability: beta\n"] {
        let revision = "      x-stability: perhaps\n";
        assert_ids(base, revision, &["api-invalid-stability-level"]);
    }
}

#[test]
fn renames_are_errors_for_generated_clients() {
    let generated = format!("{SETTINGS}generated-clients = true\n");
    let (base, revision) = ("      operationId: a\n", "      operationId: b\n");
    let policies = [settings(), policy(&generated, "2026-11-21")];
    let levels = policies.map(|policy| compare(base, revision, &policy)[0].level);
    assert_eq!(levels, [Level::Info, Level::Error]);
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
