//! Acknowledged findings.
#![allow(clippy::unwrap_used)]

use std::error::Error;

use dropspec_diff::{Level, Policy};

use crate::common::{self, ids, parse};
use crate::policy::{REQUIRED, SETTINGS, compare, document, policy};

fn entry(fingerprint: &str) -> String {
    format!(
        "[[acknowledged]]\nfingerprint = \"{fingerprint}\"\nreason = \"agreed\"\nexpires = \"2026-12-31\"\n"
    )
}

#[test]
fn acknowledgement_is_valid_until_it_expires() {
    let found = compare("", REQUIRED, &policy(SETTINGS, "2026-11-21"));
    let entry = format!("{SETTINGS}{}", entry(&found[0].fingerprint));
    let found = compare("", REQUIRED, &policy(&entry, "2026-12-31"));
    assert_eq!(found[0].acknowledged.as_deref(), Some("agreed"));
    assert_eq!(found.len(), 1);
    let expired = compare("", REQUIRED, &policy(&entry, "2027-01-01"));
    assert_eq!(
        ids(&expired),
        ["new-required-request-parameter", "acknowledgement-expired"]
    );
    assert_eq!(expired[0].acknowledged, None);
    let unused = compare("", "", &policy(&entry, "2026-12-31"));
    assert_eq!(ids(&unused), ["acknowledgement-unused"]);
    assert_eq!(unused[0].level, Level::Warn);
}

#[test]
fn acknowledged_break_accepts_minor_and_major_version() {
    let settings = "[settings]\nversions = \"exact\"\n";
    let found = compare("", REQUIRED, &policy(settings, "2026-11-21"));
    assert!(ids(&found).contains(&"api-version-not-bumped".to_owned()));
    let entry = format!("{settings}{}", entry(&found[0].fingerprint));
    let agreed = policy(&entry, "2026-11-21");
    for version in ["1.1.0", "2.0.0"] {
        let revision = parse(&document(version, REQUIRED));
        let found = dropspec_diff::diff(&parse(&document("1.0.0", "")), &revision, &agreed);
        assert_eq!(ids(&found), ["new-required-request-parameter"], "{version}");
    }
    // The changed document cannot keep the released version.
    let found = compare("", REQUIRED, &agreed);
    let due = "must be 1.1.0, or 2.0.0 for what was acknowledged";
    assert!(found.iter().any(|it| it.message.contains(due)), "{found:?}");
}

#[test]
fn version_finding_can_be_acknowledged() {
    let settings = "[settings]\nversions = \"exact\"\n";
    let description = "      description: a\n";
    let found = compare("", description, &policy(settings, "2026-11-21"));
    let entry = format!("{settings}{}", entry(&found[0].fingerprint));
    let found = compare("", description, &policy(&entry, "2026-11-21"));
    assert_eq!(
        ids(&found),
        ["api-version-not-bumped", "documentation-changed"]
    );
    assert_eq!(found[0].acknowledged.as_deref(), Some("agreed"));
}

#[test]
fn acknowledgement_of_one_value_is_invalid_for_another() {
    let policy = policy(SETTINGS, "2026-11-21");
    let sunset = |date: &str| format!("      deprecated: true\n      x-sunset: '{date}'\n");
    let stability = |word: &str| format!("      x-stability: {word}\n");
    let cost = |cost: u8| format!("      x-rate-limit-cost: {cost}\n");
    let edits = [
        (String::new(), stability("beta"), stability("experimental")),
        (
            sunset("2027-06-30"),
            sunset("2027-06-29"),
            sunset("2026-11-22"),
        ),
        (cost(1), cost(2), cost(9)),
    ];
    for (base, one, other) in edits {
        let [one, other] = [one, other].map(|revision| compare(&base, &revision, &policy));
        assert_eq!(ids(&one), ids(&other));
        assert_ne!(one[0].fingerprint, other[0].fingerprint, "{}", one[0].id);
    }
}

#[test]
fn acknowledgement_of_one_condition_is_invalid_for_another() {
    let compare = |base: &str, revision: &str| {
        let [base, revision] = [base, revision].map(|keyword| {
            let schema = format!("{{content: {{application/json: {{schema: {{{keyword}}}}}}}}}");
            format!("paths: {{/a: {{post: {{requestBody: {schema}}}}}}}")
        });
        let policy = common::policy();
        let mut found = common::compare_versions(("3.1.0", &base), ("3.1.0", &revision), &policy);
        found.retain(|it| !it.id.as_str().ends_with("nullable"));
        found
    };
    let of_a = "dependentSchemas: {a: {required: [c]}";
    let edits = [
        (
            "",
            "propertyNames: {maxLength: 3}",
            "propertyNames: {maxLength: 4}",
        ),
        ("", "contains: {const: 1}", "contains: {const: 2}"),
        (
            "",
            "contains: {const: 1}",
            "contains: {const: 1}, minContains: 2",
        ),
        (
            "if: {required: [a]}, then: {required: [b]}",
            "if: {required: [a]}, then: {required: [b]}, else: {required: [c]}",
            "if: {required: [a]}, then: {required: [b]}, else: {required: [d]}",
        ),
        ("", "not: {required: [a]}", "not: {required: [b]}"),
        (
            &format!("{of_a}}}"),
            &format!("{of_a}, b: {{required: [c]}}}}"),
            &format!("{of_a}, b: {{required: [d]}}}}"),
        ),
    ];
    for (absent, one, other) in edits {
        let added = [one, other].map(|it| compare(absent, it));
        let removed = [one, other].map(|it| compare(it, absent));
        for [one, other] in [added, removed] {
            assert_eq!(one[0].id, other[0].id);
            assert_ne!(one[0].fingerprint, other[0].fingerprint, "{one:?}");
        }
    }
}

#[test]
fn rejects_invalid_acknowledgement_with_its_line() {
    let good = entry("0123456789abcdef");
    let with = |from: &str, to: &str| good.replace(from, to);
    let twice = format!("{good}{good}");
    #[rustfmt::skip]
    let cases = [
        (with("89abcdef", ""), ["line 2", "`01234567` is not a fingerprint"]),
        (with("89abcdef", "89ABCDEF"), ["line 2", "`0123456789ABCDEF` is not a fingerprint"]),
        (with("agreed", " "), ["line 3", "the reason is empty"]),
        (with("2026-12-31", "soon"), ["line 4", "`soon` is not a date"]),
        (twice, ["`0123456789abcdef`", "is acknowledged twice"]),
    ];
    let today = "2026-11-21".parse().unwrap();
    for (text, expected) in cases {
        let error = Policy::from_toml(&text, today).unwrap_err();
        let source = error.source().map(ToString::to_string);
        let error = format!("{error} {}", source.unwrap_or_default());
        for part in expected {
            assert!(error.contains(part), "{error}");
        }
    }
    // A date without quotes is valid, too.
    let bare = good.replace("\"2026-12-31\"", "2026-12-31");
    let policy = Policy::from_toml(&bare, today).unwrap();
    // Acknowledgements alone choose nothing else.
    let alone = Policy {
        acknowledged: policy.acknowledged.clone(),
        ..Policy::new(today)
    };
    assert_eq!(policy, alone);
}
