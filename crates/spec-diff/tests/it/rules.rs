//! Rules with an id of their own: an edit that triggers each, and the levels of oasdiff.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use spec_diff::{Level, rules};

use crate::common::{ids, parse, policy};

/// The rule, and the document before and after: the path item `/a`, and after `|` the components. `BODY` is a request
/// body with a schema, `RESPONSE` a response.
#[rustfmt::skip]
const EDITS: &[(&str, &str, &str)] = &[
    ("endpoint-deprecated", "{get: {}}", "{get: {deprecated: true}}"),
    ("endpoint-deprecated-with-sunset", "{get: {}}", "{get: {deprecated: true, x-sunset: '2030-01-01'}}"),
    ("endpoint-reactivated", "{get: {deprecated: true}}", "{get: {}}"),
    ("api-deprecated-sunset-parse", "{get: {}}", "{get: {deprecated: true, x-sunset: soon}}"),
    ("api-removed-without-deprecation", "{get: {}, put: {}}", "{get: {}}"),
    ("api-removed-before-sunset", "{get: {}, put: {deprecated: true, x-sunset: '2030-01-01'}}", "{get: {}}"),
    ("api-removed-with-deprecation", "{get: {}, put: {deprecated: true, x-sunset: '2026-11-20'}}", "{get: {}}"),
    ("api-stability-decreased", "{get: {}}", "{get: {x-stability-level: alpha}}"),
    ("api-tag-added", "{get: {tags: [a]}}", "{get: {tags: [b, a]}}"),
    ("api-tag-removed", "{get: {tags: [a]}}", "{get: {}}"),
    ("api-operation-id-removed", "{get: {operationId: a}}", "{get: {}}"),
    ("api-security-added", "{get: {security: [{K: []}]}}", "{get: {security: [{K: []}, {L: []}]}}"),
    ("api-security-removed", "{get: {security: [{K: []}]}}", "{get: {security: []}}"),
    ("api-security-scope-removed", "{get: {security: [{K: [a, b]}]}}", "{get: {security: [{K: [a]}]}}"),
    ("api-schema-removed", "{get: {}} | {schemas: {A: {}}}", "{get: {}}"),
    ("request-parameter-reactivated", "{get: {parameters: [{name: q, in: query, deprecated: true}]}}", "{get: {parameters: [{name: q, in: query}]}}"),
    ("request-parameter-removed", "{get: {parameters: [{name: q, in: cookie}]}}", "{get: {}}"),
    ("request-parameter-removed-with-deprecation", "{get: {parameters: [{name: q, in: query, deprecated: true, x-sunset: '2026-11-20'}]}}", "{get: {}}"),
    ("request-parameter-removed-before-sunset", "{get: {parameters: [{name: q, in: query, deprecated: true, x-sunset: '2030-01-01'}]}}", "{get: {}}"),
    ("request-parameter-became-required", "{get: {parameters: [{name: q, in: header}]}}", "{get: {parameters: [{name: q, in: header, required: true}]}}"),
    ("request-parameter-type-changed", "{get: {parameters: [{name: q, in: query, schema: {type: string}}]}}", "{get: {parameters: [{name: q, in: query, schema: {type: integer}}]}}"),
    ("request-parameter-type-generalized", "{get: {parameters: [{name: q, in: query, schema: {type: integer}}]}}", "{get: {parameters: [{name: q, in: query, schema: {type: string}}]}}"),
    ("request-parameter-property-type-generalized", "{get: {parameters: [{name: q, in: query, schema: {properties: {a: {type: integer}}}}]}}", "{get: {parameters: [{name: q, in: query, schema: {properties: {a: {type: number}}}}]}}"),
    ("request-header-property-became-enum", "{get: {parameters: [{name: q, in: header, schema: {properties: {a: {type: string}}}}]}}", "{get: {parameters: [{name: q, in: header, schema: {properties: {a: {type: string, enum: [a]}}}}]}}"),
    ("request-header-property-became-required", "{get: {parameters: [{name: q, in: header, schema: {properties: {a: {type: string}}}}]}}", "{get: {parameters: [{name: q, in: header, schema: {required: [a], properties: {a: {type: string}}}}]}}"),
    ("new-required-request-header-property", "{get: {parameters: [{name: q, in: header, schema: {type: object}}]}}", "{get: {parameters: [{name: q, in: header, schema: {type: object, required: [a], properties: {a: {type: string}}}}]}}"),
    ("new-required-request-parameter", "{get: {}}", "{get: {parameters: [{name: q, in: cookie, required: true}]}}"),
    ("new-optional-request-default-parameter-to-existing-path", "{get: {}}", "{parameters: [{name: q, in: query}], get: {}}"),
    ("request-body-added-required", "{put: {}}", "{put: {requestBody: {required: true, content: {}}}}"),
    ("request-body-added-optional", "{put: {}}", "{put: {requestBody: {content: {}}}}"),
    ("request-body-removed", "{put: {requestBody: {content: {}}}}", "{put: {}}"),
    ("request-body-became-optional", "{put: {requestBody: {required: true, content: {}}}}", "{put: {requestBody: {content: {}}}}"),
    ("request-body-media-type-removed", "{put: {requestBody: {content: {a/b: {}, a/c: {}}}}}", "{put: {requestBody: {content: {a/c: {}}}}}"),
    ("request-body-media-type-added", "{put: {requestBody: {content: {a/b: {}}}}}", "{put: {requestBody: {content: {a/b: {}, a/c: {}}}}}"),
    ("request-body-media-type-schema-added", "{put: {requestBody: {content: {a/b: {}}}}}", "{put: {requestBody: {content: {a/b: {schema: {}}}}}}"),
    ("request-property-type-changed", "BODY {properties: {a: {type: number}}}", "BODY {properties: {a: {type: integer}}}"),
    ("request-property-type-compatible", "{put: {requestBody: {content: {application/xml: {schema: {properties: {a: {type: integer}}}}}}}}", "{put: {requestBody: {content: {application/xml: {schema: {properties: {a: {type: string}}}}}}}}"),
    ("request-property-removed", "BODY {properties: {a: {}}}", "BODY {}"),
    ("request-property-became-required", "BODY {properties: {a: {}}}", "BODY {required: [a], properties: {a: {}}}"),
    ("request-property-became-required-with-default", "BODY {properties: {a: {default: 1}}}", "BODY {required: [a], properties: {a: {default: 1}}}"),
    ("request-property-became-optional", "BODY {required: [a], properties: {a: {}}}", "BODY {properties: {a: {}}}"),
    ("new-required-request-property", "BODY {}", "BODY {required: [a], properties: {a: {}}}"),
    ("new-required-request-property-with-default", "BODY {}", "BODY {required: [a], properties: {a: {default: 1}}}"),
    ("new-optional-request-property", "BODY {}", "BODY {properties: {a: {}}}"),
    ("request-read-only-property-changed", "BODY {properties: {}}", "BODY {required: [a], properties: {a: {readOnly: true}}}"),
    ("request-read-only-property-enum-value-removed", "BODY {properties: {a: {readOnly: true, enum: [a, b]}}}", "BODY {properties: {a: {readOnly: true, enum: [a]}}}"),
    ("request-read-only-property-max-decreased", "BODY {properties: {a: {readOnly: true, maximum: 2}}}", "BODY {properties: {a: {readOnly: true, maximum: 1}}}"),
    ("request-read-only-property-min-increased", "BODY {properties: {a: {readOnly: true, minimum: 1}}}", "BODY {properties: {a: {readOnly: true, minimum: 2}}}"),
    ("request-read-only-property-max-length-decreased", "BODY {properties: {a: {readOnly: true, maxLength: 2}}}", "BODY {properties: {a: {readOnly: true, maxLength: 1}}}"),
    ("request-read-only-property-exclusive-max-decreased", "BODY {properties: {a: {readOnly: true, maximum: 2, exclusiveMaximum: true}}}", "BODY {properties: {a: {readOnly: true, maximum: 1, exclusiveMaximum: true}}}"),
    ("request-read-only-property-exclusive-min-increased", "BODY {properties: {a: {readOnly: true, minimum: 2, exclusiveMinimum: true}}}", "BODY {properties: {a: {readOnly: true, minimum: 3, exclusiveMinimum: true}}}"),
    ("request-required-property-became-not-read-only", "BODY {required: [a], properties: {a: {readOnly: true}}}", "BODY {required: [a], properties: {a: {}}}"),
    ("request-optional-property-became-write-only", "BODY {properties: {a: {}}}", "BODY {properties: {a: {writeOnly: true}}}"),
    ("request-body-type-changed", "BODY {type: array, items: {type: string}}", "BODY {type: string}"),
    ("response-body-type-changed", "RESPONSE {content: {a/json: {schema: {type: string}}}}", "RESPONSE {content: {a/json: {schema: {type: array, items: {type: string}}}}}"),
    ("request-parameter-type-changed", "{get: {parameters: [{name: q, in: query, schema: {type: array, items: {type: string}}}]}}", "{get: {parameters: [{name: q, in: query, schema: {type: string}}]}}"),
    ("request-parameter-type-generalized", "{get: {parameters: [{name: q, in: query, explode: false, schema: {type: array, items: {type: string}}}]}}", "{get: {parameters: [{name: q, in: query, explode: false, schema: {type: string}}]}}"),
    ("extension-changed", "BODY {properties: {a: {x-extensible-enum: [a, b]}}}", "BODY {properties: {a: {}}}"),
    ("extension-changed", "BODY {properties: {a: {}}}", "BODY {properties: {a: {x-extensible-enum: [a, b]}}}"),
    ("response-media-type-added", "RESPONSE {content: {a/b: {}}}", "RESPONSE {content: {a/b: {}, c/d: {}}}"),
    ("response-media-type-removed", "RESPONSE {content: {a/b: {}, c/d: {}}}", "RESPONSE {content: {a/b: {}}}"),
    ("response-media-type-name-changed", "RESPONSE {content: {a/b;v=1: {}}}", "RESPONSE {content: {a/b;v=2: {}}}"),
    ("response-media-type-name-specialized", "RESPONSE {content: {application/json: {}}}", "RESPONSE {content: {application/problem+json: {}}}"),
    ("response-media-type-name-generalized", "RESPONSE {content: {application/problem+json: {}}}", "RESPONSE {content: {application/json: {}}}"),
    ("response-body-media-type-schema-added", "RESPONSE {content: {a/b: {}}}", "RESPONSE {content: {a/b: {schema: {}}}}"),
    ("response-header-added", "RESPONSE {}", "RESPONSE {headers: {X-A: {}}}"),
    ("required-response-header-removed", "RESPONSE {headers: {X-A: {required: true}}}", "RESPONSE {}"),
    ("optional-response-header-removed", "RESPONSE {headers: {X-A: {}}}", "RESPONSE {}"),
    ("response-header-became-optional", "RESPONSE {headers: {X-A: {required: true}}}", "RESPONSE {headers: {X-A: {}}}"),
    ("response-header-type-specialized", "RESPONSE {headers: {X-A: {schema: {type: number}}}}", "RESPONSE {headers: {X-A: {schema: {type: integer}}}}"),
    ("response-header-type-compatible", "RESPONSE {headers: {X-A: {schema: {type: string}}}}", "RESPONSE {headers: {X-A: {schema: {type: integer}}}}"),
    ("response-property-type-specialized", "RESPONSE {content: {a/json: {schema: {properties: {a: {type: number}}}}}}", "RESPONSE {content: {a/json: {schema: {properties: {a: {type: integer}}}}}}"),
    ("response-property-type-compatible", "RESPONSE {content: {text/html: {schema: {properties: {a: {type: string}}}}}}", "RESPONSE {content: {text/html: {schema: {properties: {a: {type: integer}}}}}}"),
    ("response-required-property-removed", "RESPONSE {content: {a/b: {schema: {required: [a], properties: {a: {}}}}}}", "RESPONSE {content: {a/b: {schema: {}}}}"),
    ("response-required-write-only-property-removed", "RESPONSE {content: {a/b: {schema: {required: [a], properties: {a: {writeOnly: true}}}}}}", "RESPONSE {content: {a/b: {schema: {}}}}"),
    ("response-write-only-property-became-required", "RESPONSE {content: {a/b: {schema: {properties: {a: {writeOnly: true}}}}}}", "RESPONSE {content: {a/b: {schema: {required: [a], properties: {a: {writeOnly: true}}}}}}"),
    ("response-required-property-became-read-only", "RESPONSE {content: {a/b: {schema: {required: [a], properties: {a: {}}}}}}", "RESPONSE {content: {a/b: {schema: {required: [a], properties: {a: {readOnly: true}}}}}}"),
    ("response-success-status-added", "{get: {responses: {'200': {}}}}", "{get: {responses: {'200': {}, '201': {}}}}"),
    ("response-non-success-status-removed", "{get: {responses: {'200': {}, default: {}}}}", "{get: {responses: {'200': {}}}}"),
];

#[test]
fn every_edit_triggers_its_rule_at_its_level() {
    let document = |text: &str| {
        let (item, components) = text.split_once(" | ").unwrap_or((text, "{}"));
        let item = match item.split_once(' ') {
            Some(("BODY", schema)) => {
                format!(
                    "{{put: {{requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}}}}}"
                )
            }
            Some(("RESPONSE", response)) => {
                format!("{{get: {{responses: {{'200': {response}}}}}}}")
            }
            _ => item.to_owned(),
        };
        parse(&format!(
            "openapi: 3.0.3\ninfo: {{version: 1.0.0}}\npaths: {{/a: {item}}}\ncomponents: {components}"
        ))
    };
    let mut wrong = Vec::new();
    for (rule, base, revision) in EDITS {
        let found = spec_diff::diff(&document(base), &document(revision), &policy());
        let found_ids = ids(&found);
        if found_ids != [*rule] || found[0].level != rules::find(rule).unwrap().rule().level {
            wrong.push(format!("{rule}: {base} → {revision}: {found_ids:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules whose level differs from that of oasdiff, by a part of their id. `docs/contract.md` has an exchange for each.
const OWN_LEVELS: [(&str, Level); 10] = [
    ("api-version-not-bumped", Level::Error),
    ("api-version-decreased", Level::Error),
    ("api-major-version-not-bumped", Level::Error),
    // A new bound rejects what was valid, as a tighter one does.
    ("-set", Level::Error),
    // A response has a value that clients do not know, whether an `enum`, a `oneOf` or an `anyOf` lists them.
    ("response-", Level::Error),
    (
        "request-required-property-became-not-read-only",
        Level::Error,
    ),
    ("response-optional-property-became-write-only", Level::Warn),
    ("request-property-default-value-", Level::Error),
    ("-discriminator-mapping-", Level::Error),
    // A response may now have a text that the old pattern excluded.
    ("response-property-pattern-changed", Level::Warn),
];

#[test]
fn levels_equal_those_of_oasdiff() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus/contract-diff/rules.tsv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return;
    };
    let mut wrong = Vec::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split('\t');
        let (id, level) = (fields.next().unwrap(), fields.next().unwrap());
        let level = match level {
            "error" => Level::Error,
            "warn" => Level::Warn,
            _ => Level::Info,
        };
        let own = rules::find(id).map(|id| id.rule().level);
        let is_own = |(part, own): &(&str, Level)| {
            id.contains(part) && rules::find(id).is_some_and(|id| id.rule().level == *own)
        };
        if own != Some(level) && !OWN_LEVELS.iter().any(is_own) {
            wrong.push(format!("{id}: {level:?} there, {own:?} here"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
