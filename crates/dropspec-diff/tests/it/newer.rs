//! Documents of OpenAPI 3.1, and documents of 3.0 beside their successors of 3.1.
#![allow(clippy::unwrap_used)]

use dropspec_diff::Finding;
use dropspec_diff::Level::{Error, Info, Warn};

use crate::common::{self, compare_versions, policy};
use crate::exchanges::Place::{Request, Response};
use crate::exchanges::{Case, check_versions, document};

const COMPONENTS: &str =
    "components: {schemas: {Pet: {type: object, properties: {name: {type: string}}}}}";

/// The findings, without that about the version of OpenAPI.
fn found(base: (&str, &str), revision: (&str, &str)) -> Vec<Finding> {
    let mut found = compare_versions(base, revision, &policy());
    found.retain(|it| it.id != "openapi-version-changed");
    found
}

/// Schemas of 3.0, each with how 3.1 writes it.
#[rustfmt::skip]
const SAME: &[(&str, &str)] = &[
    ("{type: string, nullable: true}", "{type: [string, 'null']}"),
    ("{type: string, nullable: true}", "{oneOf: [{type: string}, {type: 'null'}]}"),
    ("{type: string, nullable: true}", "{anyOf: [{type: 'null'}, {type: string}]}"),
    ("{type: string, enum: [a, null], nullable: true}", "{type: [string, 'null'], enum: [a, null]}"),
    ("{type: string, enum: [a]}", "{type: string, const: a}"),
    ("{type: string, enum: [a, b]}", "{oneOf: [{const: a, type: string}, {const: b, type: string}]}"),
    ("{type: number, minimum: 1, exclusiveMinimum: true}", "{type: number, exclusiveMinimum: 1}"),
    ("{type: number, maximum: 1, exclusiveMaximum: true}", "{type: number, exclusiveMaximum: 1, maximum: 2}"),
    ("{type: string, example: a}", "{type: string, examples: [a]}"),
    ("{type: string, format: byte}", "{type: string, contentEncoding: base64}"),
    ("{type: string, format: binary}", "{contentMediaType: application/octet-stream}"),
    ("{type: array, items: {}}", "{type: array, items: true}"),
    ("{type: object, additionalProperties: false}", "{type: object, unevaluatedProperties: false}"),
    ("{allOf: [{$ref: '#/components/schemas/Pet'}], description: a}", "{$ref: '#/components/schemas/Pet', description: a}"),
    ("{nullable: true, allOf: [{$ref: '#/components/schemas/Pet'}]}", "{anyOf: [{$ref: '#/components/schemas/Pet'}, {type: 'null'}]}"),
    ("{type: string, maxLength: 3}", "{$ref: '#/x-a', $defs: {Short: {type: string, maxLength: 3}}}"),
    ("{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {$ref: '#text'}}, $defs: {Text: {$anchor: text, type: string}}}"),
    ("{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {$dynamicRef: '#text'}}, $defs: {Text: {$dynamicAnchor: text, type: string}}}"),
    ("{not: {}}", "false"),
];

#[test]
fn schemas_of_3_0_equal_their_successors_of_3_1() {
    let mut wrong = Vec::new();
    for (old, new) in SAME {
        for place in [Request, Response] {
            let (old, new) = (
                document(&place, old, COMPONENTS),
                document(&place, new, COMPONENTS),
            );
            let new = new + "\nx-a: {type: string, maxLength: 3}\n";
            let old = old + "\nx-a: {type: string, maxLength: 3}\n";
            let there = found(("3.0.3", &old), ("3.1.0", &new));
            let back = found(("3.1.0", &new), ("3.0.3", &old));
            // Names of schemas exist in 3.1 only.
            let is_name =
                |it: &Finding| it.message.contains("Anchor") || it.message.contains("anchor");
            if !there.iter().chain(&back).all(is_name) {
                wrong.push(format!("{new}\n  {there:?}\n  {back:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("POST null: 201, then 400", Request, "{type: [string, 'null']}", "{type: string}", Some(("request-body-became-not-nullable", Error))),
    ("GET: 200 null, which the client does not know", Response, "{type: string}", "{anyOf: [{type: string}, {type: 'null'}]}", Some(("response-body-became-nullable", Error))),
    ("POST 7: 201, then 400", Request, "{type: [string, integer]}", "{type: string}", Some(("request-body-type-changed", Error))),
    ("POST a: 201, then 400", Request, "{const: a}", "{const: b}", Some(("request-body-enum-value-removed", Error))),
    ("POST 1.5: 201, then 400", Request, "{type: number, exclusiveMinimum: 1}", "{type: number, exclusiveMinimum: 2}", Some(("request-body-exclusive-min-increased", Error))),
    ("POST [a]: 201, then 400", Request, "{type: array, prefixItems: [{type: string}]}", "{type: array, prefixItems: [{type: boolean}]}", Some(("request-property-type-changed", Error))),
    ("GET: 200 [1], where the client knows texts", Response, "{type: array, prefixItems: [{type: string}]}", "{type: array, prefixItems: [{type: integer}]}", Some(("response-property-type-changed", Error))),
    ("POST [a, b]: 201, then 400: there may be one", Request, "{type: array, prefixItems: [{type: string}]}", "{type: array, prefixItems: [{type: string}], items: false}", Some(("request-body-items-restricted", Error))),
    ("POST [a, 1]: 201 as before", Request, "{type: array, items: {type: string}}", "{type: array, prefixItems: [{type: string}], items: {type: string}}", None),
    ("POST []: 201, then 400: there is no text", Request, "{type: array}", "{type: array, contains: {type: string}}", Some(("request-body-constraint-added", Error))),
    ("POST [a]: 201, then 400: there must be two texts", Request, "{type: array, contains: {type: string}}", "{type: array, contains: {type: string}, minContains: 2}", Some(("request-body-constraint-added", Error))),
    ("POST []: 400, then 201", Request, "{type: array, contains: {type: string}}", "{type: array, contains: {type: string}, minContains: 0}", Some(("request-body-constraint-removed", Info))),
    ("POST {x-a: 1}: 201, then 400", Request, "{type: object}", "{type: object, patternProperties: {'^x-': {type: string}}}", Some(("request-body-constraint-added", Error))),
    ("POST {x-a: a}: 400, then 201", Request, "{type: object, additionalProperties: false}", "{type: object, additionalProperties: false, patternProperties: {'^x-': {type: string}}}", Some(("request-body-additional-properties-allowed", Info))),
    ("POST {x-a: aaaa}: 201, then 400", Request, "{type: object, patternProperties: {'^x-': {type: string}}}", "{type: object, patternProperties: {'^x-': {type: string, maxLength: 3}}}", Some(("request-property-max-length-set", Error))),
    ("POST {name: a}: 201, then 400", Request, "{type: object}", "{type: object, propertyNames: {maxLength: 3}}", Some(("request-body-constraint-added", Error))),
    ("POST {card: 1}: 201, then 400: the address is missing", Request, "{type: object, properties: {card: {type: integer}}}", "{type: object, properties: {card: {type: integer}}, dependentRequired: {card: [address]}}", Some(("request-body-constraint-added", Error))),
    ("GET: 200 {card: 1}, where the client reads the address", Response, "{type: object, dependentRequired: {card: [address]}}", "{type: object}", Some(("response-body-constraint-removed", Error))),
    ("POST {card: 1}: 201, then 400", Request, "{type: object, properties: {card: {type: integer}}}", "{type: object, properties: {card: {type: integer}}, dependentSchemas: {card: {required: [address]}}}", Some(("request-body-constraint-added", Error))),
    ("POST {card: 1, address: 2}: 201, then 400", Request, "{type: object, dependentSchemas: {card: {properties: {address: {type: integer}}}}}", "{type: object, dependentSchemas: {card: {properties: {address: {type: string}}}}}", Some(("request-property-type-changed", Error))),
    ("POST {kind: a}: 201, then 400: the size is missing", Request, "{type: object, if: {properties: {kind: {const: a}}}, then: {}}", "{type: object, if: {properties: {kind: {const: a}}}, then: {required: [size]}}", Some(("request-property-became-required", Error))),
    ("POST {kind: b}: 201, then perhaps 400", Request, "{type: object, if: {properties: {kind: {const: a}}}, then: {required: [size]}}", "{type: object, if: {properties: {kind: {const: b}}}, then: {required: [size]}}", Some(("request-body-constraint-changed", Warn))),
    ("POST aaaa: 201, then 400: texts are short now", Request, "{type: [string, integer]}", "{type: [string, integer], if: {type: string}, then: {maxLength: 3}}", Some(("request-body-constraint-added", Error))),
    ("POST {name: a, age: 1}: 201, then 400", Request, "{allOf: [{$ref: '#/components/schemas/Pet'}]}", "{allOf: [{$ref: '#/components/schemas/Pet'}], unevaluatedProperties: false}", Some(("request-body-additional-properties-forbidden", Error))),
    ("POST [a, 1]: 201, then 400", Request, "{type: array, prefixItems: [{type: string}]}", "{type: array, prefixItems: [{type: string}], unevaluatedItems: false}", Some(("request-body-items-restricted", Error))),
    ("POST {name: a, age: 1}: 201, then 400: siblings of $ref apply", Request, "{$ref: '#/components/schemas/Pet'}", "{$ref: '#/components/schemas/Pet', maxProperties: 1}", Some(("request-body-max-properties-set", Error))),
    ("GET: 200 with another text", Response, "{type: string, contentEncoding: base16}", "{type: string, contentEncoding: base32}", Some(("unclassified-change", Warn))),
    ("POST {parent: …}: perhaps 400, as the reference is dynamic", Request,
        "{properties: {a: {$dynamicRef: '#n'}, b: {$defs: {x: {$dynamicAnchor: n}, y: {$dynamicAnchor: n, type: object}}}}}",
        "{properties: {a: {$dynamicRef: '#n'}, b: {$defs: {x: {$dynamicAnchor: n}, y: {$dynamicAnchor: n, type: array}}}}}", Some(("not-compared", Warn))),
    ("POST a: 201, then perhaps 400, as nobody knows the target", Request, "{type: object, properties: {a: {$ref: '#nowhere'}}}", "{type: object, properties: {a: {$ref: '#nowhere'}, b: {}}}", Some(("not-compared", Warn))),
    ("POST any text: 201 as before", Request, "{type: string, $comment: a}", "{type: string, $comment: b}", Some(("documentation-changed", Info))),
];

#[test]
fn keywords_of_3_1_are_compared() {
    check_versions(CASES, COMPONENTS, ["3.1.0", "3.1.1"]);
}

#[test]
fn breaks_of_3_1_are_shown_by_an_instance_and_pointers_as_written() {
    let pet = "{$ref: '#/components/schemas/Pet'}";
    let few = "{$ref: '#/components/schemas/Pet', maxProperties: 0}";
    let card = "{type: object, properties: {card: {type: integer}}}";
    let address =
        "{type: object, properties: {card: {type: integer}}, dependentRequired: {card: [address]}}";
    #[rustfmt::skip]
    let cases = [
        ("{type: [string, 'null']}", "{type: string}", "/type", "null"),
        (card, address, "/dependentRequired/card/0", "{\"card\":"),
        ("{type: string, const: a}", "{type: string, const: b}", "/const", "\"a\""),
        (pet, few, "/maxProperties", "{\"name\":"),
        ("{type: array, prefixItems: [{type: string}]}", "{type: array, prefixItems: [{type: boolean}]}", "/prefixItems/0/type", "\""),
    ];
    for (base, revision, pointer, value) in cases {
        let (old, new) = (
            document(&Request, base, COMPONENTS),
            document(&Request, revision, COMPONENTS),
        );
        let found = found(("3.1.0", &old), ("3.1.0", &new));
        let error = found.iter().find(|it| it.level == Error).unwrap();
        assert!(error.pointer.ends_with(pointer), "{found:?}");
        let instance = error.instance.as_ref().unwrap();
        let text = instance.value.to_string();
        assert!(text.starts_with(value), "{revision}: {text}");
    }
}

#[test]
fn version_that_drops_nullable_is_a_break() {
    let schema = document(&Request, "{type: string, nullable: true}", "");
    let found = found(("3.0.3", &schema), ("3.1.0", &schema));
    assert_eq!(found[0].id, "request-body-became-not-nullable");
}

#[test]
fn webhooks_are_compared_as_requests_of_the_service() {
    let document = |schema: &str, status: &str| {
        format!(
            "webhooks: {{petSold: {{post: {{requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}, responses: {{'{status}': {{description: a}}}}}}}}}}"
        )
    };
    let ids = |base: &str, revision: &str| -> Vec<String> {
        let found = found(("3.1.0", base), ("3.1.0", revision));
        assert!(
            found.iter().all(|it| it.operations == ["webhook petSold"]),
            "{found:?}"
        );
        found.iter().map(|it| it.id.to_string()).collect()
    };
    let base = document("{type: integer, maximum: 5}", "204");
    let wider = document("{type: integer, maximum: 6}", "204");
    assert_eq!(ids(&base, &wider), ["response-body-max-increased"]);
    assert_eq!(ids(&wider, &base), ["response-body-max-decreased"]);
    assert_eq!(ids(&base, "paths: {}"), ["webhook-removed"]);
    assert_eq!(ids("paths: {}", &base), ["webhook-added"]);
    let message = &found(("3.1.0", &base), ("3.1.0", &wider))[0].message;
    assert_eq!(message, "the webhook body: `maximum` 5 → 6");
    let other = document("{type: integer, maximum: 5}", "200");
    assert_eq!(ids(&base, &other), ["webhook-changed", "webhook-changed"]);
}

#[test]
fn items_of_a_stream_are_compared_as_a_body_is() {
    let stream = |key: &str, schema: &str| {
        format!(
            "paths: {{/a: {{get: {{responses: {{'200': {{description: A, content: {{application/jsonl: {{{key}: {schema}}}}}}}}}}}}}}}"
        )
    };
    let count = "{type: object, properties: {count: {type: integer}}}";
    let more = "{type: object, properties: {count: {type: integer}, name: {type: string}}}";
    let text = "{type: object, properties: {count: {type: string}}}";
    for (key, schema, expected) in [
        ("itemSchema", count, &[][..]),
        ("itemSchema", more, &["response-optional-property-added"]),
        ("itemSchema", text, &["response-property-type-changed"]),
        (
            "schema",
            count,
            &[
                "response-body-media-type-schema-added",
                "response-body-media-type-schema-removed",
            ],
        ),
    ] {
        let (old, new) = (stream("x-item-schema", count), stream(key, schema));
        let found = found(("3.1.0", &old), ("3.2.0", &new));
        let mut ids: Vec<String> = found.iter().map(|it| it.id.to_string()).collect();
        ids.sort();
        assert_eq!(ids, expected, "{schema}");
    }
}

#[test]
fn what_3_2_adds_to_paths_is_compared_as_it_is_sent() {
    let query = |name: &str| {
        format!(
            "paths: {{/a: {{get: {{parameters: [{{name: {name}, in: querystring, content: {{application/json: {{schema: {{type: object}}}}}}}}]}}}}}}"
        )
    };
    let copy = "paths: {/a: {get: {}, additionalOperations: {COPY: {}}}}";
    let none = "paths: {/a: {get: {}}}";
    for (base, revision, expected) in [
        (&*query("q"), &*query("other"), "path-parameter-renamed"),
        (none, copy, "endpoint-added"),
        (copy, none, "api-removed-without-deprecation"),
    ] {
        let found = found(("3.2.0", base), ("3.2.0", revision));
        assert_eq!(common::ids(&found), [expected], "{base} → {revision}");
    }
}
