//! One edit is one finding, however many operations it reaches and rules it triggers.
#![allow(clippy::unwrap_used)]

use dropspec_diff::Finding;

use crate::common::{self, ids, parse};
use crate::policy::{SETTINGS, policy};

fn edited(base: &str, from: &str, to: &str) -> Vec<Finding> {
    assert!(base.contains(from), "{from}");
    let revision = base.replacen(from, to, 1);
    common::compare(base, &revision, &policy(SETTINGS, "2026-11-21"))
}

fn only(found: Vec<Finding>) -> Finding {
    assert_eq!(found.len(), 1, "{:?}", ids(&found));
    found.into_iter().next().unwrap()
}

/// Requests have `New`, responses have it as a part of `Whole`; no operation uses `Spare`.
const SHARED: &str = "paths:
  /a:
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses:
        '200': {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Whole'}}}}
components:
  schemas:
    New: {type: object, properties: {name: {type: string}}}
    Whole: {allOf: [{type: object, required: [id]}, {$ref: '#/components/schemas/New'}]}
    Spare: {type: array, items: {$ref: '#/components/schemas/New'}}
";

#[test]
fn schema_used_directly_and_in_an_all_of() {
    let name = "{name: {type: string}}";
    #[rustfmt::skip]
    let cases = [
        ("{name: {type: string}, age: {type: integer}}", "new-optional-request-property", "response"),
        ("{}", "request-property-removed", "response"),
        ("{name: {type: string, nullable: true}}", "response-property-became-nullable", "request"),
    ];
    for (to, rule, other) in cases {
        let finding = only(edited(SHARED, name, to));
        assert_eq!(finding.id, rule);
        let mut also = finding.also.iter();
        assert!(
            also.any(|also| also.id.as_str().contains(other)),
            "{finding:?}"
        );
    }
}

#[test]
fn schema_used_by_unused_component() {
    let finding = only(edited(SHARED, "{type: string}", "{type: integer}"));
    assert_eq!(finding.id, "request-property-type-changed");
    let finding = only(edited(SHARED, "type: array", "type: array, maxItems: 3"));
    assert_eq!(finding.id, "unused-component-changed");
    assert_eq!(finding.pointer, "/components/schemas/Spare");
}

#[test]
fn replaced_member_of_choice() {
    let base = "paths:
  /a:
    get:
      responses:
        '200': {description: a, content: {application/json: {schema: {oneOf: [{type: string}, {type: integer}]}}}}
";
    let finding = only(edited(base, "{type: integer}", "{type: boolean}"));
    assert_eq!(finding.id, "response-body-one-of-added");
    assert_eq!(finding.also[0].id, "response-body-one-of-removed");
    assert!(finding.pointer.ends_with("/schema/oneOf/1"));
    assert!(finding.instance.is_some());
}

/// A beta operation requires ten days of notice, a stable one thirty.
#[test]
fn deprecation_shared_by_operations_of_different_stability() {
    let operation = |stability: &str| {
        let body = "{content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}";
        let parameters = "[{$ref: '#/components/parameters/Q'}]";
        format!(
            "{{post: {{x-stability: {stability}, parameters: {parameters}, requestBody: {body}, responses: {{}}}}}}"
        )
    };
    let components = "components:
  parameters: {Q: {name: q, in: query, schema: {type: string}}}
  schemas: {A: {type: object, properties: {p: {type: string}}}}
";
    let beta = format!("paths:\n  /a: {}\n{components}", operation("beta"));
    let stable = format!("  /b: {}\n", operation("stable"));
    let both = beta.replace("components:\n", &format!("{stable}components:\n"));
    let life = "deprecated: true, x-sunset: '2026-12-05'";
    let parameter = ("{name: q,", format!("{{name: q, {life},"));
    let property = ("p: {", format!("p: {{{life}, "));
    #[rustfmt::skip]
    let cases = [
        (parameter, "request-parameter-deprecated", "request-parameter-sunset-date-too-small"),
        (property, "request-property-deprecated-with-sunset", "request-property-sunset-date-too-small"),
    ];
    for ((from, to), long_enough, too_short) in cases {
        assert_eq!(only(edited(&beta, from, &to)).id, long_enough);
        let finding = only(edited(&both, from, &to));
        assert_eq!(finding.id, too_short);
        assert_eq!(finding.also[0].id, long_enough);
        assert_eq!(finding.operations, ["POST /a", "POST /b"]);
    }
}

#[test]
fn component_added_or_removed_with_its_references() {
    let document = |headers: &str, more: &str, components: &str| {
        parse(&format!(
            "openapi: 3.0.3
info: {{title: a, version: 1.0.0}}
paths:
  /a:
    get: {{responses: {{'200': {{description: a, headers: {{{headers}}}}}{more}}}}}
    put: {{responses: {{'200': {{description: a, headers: {{{headers}}}}}{more}}}}}
components: {{{components}}}
"
        ))
    };
    let policy = policy(SETTINGS, "2026-11-21");
    let use_of_tag = "Tag: {$ref: '#/components/headers/Tag'}";
    let tag = "headers: {Tag: {required: true, schema: {type: string}}}";
    let (with, without) = (document(use_of_tag, "", tag), document("", "", ""));
    let cases = [
        (&with, &without, "required-response-header-removed"),
        (&without, &with, "response-header-added"),
    ];
    for (base, revision, rule) in cases {
        let finding = only(dropspec_diff::diff(base, revision, &policy));
        assert_eq!(finding.id, rule);
        assert_eq!(finding.pointer, "/components/headers/Tag");
        assert_eq!(finding.operations, ["GET /a", "PUT /a"]);
    }
    // If the component remains, each response without the header is an edit.
    let kept = dropspec_diff::diff(&with, &document("", "", tag), &policy);
    let gone = |finding: &&Finding| finding.id == "required-response-header-removed";
    assert_eq!(kept.iter().filter(gone).count(), 2);
    // Each status of a component is an edit.
    let late = "'507': {$ref: '#/components/responses/Late'}, '508': {$ref: '#/components/responses/Late'}";
    let late = document(
        "",
        &format!(", {late}"),
        "responses: {Late: {description: a}}",
    );
    let found = dropspec_diff::diff(&without, &late, &policy);
    let (first, second) = (&found[0], &found[1]);
    assert_eq!(found.len(), 2);
    assert_eq!(first.id, "response-non-success-status-added");
    assert_eq!(first.operations, ["GET /a", "PUT /a"]);
    assert_ne!(first.fingerprint, second.fingerprint);
}
