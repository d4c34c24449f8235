//! Every change of a schema triggers its rule in every role of the schema.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use dropspec_diff::rules::{self, Example};
use dropspec_model::Document;

use crate::common::{ids, parse};
use crate::rules::policy_of;

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

/// What is wrong with the finding of an edit of a schema in a place.
fn check(place: &str, role: &str, change: &str, example: &Example) -> Result<(), String> {
    let documents = [&example.before, &example.after].map(|schema| document(place, schema));
    let found = dropspec_diff::diff(&documents[0], &documents[1], &policy_of(example));
    let found: Vec<_> = found
        .into_iter()
        .filter(|it| it.id != "openapi-version-changed")
        .collect();
    // The document has components that it does not use.
    let found_ids: BTreeSet<String> = ids(&found)
        .into_iter()
        .filter(|id| id != "unused-component-changed")
        // The edit that makes a choice ambiguous is one of its own.
        .filter(|id| {
            change != "one-of-became-ambiguous" || !id.ends_with("additional-properties-allowed")
        })
        .map(|id| id.replace("-required-property-became", "-property-became"))
        .map(|id| id.replace("-optional-property-became", "-property-became"))
        .collect();
    let has_message = place != PLACES[0].1 || found.iter().any(|it| it.message == example.message);
    if found_ids == BTreeSet::from([expected(role, change)]) && has_message {
        return Ok(());
    }
    let messages: Vec<_> = found.iter().map(|it| &it.message).collect();
    Err(format!(
        "{role}-{change} in {place}: {example}: {found_ids:?} {messages:?}"
    ))
}

#[test]
fn every_change_triggers_its_rule_in_every_role() {
    let mut wrong = Vec::new();
    for change in rules::schema_changes() {
        for (example, (role, place)) in change
            .examples
            .iter()
            .flat_map(|example| PLACES.iter().map(move |place| (example, place)))
        {
            // An item is always sent, so that its default is never used.
            let is_item = place.contains("items") && !place.contains("items: {properties");
            if change.change.starts_with("default")
                && is_item
                && ["request-parameter", "request-property"].contains(role)
            {
                continue;
            }
            wrong.extend(check(place, role, change.change, example).err());
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
