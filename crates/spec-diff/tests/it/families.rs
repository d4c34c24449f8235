//! Every change of a schema triggers its rule in every role of the schema.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use spec_diff::{Policy, rules};
use spec_model::Document;

use crate::common::{ids, parse, policy};

/// The change, and the schema before and after.
#[rustfmt::skip]
const CHANGES: &[(&str, &str, &str)] = &[
    ("type-changed", "{type: object}", "{type: boolean}"),
    ("type-generalized", "{type: integer}", "{type: number}"),
    ("type-generalized", "{type: integer, format: int32}", "{type: integer, format: int64}"),
    ("became-enum", "{type: string}", "{type: string, enum: [a, b]}"),
    ("became-not-enum", "{type: string, enum: [a, b]}", "{type: string}"),
    ("enum-value-added", "{type: string, enum: [a]}", "{type: string, enum: [b, a]}"),
    ("enum-value-removed", "{type: string, enum: [b, a]}", "{type: string, enum: [a]}"),
    ("x-extensible-enum-value-added", "{x-extensible-enum: [a]}", "{x-extensible-enum: [b, a]}"),
    ("x-extensible-enum-value-removed", "{x-extensible-enum: [b, a]}", "{x-extensible-enum: [a]}"),
    ("became-nullable", "{type: string}", "{type: string, nullable: true}"),
    ("became-nullable", "{type: string, nullable: false}", "{type: string, nullable: true}"),
    ("became-not-nullable", "{type: string, nullable: true}", "{type: string}"),
    ("default-value-added", "{type: integer}", "{type: integer, default: 1}"),
    ("default-value-removed", "{type: integer, default: 1}", "{type: integer}"),
    ("default-value-changed", "{type: integer, default: 1}", "{type: integer, default: 2}"),
    ("max-set", "{type: integer}", "{type: integer, maximum: 10}"),
    ("max-unset", "{type: integer, maximum: 10}", "{type: integer}"),
    ("max-increased", "{maximum: 9007199254740992}", "{maximum: 9007199254740993}"),
    ("max-decreased", "{type: number, maximum: 10}", "{type: number, maximum: 9.5}"),
    ("exclusive-max-set", "{type: number}", "{type: number, maximum: 10, exclusiveMaximum: true}"),
    ("exclusive-max-unset", "{type: number, maximum: 10, exclusiveMaximum: true}", "{type: number}"),
    ("exclusive-max-increased", "{maximum: 1, exclusiveMaximum: true}", "{maximum: 2, exclusiveMaximum: true}"),
    ("exclusive-max-increased", "{maximum: 1, exclusiveMaximum: true}", "{maximum: 1, exclusiveMaximum: false}"),
    ("exclusive-max-decreased", "{maximum: 2, exclusiveMaximum: true}", "{maximum: 1, exclusiveMaximum: true}"),
    ("exclusive-max-decreased", "{maximum: 2}", "{maximum: 2, exclusiveMaximum: true}"),
    ("min-set", "{type: integer}", "{type: integer, minimum: 10}"),
    ("min-unset", "{type: integer, minimum: 10}", "{type: integer}"),
    ("min-increased", "{type: integer, minimum: -1}", "{type: integer, minimum: 0}"),
    ("min-decreased", "{type: integer, minimum: 0}", "{type: integer, minimum: -1}"),
    ("exclusive-min-set", "{type: number}", "{type: number, minimum: 1, exclusiveMinimum: true}"),
    ("exclusive-min-unset", "{type: number, minimum: 10, exclusiveMinimum: true}", "{type: number}"),
    ("exclusive-min-increased", "{minimum: 1, exclusiveMinimum: true}", "{minimum: 2, exclusiveMinimum: true}"),
    ("exclusive-min-increased", "{minimum: 1}", "{minimum: 1, exclusiveMinimum: true}"),
    ("exclusive-min-decreased", "{minimum: 2, exclusiveMinimum: true}", "{minimum: 1, exclusiveMinimum: true}"),
    ("exclusive-min-decreased", "{minimum: 2, exclusiveMinimum: true}", "{minimum: 2}"),
    ("max-length-set", "{type: string}", "{type: string, maxLength: 5}"),
    ("max-length-unset", "{type: string, maxLength: 5}", "{type: string}"),
    ("max-length-increased", "{type: string, maxLength: 5}", "{type: string, maxLength: 6}"),
    ("max-length-decreased", "{type: string, maxLength: 5}", "{type: string, maxLength: 0}"),
    ("min-length-increased", "{type: string}", "{type: string, minLength: 1}"),
    ("min-length-increased", "{type: string, minLength: 1}", "{type: string, minLength: 2}"),
    ("min-length-decreased", "{type: string, minLength: 1}", "{type: string, minLength: 0}"),
    ("max-items-set", "{type: array, items: {}}", "{type: array, items: {}, maxItems: 5}"),
    ("max-items-unset", "{type: array, maxItems: 5}", "{type: array}"),
    ("max-items-increased", "{type: array, maxItems: 5}", "{type: array, maxItems: 6}"),
    ("max-items-decreased", "{type: array, maxItems: 5}", "{type: array, maxItems: 4}"),
    ("min-items-set", "{type: array}", "{type: array, minItems: 1}"),
    ("min-items-unset", "{type: array, minItems: 1}", "{type: array}"),
    ("min-items-increased", "{type: array, minItems: 1}", "{type: array, minItems: 2}"),
    ("min-items-decreased", "{type: array, minItems: 2}", "{type: array, minItems: 1}"),
    ("max-properties-set", "{type: object}", "{type: object, maxProperties: 5}"),
    ("max-properties-unset", "{type: object, maxProperties: 5}", "{type: object}"),
    ("max-properties-increased", "{type: object, maxProperties: 5}", "{type: object, maxProperties: 6}"),
    ("max-properties-decreased", "{type: object, maxProperties: 6}", "{type: object, maxProperties: 5}"),
    ("min-properties-set", "{type: object}", "{type: object, minProperties: 1}"),
    ("min-properties-unset", "{type: object, minProperties: 1}", "{type: object}"),
    ("min-properties-increased", "{type: object, minProperties: 1}", "{type: object, minProperties: 2}"),
    ("min-properties-decreased", "{type: object, minProperties: 2}", "{type: object, minProperties: 1}"),
    ("multiple-of-set", "{type: number}", "{type: number, multipleOf: 5}"),
    ("multiple-of-unset", "{type: number, multipleOf: 5}", "{type: number}"),
    ("multiple-of-changed", "{type: number, multipleOf: 5}", "{type: number, multipleOf: 3}"),
    ("multiple-of-generalized", "{multipleOf: 1}", "{multipleOf: 0.01}"),
    ("multiple-of-specialized", "{multipleOf: 5}", "{multipleOf: 10}"),
    ("became-unique-items", "{type: array}", "{type: array, uniqueItems: true}"),
    ("became-not-unique-items", "{type: array, uniqueItems: true}", "{type: array}"),
    ("pattern-added", "{type: string}", "{type: string, pattern: '^a$'}"),
    ("pattern-removed", "{type: string, pattern: '^a$'}", "{type: string}"),
    ("pattern-changed", "{type: string, pattern: '^a$'}", "{type: string, pattern: '^b$'}"),
    ("pattern-generalized", "{type: string, pattern: '^a$'}", "{type: string, pattern: '.*'}"),
    ("one-of-added", "{oneOf: [{type: string}]}", "{oneOf: [{type: integer}, {type: string}]}"),
    ("one-of-removed", "{oneOf: [{type: string}, {type: integer}]}", "{oneOf: [{type: integer}]}"),
    ("any-of-added", "{anyOf: [{type: string}]}", "{anyOf: [{type: integer}, {type: string}]}"),
    ("any-of-removed", "{anyOf: [{type: string}, {type: integer}]}", "{anyOf: [{type: integer}]}"),
    ("one-of-introduced", "{type: string}", "{type: string, oneOf: [{maxLength: 2}, {pattern: a}]}"),
    ("one-of-became-ambiguous", "{oneOf: [{type: object, properties: {a: {}}, additionalProperties: false}, {type: object, required: [b], properties: {b: {}}}]}", "{oneOf: [{type: object, properties: {a: {}}}, {type: object, required: [b], properties: {b: {}}}]}"),
    ("one-of-lifted", "{type: string, oneOf: [{maxLength: 2}, {pattern: a}]}", "{type: string}"),
    ("any-of-introduced", "{type: string}", "{type: string, anyOf: [{maxLength: 2}, {pattern: a}]}"),
    ("any-of-lifted", "{type: string, anyOf: [{maxLength: 2}, {pattern: a}]}", "{type: string}"),
    ("all-of-added", "{allOf: [{type: string}]}", "{allOf: [{type: string}, {maxLength: 5}]}"),
    ("all-of-removed", "{allOf: [{type: string}, {maxLength: 5}]}", "{allOf: [{type: string}]}"),
    ("all-of-added-annotation-only", "{allOf: [{type: string}]}", "{allOf: [{type: string}, {description: a}]}"),
    ("all-of-removed-annotation-only", "{allOf: [{type: string}, {title: a}]}", "{allOf: [{type: string}]}"),
    ("wrapped-in-one-of", "{type: object, properties: {a: {}}}", "{oneOf: [{type: object, properties: {a: {}}}, {type: object, properties: {b: {}}}]}"),
    ("not-added", "{type: string}", "{type: string, not: {enum: [x]}}"),
    ("not-removed", "{type: string, not: {enum: [x]}}", "{type: string}"),
    ("not-changed", "{type: string, not: {enum: [x]}}", "{type: string, not: {enum: [y]}}"),
    ("constraint-added", "{type: array}", "{type: array, contains: {type: string}}"),
    ("constraint-added", "{type: object}", "{type: object, dependentRequired: {a: [b]}}"),
    ("constraint-removed", "{type: object, propertyNames: {maxLength: 5}}", "{type: object}"),
    ("constraint-removed", "{type: array, contains: {type: string}, minContains: 2}", "{type: array, contains: {type: string}}"),
    ("constraint-changed", "{if: {type: string}, then: {maxLength: 5}}", "{if: {type: array}, then: {maxLength: 5}}"),
    ("additional-properties-forbidden", "{type: object}", "{type: object, additionalProperties: false}"),
    ("additional-properties-forbidden", "{additionalProperties: {type: string}}", "{additionalProperties: false}"),
    ("additional-properties-allowed", "{additionalProperties: false}", "{additionalProperties: true}"),
    ("additional-properties-restricted", "{additionalProperties: {}}", "{additionalProperties: {type: string}}"),
    ("additional-properties-generalized", "{type: object, additionalProperties: {type: string}}", "{type: object}"),
    ("items-restricted", "{type: array}", "{type: array, items: {type: string}}"),
    ("items-generalized", "{type: array, items: {type: string}}", "{type: array}"),
    ("became-read-only", "{type: string}", "{type: string, readOnly: true}"),
    ("became-not-read-only", "{type: string, readOnly: true}", "{type: string}"),
    ("became-write-only", "{type: string}", "{type: string, writeOnly: true}"),
    ("became-not-write-only", "{type: string, writeOnly: true}", "{type: string}"),
    ("discriminator-added", "{oneOf: [{type: object}]}", "{oneOf: [{type: object}], discriminator: {propertyName: a}}"),
    ("discriminator-removed", "{oneOf: [{type: object}], discriminator: {propertyName: a}}", "{oneOf: [{type: object}]}"),
    ("discriminator-property-name-changed", "{discriminator: {propertyName: a}}", "{discriminator: {propertyName: b}}"),
    ("discriminator-mapping-added", "{discriminator: {propertyName: a}}", "{discriminator: {propertyName: a, mapping: {b: One}}}"),
    ("discriminator-mapping-deleted", "{discriminator: {propertyName: a, mapping: {b: One}}}", "{discriminator: {propertyName: a}}"),
    ("discriminator-mapping-changed", "{discriminator: {propertyName: a, mapping: {b: One}}}", "{discriminator: {propertyName: a, mapping: {b: Two}}}"),
    ("discriminator-value-renamed", "{oneOf: [{$ref: '#/components/schemas/One'}], discriminator: {propertyName: a}}", "{oneOf: [{$ref: '#/components/schemas/Uno'}], discriminator: {propertyName: a}}"),
    ("deprecated", "{type: string}", "{type: string, deprecated: true}"),
    ("deprecated-with-sunset", "{type: string}", "{type: string, deprecated: true, x-sunset: '2030-01-01'}"),
    ("deprecated-sunset-missing", "{type: string}", "{type: string, deprecated: true}"),
    ("deprecated-sunset-invalid", "{type: string}", "{type: string, deprecated: true, x-sunset: soon}"),
    ("sunset-date-too-small", "{type: string}", "{type: string, deprecated: true, x-sunset: '2026-11-22'}"),
    ("sunset-deleted", "{type: string, deprecated: true, x-sunset: '2030-01-01'}", "{type: string, deprecated: true}"),
    ("sunset-date-changed-too-small", "{type: string, deprecated: true, x-sunset: '2030-01-01'}", "{type: string, deprecated: true, x-sunset: '2026-11-30'}"),
    ("sunset-date-moved", "{type: string, deprecated: true, x-sunset: '2030-01-01'}", "{type: string, deprecated: true, x-sunset: '2030-02-01'}"),
    ("reactivated", "{type: string, deprecated: true}", "{type: string}"),
    ("stability-invalid", "{type: string}", "{type: string, x-stability: perhaps}"),
    ("stability-decreased", "{type: string}", "{type: string, x-stability: beta}"),
    ("stability-increased", "{type: string, x-stability-level: alpha}", "{type: string, x-stability-level: beta}"),
    ("xml-changed", "{xml: {name: a}}", "{xml: {name: b}}"),
    ("component-renamed", "{$ref: '#/components/schemas/One'}", "{$ref: '#/components/schemas/Uno'}"),
];

/// The role, and a path item with `SCHEMA` in this role.
#[rustfmt::skip]
const PLACES: &[(&str, &str)] = &[
    ("request-body", "{post: {requestBody: {content: {application/json: {schema: SCHEMA}}}}}"),
    ("request-body", "{post: {requestBody: {$ref: '#/components/requestBodies/B'}}}"),
    ("request-body", "{post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}}}"),
    ("request-body", "{post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/%53'}}}}}}"),
    ("request-property", "{post: {requestBody: {content: {application/json: {schema: {properties: {p: SCHEMA}}}}}}}"),
    ("request-property", "{put: {requestBody: {content: {application/json: {schema: {properties: {p: {$ref: '#/components/schemas/S'}}}}}}}}"),
    ("request-property", "{post: {requestBody: {content: {application/json: {schema: {properties: {p: {properties: {q: SCHEMA}}}}}}}}}"),
    ("request-property", "{post: {requestBody: {content: {application/json: {schema: {type: array, items: SCHEMA}}}}}}"),
    ("request-property", "{post: {requestBody: {content: {application/json: {schema: {additionalProperties: SCHEMA}}}}}}"),
    ("request-property", "{post: {requestBody: {content: {application/json: {schema: {allOf: [{properties: {p: SCHEMA}}, {type: object}]}}}}}}"),
    ("request-property", "{post: {requestBody: {content: {application/json: {schema: {oneOf: [{title: t, properties: {p: SCHEMA}}, {type: string}]}}}}}}"),
    ("request-property", "{post: {requestBody: {content: {application/json: {schema: {anyOf: [{title: t, properties: {p: SCHEMA}}, {type: string}]}}}}}}"),
    ("request-parameter", "{get: {parameters: [{name: q, in: query, schema: SCHEMA}]}}"),
    ("request-parameter", "{get: {parameters: [{name: q, in: header, schema: SCHEMA}]}}"),
    ("request-parameter", "{get: {parameters: [{name: q, in: cookie, schema: SCHEMA}]}}"),
    ("request-parameter", "{get: {parameters: [{$ref: '#/components/parameters/P'}]}}"),
    ("request-parameter", "{parameters: [{name: q, in: query, schema: SCHEMA}], get: {}, put: {}}"),
    ("request-parameter", "{parameters: [{$ref: '#/components/parameters/P'}], get: {}}"),
    ("request-parameter", "{get: {parameters: [{name: q, in: query, content: {application/json: {schema: SCHEMA}}}]}}"),
    ("request-parameter", "{get: {parameters: [{name: q, in: query, schema: {type: array, items: SCHEMA}}]}}"),
    ("request-parameter-property", "{get: {parameters: [{name: q, in: query, schema: {type: object, properties: {p: SCHEMA}}}]}}"),
    ("request-parameter-property", "{get: {parameters: [{name: q, in: query, content: {application/json: {schema: {properties: {p: SCHEMA}}}}}]}}"),
    ("response-body", "{get: {responses: {'200': {content: {application/json: {schema: SCHEMA}}}}}}"),
    ("response-body", "{get: {responses: {default: {content: {application/json: {schema: SCHEMA}}}}}}"),
    ("response-body", "{get: {responses: {4XX: {content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}}}}"),
    ("response-body", "{get: {responses: {'200': {$ref: '#/components/responses/R'}}}}"),
    ("response-property", "{get: {responses: {'200': {content: {application/json: {schema: {properties: {p: SCHEMA}}}}}}}}"),
    ("response-property", "{get: {responses: {'200': {content: {application/json: {schema: {items: {properties: {p: SCHEMA}}}}}}}}}"),
    ("response-property", "{get: {responses: {'200': {content: {application/json: {schema: {allOf: [{properties: {p: SCHEMA}}, {type: object}]}}}}}}}"),
    ("response-header", "{get: {responses: {'200': {headers: {X-A: {schema: SCHEMA}}}}}}"),
    ("response-header", "{get: {responses: {'200': {headers: {X-A: {$ref: '#/components/headers/H'}}}}}}"),
    ("response-header-property", "{get: {responses: {'200': {headers: {X-A: {schema: {properties: {p: SCHEMA}}}}}}}}"),
];

/// A document with the schema in a place.
fn document(place: &str, schema: &str) -> Document {
    let body = format!("{{content: {{application/json: {{schema: {schema}}}}}}}");
    let components = if place.contains("/components/") {
        format!(
            "S: {schema}}}, parameters: {{P: {{name: q, in: query, schema: {schema}}}}},
            headers: {{H: {{schema: {schema}}}}}, requestBodies: {{B: {body}}}, responses: {{R: {body}}}"
        )
    } else {
        "}".to_owned()
    };
    let words = ["contains", "dependentRequired", "propertyNames", "{if:"];
    let version = if words
        .iter()
        .any(|word| place.contains(word) || schema.contains(word))
    {
        "3.1.0"
    } else {
        "3.0.3"
    };
    parse(&format!(
        "openapi: {version}
info: {{title: a, version: 1.0.0}}
paths: {{/a: {}}}
components: {{schemas: {{One: {{type: object, properties: {{a: {{type: string}}}}}}, Uno: {{type: object, properties: {{a: {{type: string}}}}}},
  Two: {{type: object, properties: {{b: {{type: string}}}}}}, {components}}}",
        place.replace("SCHEMA", schema)
    ))
}

/// The policy with which a change triggers its rule.
fn policy_for(change: &str) -> Policy {
    let needs_notice = ["deprecated-sunset-missing", "sunset-date-too-small"];
    Policy {
        min_notice_days: if needs_notice.contains(&change) {
            30
        } else {
            0
        },
        generated_clients: change == "component-renamed",
        ..policy()
    }
}

/// The id of the rule; some roles have other rules.
fn expected(role: &str, change: &str) -> String {
    match (role, change) {
        // A text of another type was already rejected.
        ("request-parameter-property", "type-changed") => format!("{role}-type-specialized"),
        (role, "pattern-generalized") if role.starts_with("response") => {
            format!("{role}-pattern-removed")
        }
        ("response-body", "enum-value-removed") => "response-mediatype-enum-value-removed".into(),
        _ => format!("{role}-{change}"),
    }
}

fn check(place: &str, old: &str, new: &str, role: &str, change: &str) -> Result<(), String> {
    let (base, revision) = (document(place, old), document(place, new));
    let found = spec_diff::diff(&base, &revision, &policy_for(change));
    let found: Vec<_> = found
        .into_iter()
        .filter(|it| it.id != "openapi-version-changed")
        .collect();
    // The document has components that it does not use.
    let found: BTreeSet<String> = ids(&found)
        .into_iter()
        .filter(|id| id != "unused-component-changed")
        // The edit that makes a choice ambiguous is one of its own.
        .filter(|id| {
            change != "one-of-became-ambiguous" || !id.ends_with("additional-properties-allowed")
        })
        .map(|id| id.replace("-required-property-became", "-property-became"))
        .map(|id| id.replace("-optional-property-became", "-property-became"))
        .collect();
    if found == BTreeSet::from([expected(role, change)]) {
        Ok(())
    } else {
        Err(format!(
            "{role}-{change} in {place}: {old} → {new}: found {found:?}"
        ))
    }
}

#[test]
fn every_change_triggers_its_rule_in_every_role() {
    let mut wrong = Vec::new();
    for (change, old, new) in CHANGES {
        for (role, place) in PLACES {
            // An item is always sent, so that its default is never used.
            let is_item = place.contains("items") && !place.contains("items: {properties");
            if change.starts_with("default")
                && is_item
                && ["request-parameter", "request-property"].contains(role)
            {
                continue;
            }
            wrong.extend(check(place, old, new, role, change).err());
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_family_has_a_case() {
    let elsewhere = [
        "type-specialized",
        "type-compatible",
        "property-removed",
        "property-renamed",
        "required-property-added",
        "optional-property-added",
        "became-required",
        "became-optional",
    ];
    for family in rules::FAMILIES {
        let here = CHANGES.iter().any(|(change, ..)| *change == family.change);
        assert!(
            here || elsewhere.contains(&family.change),
            "{}",
            family.change
        );
    }
}
