//! `info.version` must be the version that the changes require.
#![allow(clippy::unwrap_used)]

use crate::common::parse;
use crate::policy::{REQUIRED, document, policy};

#[test]
fn version_must_match_the_changes() {
    let exact = policy("[settings]\nversions = \"exact\"\n", "2026-11-21");
    let optional = "      parameters: [{name: q, in: query, schema: {type: string}}]\n";
    let described = "      description: a\n";
    #[rustfmt::skip]
    let cases = [
        ("1.2.3", "", "1.2.3", None),
        ("1.2.3", "", "1.2.4", Some(("api-version-mismatch", "must be 1.2.3"))),
        ("1.2.3", described, "1.2.4", None),
        ("1.2.3", described, "1.2.3", Some(("api-version-not-bumped", "must be 1.2.4"))),
        ("1.2.3", optional, "1.3.0", None),
        ("1.2.3", optional, "2.0.0", Some(("api-version-mismatch", "must be 1.3.0"))),
        ("1.2.3", optional, "1.2.2", Some(("api-version-decreased", "must be 1.3.0"))),
        ("1.2.3", REQUIRED, "2.0.0", None),
        ("1.2.3", REQUIRED, "1.3.0", Some(("api-major-version-not-bumped", "must be 2.0.0"))),
        ("0.2.3", REQUIRED, "0.3.0", None),
        // A deprecation without its sunset is an error and breaks nobody.
        ("1.2.3", "      deprecated: true\n", "1.3.0", None),
        ("1.2.3", "", "spring", Some(("api-version-invalid", "is not a semantic version"))),
        ("'1.18446744073709551615.0'", optional, "1.0.0", Some(("api-version-invalid", "is not a semantic version"))),
    ];
    for (old, edit, new, expected) in cases {
        let found = dropspec_diff::diff(
            &parse(&document(old, "")),
            &parse(&document(new, edit)),
            &exact,
        );
        let version = found.iter().find(|finding| {
            finding.id.as_str().starts_with("api-") && finding.id.as_str().contains("version")
        });
        match expected {
            None => assert!(version.is_none(), "{old} → {new}: {version:?}"),
            Some((id, due)) => {
                let version = version.unwrap();
                assert_eq!(version.id, id, "{old} → {new}");
                assert!(version.message.contains(due), "{}", version.message);
            }
        }
    }
}
