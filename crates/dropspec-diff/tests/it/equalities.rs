//! Schemas and documents that are written differently and have the same meaning, and others that do not.
#![allow(clippy::unwrap_used)]

use crate::common::{self, ids, policy};

/// The ids of all findings.
fn compare(base: &str, revision: &str) -> Vec<String> {
    ids(&common::compare(base, revision, &policy()))
}

/// A document whose one operation has a schema in its request and response bodies.
fn both_ways(schema: &str) -> String {
    format!(
        "paths: {{/a: {{post: {{requestBody: {{content: {{application/json: {{schema: {schema}}}}}}},
  responses: {{'200': {{description: a, content: {{application/json: {{schema: {schema}}}}}}}}}}}}}}}
components: {{schemas: {SCHEMAS}}}"
    )
}

const SCHEMAS: &str = "{
  'A B': {type: string, maxLength: 3},
  A: {type: object, properties: {a: {type: string}}},
  B: {type: object, properties: {b: {type: integer}}},
  Chain: {$ref: '#/components/schemas/Link'}, Link: {$ref: '#/components/schemas/A'},
  Self: {allOf: [{$ref: '#/components/schemas/Self'}, {type: object, properties: {next: {$ref: '#/components/schemas/Self'}}}]},
  Node: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}}},
}";

/// Schemas with the same meaning.
#[rustfmt::skip]
const SAME: &[(&str, &str)] = &[
    ("{type: string}", "{allOf: [{type: string}]}"),
    ("{type: string}", "{allOf: [{allOf: [{allOf: [{type: string}]}]}]}"),
    ("{type: string, maxLength: 3}", "{allOf: [{type: string}, {allOf: [{maxLength: 3}, {maxLength: 5}]}]}"),
    ("{$ref: '#/components/schemas/A'}", "{$ref: '#/components/schemas/Chain'}"),
    ("{$ref: '#/components/schemas/A'}", "{allOf: [{$ref: '#/components/schemas/A'}]}"),
    ("{$ref: '#/components/schemas/A'}", "{allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/Chain'}]}"),
    ("{$ref: '#/components/schemas/A'}", "{$ref: '#/components/schemas/A', description: ignored}"),
    ("{$ref: '#/components/schemas/A%20B'}", "{type: string, maxLength: 3}"),
    ("{$ref: '#/components/schemas/Self'}", "{$ref: '#/components/schemas/Node'}"),
    ("{anyOf: [{type: string}, {type: integer}]}", "{anyOf: [{type: integer}, {type: string}]}"),
    ("{anyOf: [{type: string}, {type: string}]}", "{anyOf: [{type: string}]}"),
    ("{oneOf: [{type: string, maxLength: 2}, {type: string, maxLength: 3}]}", "{oneOf: [{type: string, maxLength: 3}, {type: string, maxLength: 2}]}"),
    ("{enum: [a, b]}", "{enum: [b, a]}"),
    ("{enum: [a, b]}", "{enum: [b, a, b]}"),
    ("{enum: [1, 2]}", "{enum: [1.0, 2.0]}"),
    ("{required: [a, b]}", "{required: [b, a, a]}"),
    ("{type: object, required: [a], properties: {a: {}, b: {}}}", "{allOf: [{type: object, required: [a], properties: {a: {}}}, {type: object, properties: {b: {}}}]}"),
    ("{type: integer, minimum: 0, exclusiveMinimum: true}", "{type: integer, minimum: 1}"),
    ("{type: integer, maximum: 7.5}", "{type: integer, maximum: 8, exclusiveMaximum: true}"),
    ("{required: []}", "{}"),
    ("{properties: {}}", "{}"),
    ("{type: string}", "{type: string, nullable: false, deprecated: false, readOnly: false, writeOnly: false}"),
    ("{type: string, enum: [a, b]}", "{oneOf: [{type: string, enum: [a]}, {type: string, enum: [b]}]}"),
    ("{type: string, enum: [a, b]}", "{anyOf: [{type: string, enum: [b]}, {type: string, enum: [b, a]}]}"),
    ("{type: string, enum: [a, b, c]}", "{oneOf: [{type: string, enum: [c, b]}, {type: string, enum: [a]}]}"),
    ("{type: string, enum: [a, b]}", "{type: string, oneOf: [{enum: [a]}, {enum: [b]}]}"),
    ("{enum: [a, 1]}", "{oneOf: [{enum: [a]}, {enum: [1]}]}"),
    ("{type: string, enum: [a, b, null], nullable: true}", "{oneOf: [{type: string, enum: [a]}, {type: string, enum: [b]}, {enum: [null], nullable: true}]}"),
    ("{type: string}", "{anyOf: [{type: string}]}"),
    ("{type: string, maxLength: 3}", "{oneOf: [{type: string}], maxLength: 3}"),
    ("{$ref: '#/components/schemas/A'}", "{oneOf: [{$ref: '#/components/schemas/A'}]}"),
    ("{type: string, nullable: true}", "{anyOf: [{type: string}], nullable: true}"),
    ("{type: string, nullable: true}", "{oneOf: [{type: string}, {enum: [null]}]}"),
    ("{nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}", "{nullable: true, anyOf: [{$ref: '#/components/schemas/A'}]}"),
    ("{nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}", "{anyOf: [{$ref: '#/components/schemas/A'}, {type: string, nullable: true, enum: [null]}]}"),
    ("{type: string}", "{type: string, minLength: 0}"),
    ("{type: array}", "{type: array, minItems: 0, uniqueItems: false}"),
    ("{type: array}", "{type: array, items: {}}"),
    ("{type: object}", "{type: object, minProperties: 0, additionalProperties: true}"),
    ("{type: object}", "{type: object, additionalProperties: {}}"),
    ("{type: object}", "{type: object, additionalProperties: {allOf: [{}]}}"),
    ("{type: object}", "{type: object, xml: {}}"),
    ("{maximum: 1}", "{maximum: 1.0, exclusiveMaximum: false}"),
    ("{minimum: 0}", "{minimum: -0.0}"),
    ("{exclusiveMinimum: true}", "{}"),
    ("{pattern: ''}", "{}"),
    ("{type: string, nullable: true, maxLength: 5}", "{allOf: [{type: string, nullable: true}, {maxLength: 5}]}"),
    ("{not: {type: string}}", "{not: {allOf: [{type: string}]}}"),
    ("{discriminator: {propertyName: a, mapping: {x: A}}}", "{discriminator: {propertyName: a, mapping: {x: '#/components/schemas/A'}}}"),
    ("{discriminator: {propertyName: a, mapping: {x: '#/components/schemas/A%20B'}}}", "{discriminator: {propertyName: a, mapping: {x: 'A B'}}}"),
    ("{discriminator: {propertyName: a}, oneOf: [{type: object}]}", "{discriminator: {propertyName: a, mapping: {}}, oneOf: [{type: object}]}"),
    ("{allOf: [{oneOf: [{type: string}, {type: integer}]}, {anyOf: [{maxLength: 2}, {maximum: 2}]}]}", "{oneOf: [{type: string}, {type: integer}], anyOf: [{maxLength: 2}, {maximum: 2}]}"),
];

/// Schemas with different meanings or documentation.
#[rustfmt::skip]
const DIFFERENT: &[(&str, &str)] = &[
    ("{allOf: [{oneOf: [{type: string}, {type: integer}]}, {oneOf: [{maxLength: 2}, {maximum: 2}]}]}", "{oneOf: [{type: string}, {type: integer}, {maxLength: 2}, {maximum: 2}]}"),
    ("{allOf: [{anyOf: [{type: string}, {type: integer}]}, {anyOf: [{maxLength: 2}, {maximum: 2}]}]}", "{allOf: [{anyOf: [{type: string}, {maxLength: 2}]}, {anyOf: [{type: integer}, {maximum: 2}]}]}"),
    ("{oneOf: [{type: string}, {type: string}]}", "{oneOf: [{type: string}]}"),
    ("{allOf: [{type: string, nullable: true}, {type: string}]}", "{allOf: [{type: string, nullable: true}, {type: string, nullable: true}]}"),
    ("{minimum: 9007199254740992}", "{minimum: 9007199254740993}"),
    ("{maxLength: 9007199254740992}", "{maxLength: 9007199254740993}"),
    ("{multipleOf: 9007199254740992}", "{multipleOf: 9007199254740993}"),
    ("{discriminator: {propertyName: a, mapping: {x: A}}}", "{discriminator: {propertyName: a, mapping: {x: B}}}"),
    ("{discriminator: {propertyName: a, mapping: {x: other.yaml}}}", "{discriminator: {propertyName: a, mapping: {x: another.yaml}}}"),
    ("{discriminator: {propertyName: a, x-a: 1}}", "{discriminator: {propertyName: a, x-a: 2}}"),
    ("{$ref: 'other.yaml#/A'}", "{$ref: 'other.yaml#/B'}"),
    ("{allOf: [{$ref: 'other.yaml#/A'}]}", "{allOf: [{$ref: 'other.yaml#/B'}]}"),
    ("{allOf: [{discriminator: {propertyName: a}}, {discriminator: {propertyName: b}}]}", "{allOf: [{discriminator: {propertyName: a}}, {discriminator: {propertyName: c}}]}"),
    ("{not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {type: string}}}}}}}}}}}}}}", "{not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {type: number}}}}}}}}}}}}}}"),
    ("{x-a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: 1}}}}}}}}}}}}}}", "{x-a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: 2}}}}}}}}}}}}}}"),
];

/// Asserts that the pairs have no findings in either direction.
fn assert_equal(pairs: &[(&str, &str)], document: fn(&str) -> String) {
    let mut wrong = Vec::new();
    for (one, other) in pairs {
        for (base, revision) in [(one, other), (other, one)] {
            let found = compare(&document(base), &document(revision));
            if !found.is_empty() {
                wrong.push(format!("{base} → {revision}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn schemas_of_equal_meaning_have_no_findings() {
    assert_equal(SAME, both_ways);
}

#[test]
fn schemas_of_different_meaning_have_findings() {
    let mut equal = Vec::new();
    for (one, other) in DIFFERENT {
        for (base, revision) in [(one, other), (other, one)] {
            if compare(&both_ways(base), &both_ways(revision)).is_empty() {
                equal.push(format!("{base} → {revision}"));
            }
        }
    }
    assert!(equal.is_empty(), "{}", equal.join("\n"));
}

/// Documents with the same meaning; the operation is `GET /a`.
#[rustfmt::skip]
const SAME_DOCUMENTS: &[(&str, &str)] = &[
    ("paths: {/a: {get: {responses: {}}}}", "paths: {/a: {get: {responses: {}, deprecated: false, tags: [], parameters: [], security: []}}}"),
    ("paths: {/a: {get: {parameters: [{name: q, in: query}]}}}", "paths: {/a: {get: {parameters: [{name: q, in: query, required: false, deprecated: false, style: form, explode: true, allowReserved: false, allowEmptyValue: false}]}}}"),
    ("paths: {/a: {get: {parameters: [{name: q, in: header}]}}}", "paths: {/a: {get: {parameters: [{name: Q, in: header, style: simple, explode: false}]}}}"),
    ("paths: {'/a/{q}': {get: {parameters: [{name: q, in: path, required: true}]}}}", "paths: {'/a/{q}': {get: {parameters: [{name: q, in: path, style: simple, explode: false}]}}}"),
    ("paths: {/a: {get: {parameters: [{name: q, in: query, style: deepObject}]}}}", "paths: {/a: {get: {parameters: [{name: q, in: query, style: deepObject, explode: false}]}}}"),
    ("paths: {/a: {get: {parameters: [{name: q, in: query}]}}}", "paths: {/a: {parameters: [{name: q, in: query}], get: {}}}"),
    ("paths: {/a: {get: {parameters: [{name: q, in: query}, {name: p, in: query}]}}}", "paths: {/a: {get: {parameters: [{name: p, in: query}, {name: q, in: query}]}}}"),
    ("paths: {/a: {get: {responses: {'200': {headers: {X-A: {schema: {}}}}}}}}", "paths: {/a: {get: {responses: {'200': {headers: {x-a: {schema: {}, required: false, style: simple, explode: false, deprecated: false, allowReserved: false, allowEmptyValue: false}}}}}}}"),
    ("paths: {/a: {get: {responses: {'200': {}}}}}", "paths: {/a: {get: {responses: {'200': {headers: {}, content: {}, links: {}}}}}}"),
    ("paths: {/a: {get: {responses: {4XX: {}}}}}", "paths: {/a: {get: {responses: {4xx: {}}}}}"),
    ("paths: {/a: {post: {requestBody: {content: {a/b: {}}}}}}", "paths: {/a: {post: {requestBody: {required: false, content: {a/b: {encoding: {}}}}}}}"),
    ("servers: [{url: /b}]\npaths: {/a: {get: {}}}", "servers: [{url: /b/, variables: {}}]\npaths: {/a: {get: {servers: [{url: /b}]}}}"),
    ("servers: [{url: '/{v}', variables: {v: {default: a, enum: [a, b]}}}]\npaths: {/a: {get: {}}}", "servers: [{url: '/{v}', variables: {v: {enum: [b, a], default: a}}}]\npaths: {/a: {get: {}}}"),
    ("servers: [{url: /b}]\npaths: {/a: {get: {servers: [{url: /b}]}}}", "servers: [{url: /b}]\npaths: {/a: {servers: [{url: /b}], get: {}}}"),
    ("servers: [{url: /b}]\npaths: {/a: {get: {}}}", "paths: {/a: {get: {servers: [{url: /b}]}}}"),
    ("servers: [{url: /b}]\npaths: {/a: {get: {}, put: {}}}", "paths: {/a: {servers: [{url: /b}], get: {}, put: {}}}"),
    ("paths: {/a: {get: {}}}", "servers: [{url: /}]\npaths: {/a: {get: {}}}"),
    ("paths: {/a: {get: {}}}", "servers: []\nsecurity: []\ntags: []\npaths: {/a: {get: {}}}"),
    ("security: [{K: []}]\npaths: {/a: {get: {}}}", "security: [{K: []}]\npaths: {/a: {get: {security: [{K: []}]}}}"),
    ("security: [{K: []}, {L: []}]\npaths: {/a: {get: {}}}", "security: [{L: []}, {K: []}]\npaths: {/a: {get: {}}}"),
    ("security: [{K: [a]}, {K: [b, c]}]\npaths: {/a: {get: {}}}", "security: [{K: [c, b]}, {K: [a]}, {K: [a]}]\npaths: {/a: {get: {}}}"),
    ("security: [{}]\npaths: {/a: {get: {}}}", "paths: {/a: {get: {}}}"),
    ("paths: {/a: {get: {callbacks: {}}}}", "paths: {/a: {get: {}}}"),
    ("paths: {/a: {$ref: '#/x-paths/A'}}\nx-paths: {A: {get: {operationId: a}}}", "paths: {/a: {get: {operationId: a}}}\nx-paths: {A: {get: {operationId: a}}}"),
    ("components: {securitySchemes: {K: {type: apiKey, in: header, name: X-K}}}\nsecurity: [{K: []}]\npaths: {/a: {get: {}}}", "components: {securitySchemes: {L: {type: apiKey, in: header, name: X-K}}}\nsecurity: [{L: []}]\npaths: {/a: {get: {}}}"),
];

#[test]
fn documents_of_equal_meaning_have_no_findings() {
    assert_equal(SAME_DOCUMENTS, str::to_owned);
}

const SUBTYPES: &str = "paths: {/a: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}}}}
components: {schemas: {
  Pet: {type: object, properties: {kind: {type: string}}, required: [kind], discriminator: {propertyName: kind}},
  Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {lives: {type: integer, maximum: 9}}}]},
  Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {barks: {type: boolean}}}]},
}}";

#[test]
fn discriminator_includes_subtypes() {
    for mapping in ["", ", mapping: {Cat: '#/components/schemas/Cat', Dog: Dog}"] {
        let base = SUBTYPES.replace(
            "propertyName: kind",
            &format!("propertyName: kind{mapping}"),
        );
        let found = compare(&base, &base.replace("maximum: 9", "maximum: 10"));
        assert_eq!(found, ["response-property-max-increased"], "{mapping}");
    }
    let found = compare(SUBTYPES, &SUBTYPES.replace("Cat: {", "Kitten: {"));
    assert_ne!(found, Vec::<String>::new());
    // A response that is always a cat has none of the values of dogs.
    let mapped = |mapping| {
        let cats = SUBTYPES.replacen("schemas/Pet", "schemas/Cat", 1);
        cats.replace(
            "propertyName: kind",
            &format!("propertyName: kind, mapping: {mapping}"),
        )
    };
    for (mapping, expected) in [
        ("{c: Cat, d: Dog}", "documentation-changed"),
        ("{k: Cat}", "response-body-discriminator-value-renamed"),
    ] {
        assert_eq!(compare(&mapped("{c: Cat}"), &mapped(mapping)), [expected]);
    }
    // But it may be of a breed.
    let persian = "  Persian: {allOf: [{$ref: '#/components/schemas/Cat'}]},\n}}";
    let breed = |mapping| mapped(mapping).replace("\n}}", &format!("\n{persian}"));
    let found = compare(
        &breed("{c: Cat, p: Persian}"),
        &breed("{c: Cat, q: Persian}"),
    );
    assert_eq!(found, ["response-body-discriminator-value-renamed"]);
}
