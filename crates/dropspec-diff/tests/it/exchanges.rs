//! Edits, each with an exchange that shows what it does: what was sent, and how it went before and after.

use dropspec_diff::Level::{self, Error, Info, Warn};

use crate::common::{compare, compare_versions, policy};

/// An edit of a request, a response or a query parameter.
pub enum Place {
    Request,
    Response,
    Query,
}

use Place::{Query, Request, Response};

/// The exchange in words, where the schema stands, the schema before and after, and the most severe finding that is expected;
/// `None` where no finding may be worse than an info.
pub type Case = (
    &'static str,
    Place,
    &'static str,
    &'static str,
    Option<(&'static str, Level)>,
);

/// Two components, and a discriminator that selects one of them.
macro_rules! animals {
    ($mapping:literal) => {
        concat!(
            "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], ",
            "discriminator: {propertyName: kind, mapping: ",
            $mapping,
            "}}"
        )
    };
}

/// An object with one of these tags.
macro_rules! tagged {
    ($tags:literal) => {
        concat!(
            "{type: object, required: [t], properties: {t: {type: string, enum: [",
            $tags,
            "]}}}"
        )
    };
}

/// An operation with these responses.
macro_rules! answers {
    ($responses:literal) => {
        concat!("paths: {/a: {get: {responses: {", $responses, "}}}}")
    };
}

/// An operation of a path with a parameter.
macro_rules! parameter {
    ($path:literal, $name:literal, $schema:literal) => {
        concat!(
            "paths: {",
            $path,
            ": {get: {parameters: [{name: ",
            $name,
            ", schema: ",
            $schema,
            "}]}}}"
        )
    };
}

/// A callback with these parameters.
macro_rules! callback {
    ($parameters:literal) => {
        concat!(
            "paths: {/a: {post: {callbacks: {done: {'{$url}': {post: {parameters: [",
            $parameters,
            "]}}}}}}}"
        )
    };
}

#[rustfmt::skip]
const BREAKS: &[Case] = &[
    ("POST {a: 1}: 201, then 400: of the same list only texts are left", Request,
        "{properties: {a: {enum: [x, 1]}}}", "{properties: {a: {type: string, enum: [x, 1]}}}", Some(("request-property-type-changed", Error))),
    ("GET: 200 {a: 1}, which was no text of the same list", Response,
        "{properties: {a: {type: string, enum: [x, 1]}}}", "{properties: {a: {enum: [x, 1]}}}", Some(("response-property-type-generalized", Error))),
    ("POST {a: x}: 201 as before: the list says the type", Request,
        "{properties: {a: {enum: [x, y]}}}", "{properties: {a: {type: string, enum: [x, y]}}}", None),
    ("GET: 200 {shipDate: …}, then {shippingDate: …}: the client reads no date", Response,
        "{properties: {shipDate: {type: string, format: date}}}", "{properties: {shippingDate: {type: string, format: date}}}", Some(("response-property-renamed", Error))),
    ("POST {shipDate: …}: stored, then ignored", Request,
        "{properties: {shipDate: {type: string, format: date}}}", "{properties: {shippingDate: {type: string, format: date}}}", Some(("request-property-renamed", Error))),
    ("POST {kind: cat, meow: true}: 201, then 400: it must bark", Request,
        animals!("{cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), animals!("{cat: '#/components/schemas/Dog', dog: '#/components/schemas/Cat'}"), Some(("request-body-discriminator-mapping-changed", Error))),
    ("POST {kind: cat, meow: true}: 201, then 400: only felines meow", Request,
        animals!("{cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), animals!("{feline: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), Some(("request-body-discriminator-value-renamed", Error))),
    ("GET: 200 {kind: cat}, then {kind: feline}: the client knows no feline", Response,
        animals!("{cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), animals!("{feline: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), Some(("response-body-discriminator-value-renamed", Error))),
    ("GET: 200 {kind: Cat}, then {kind: cat}: the client knows no cat", Response,
        animals!("{dog: '#/components/schemas/Dog'}"), animals!("{cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), Some(("response-body-discriminator-value-renamed", Error))),
    ("GET: 200 {kind: cat}, then {kind: kitten}: the client knows no kitten", Response,
        animals!("{cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), animals!("{cat: '#/components/schemas/Cat', kitten: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}"), Some(("response-body-discriminator-mapping-added", Error))),
    ("POST null: 201, then 400: the list no longer has it", Request, "{type: string, nullable: true, enum: [a, null]}", "{type: string, nullable: true, enum: [a]}", Some(("request-body-became-not-nullable", Error))),
    ("GET: 200 null, which the list did not have", Response, "{type: string, nullable: true, enum: [a]}", "{type: string, nullable: true, enum: [a, null]}", Some(("response-body-became-nullable", Error))),
    ("POST {id: 1}: 201, then the server may ignore the id", Request,
        "{properties: {id: {type: integer}}}", "{properties: {id: {type: integer, readOnly: true}}}", Some(("request-optional-property-became-read-only", Warn))),
    ("POST {Id: a}: 201, and what it says is lost; no address was meant", Request,
        "{properties: {Id: {type: string}}}", "{properties: {Address: {type: string}}}", Some(("request-property-removed", Warn))),
    ("GET ?q=7: 200, then 400: it is no UUID", Query, "{type: integer}", "{type: string, format: uuid}", Some(("request-parameter-type-changed", Error))),
    ("GET ?q=7: 200, then 400: it is no date", Query, "{type: integer}", "{type: string, format: date}", Some(("request-parameter-type-changed", Error))),
    ("POST {name: Rex}: 201, then 400: the id is missing", Request,
        "{required: [id], properties: {id: {type: integer, readOnly: true}}}", "{required: [id], properties: {id: {type: integer}}}", Some(("request-required-property-became-not-read-only", Error))),
    ("GET: 200 {id: 1}, then {}: the client reads no id", Response,
        "{required: [id], properties: {id: {type: integer}}}", "{required: [id], properties: {id: {type: integer, writeOnly: true}}}", Some(("response-required-property-became-write-only", Error))),
    ("GET: 200 7, where the client knows text only", Response, "{anyOf: [{type: string}, {type: boolean}]}", "{anyOf: [{type: string}, {type: boolean}, {type: integer}]}", Some(("response-body-any-of-added", Error))),
    ("GET: 200 7, where the client knows text only", Response, "{oneOf: [{type: string}, {type: boolean}]}", "{oneOf: [{type: string}, {type: boolean}, {type: integer}]}", Some(("response-body-one-of-added", Error))),
    ("GET: 200 {a: 1, b: 1}, then {b: 1}: the client reads no a", Response,
        "{allOf: [{type: object, properties: {b: {}}}, {required: [a], properties: {a: {}}}]}", "{allOf: [{type: object, properties: {b: {}}}]}", Some(("response-body-all-of-removed", Error))),
    ("GET: 200 c, which the client does not know", Response, "{type: string, enum: [a, b]}", "{type: string, enum: [a, b, c]}", Some(("response-body-enum-value-added", Error))),
    ("POST {}: 20 units, then 50", Request, "{properties: {units: {type: integer, default: 20}}}", "{properties: {units: {type: integer, default: 50}}}", Some(("request-property-default-value-changed", Error))),
    ("the stability of `a` is read as stable", Request, "{properties: {a: {type: string, x-stability: beta}}}", "{properties: {a: {type: string, x-stability: betta}}}", Some(("request-property-stability-invalid", Error))),
    ("the stability of `a` is read as stable", Response, "{}", "{properties: {a: {type: string, x-stability: perhaps}}}", Some(("response-property-stability-invalid", Error))),
    ("POST Rex II: 201, then 400: it is too long", Request, "{type: string}", "{type: string, maxLength: 3}", Some(("request-body-max-length-set", Error))),
    ("POST 7: 201, then 400: it is too large", Request, "{type: integer}", "{type: integer, maximum: 5}", Some(("request-body-max-set", Error))),
    ("POST [1, 2]: 201, then 400: there are too few", Request, "{type: array, items: {}}", "{type: array, items: {}, minItems: 3}", Some(("request-body-min-items-set", Error))),
    ("POST 1: 201, then 400: the enum had more values within the minimum", Request, "{type: integer, enum: [1, 5]}", "{type: integer, minimum: 3, enum: [1, 5]}", Some(("request-body-enum-value-removed", Error))),
    ("POST {b: 1}: 201, then 400: it matches both schemas", Request,
        "{oneOf: [{type: object, properties: {a: {type: integer}}, additionalProperties: false}, {type: object, required: [b], properties: {b: {type: integer}}}]}",
        "{oneOf: [{type: object, properties: {a: {type: integer}}}, {type: object, required: [b], properties: {b: {type: integer}}}]}", Some(("request-body-one-of-became-ambiguous", Error))),
    ("POST {a: 1}: 201, then 400: it matches the new schema, too", Request,
        "{oneOf: [{type: object, required: [a], properties: {a: {type: integer}}}]}",
        "{oneOf: [{type: object, required: [a], properties: {a: {type: integer}}}, {type: object, properties: {a: {type: integer}}}]}", Some(("request-body-one-of-became-ambiguous", Error))),
    ("POST cat: 201, then 400: both schemas list it", Request, "{oneOf: [{type: string, enum: [cat]}, {type: string, enum: [dog]}]}", "{oneOf: [{type: string, enum: [cat]}, {type: string, enum: [cat, dog]}]}", Some(("request-body-enum-value-removed", Error))),
    ("POST dog: 201, then 400", Request, "{type: string, enum: [cat, dog]}", "{oneOf: [{type: string, enum: [cat]}]}", Some(("request-body-enum-value-removed", Error))),
    ("GET: 200 null, which the client does not know", Response, "{oneOf: [{type: string, enum: [cat]}, {type: string, enum: [dog]}]}", "{nullable: true, oneOf: [{type: string, enum: [cat]}, {type: string, enum: [dog]}]}", Some(("response-body-became-nullable", Error))),
    ("POST null: 201, then 400: only the other schema of `allOf` allows it", Request, "{allOf: [{type: string}], nullable: true}", "{allOf: [{type: string}, {nullable: true}]}", Some(("request-body-became-not-nullable", Error))),
    ("POST null: 201, then 400: all other values are refused in both", Request, "{oneOf: [{enum: [null], nullable: true}, {type: string, anyOf: [{minimum: 0, type: number}]}]}", "{type: string, anyOf: [{minimum: 0, type: number}]}", Some(("request-body-became-not-nullable", Error))),
    ("POST null: 201, then 400", Request, "{not: {enum: [null]}, nullable: true}", "{not: {enum: [null]}}", Some(("request-body-became-not-nullable", Error))),
    ("POST {}: 201, then 400: the id is missing", Request,
        "{required: [id], properties: {id: {type: integer, readOnly: true}}}", "{required: [id], properties: {id: {anyOf: [{type: integer, readOnly: true}, {type: string}]}}}", Some(("request-required-property-became-not-read-only", Error))),
    ("POST 6: 201, then 400: it matches both schemas", Request, "{oneOf: [{type: integer, minimum: 3}, {type: integer, maximum: 5}]}", "{oneOf: [{type: integer, minimum: 3}, {type: integer}]}", Some(("request-body-one-of-became-ambiguous", Error))),
    ("POST {a: 6}: 201, then 400: a property of two schemas matches both schemas of a choice", Request,
        "{allOf: [{type: object, properties: {a: {type: integer}}}, {properties: {a: {oneOf: [{minimum: 3}, {maximum: 2}]}}}]}",
        "{allOf: [{type: object, properties: {a: {type: integer}}}, {properties: {a: {oneOf: [{minimum: 3}, {}]}}}]}", Some(("request-property-one-of-became-ambiguous", Error))),
    ("GET ?q=7: 200, then 400: it does not begin with a letter", Query, "{type: integer}", "{type: string, pattern: '^[a-z]'}", Some(("request-parameter-pattern-added", Error))),
    ("GET: 200 A-1, where the client knows lower case only", Response, "{type: string, pattern: '^[a-z]+$'}", "{type: string}", Some(("response-body-pattern-removed", Error))),
    ("GET: 200 A-1, where the client knows lower case only", Response, "{type: string, pattern: '^[a-z]+$'}", "{type: string, pattern: '.*'}", Some(("response-body-pattern-removed", Error))),
    ("GET: 200 A-1, where the client knows lower case only", Response, "{type: string, pattern: '^[a-z]+$'}", "{type: string, pattern: '^[a-zA-Z0-9-]+$'}", Some(("response-body-pattern-changed", Warn))),
    ("POST a: 201, then 400: it is no date", Request, "{type: string}", "{format: date}", Some(("request-body-type-changed", Error))),
    ("GET: 200 a, where the client knows dates only", Response, "{format: date}", "{type: string}", Some(("response-body-type-changed", Error))),
    ("POST null: 201, then 400: the other schema of `allOf` accepts it, too", Request,
        "{allOf: [{anyOf: [{type: object}, {enum: [null], nullable: true}]}, {anyOf: [{type: object}, {}]}]}", "{allOf: [{type: object}, {anyOf: [{type: object}, {}]}]}", Some(("request-body-became-not-nullable", Error))),
    ("GET ?q=a: 200, then 400: the only item is no integer", Query, "{type: string}", "{type: array, items: {type: integer}}", Some(("request-parameter-type-changed", Error))),
    ("GET ?q=7: 200, then 400: it must be no text", Query, "{type: integer, not: {type: string}}", "{type: string, not: {type: string}}", Some(("request-parameter-type-changed", Error))),
    ("POST a: 201, then 400: it matches both schemas, as it need be no date", Request, "{oneOf: [{format: date}, {type: string}]}", "{oneOf: [{}, {type: string}]}", Some(("request-body-one-of-became-ambiguous", Error))),
    ("POST {a: 1, b: 1}: 201, then 400: the first schema accepts it, too", Request,
        "{oneOf: [{type: object, required: [a], properties: {a: {}}, additionalProperties: false}, {type: object, required: [b], properties: {b: {}}}]}",
        "{oneOf: [{type: object, required: [a], properties: {a: {}}}, {type: object, required: [b], properties: {b: {}}}]}", Some(("request-body-one-of-became-ambiguous", Error))),
    ("POST {t: a}: 201, then 400: both schemas accept it", Request,
        "{anyOf: [{type: object, properties: {a: {}}}, {type: object, properties: {b: {}}}]}", "{oneOf: [{type: object, properties: {a: {}}}, {type: object, properties: {b: {}}}]}", Some(("request-body-one-of-introduced", Error))),
    ("POST 1.5: 201, then 400", Request, "{anyOf: [{type: string}, {type: number}]}", "{anyOf: [{type: string}, {type: integer}]}", Some(("request-body-any-of-removed", Error))),
    ("POST 2147483647: 201, then 400", Request, "{type: integer, format: int32}", "{type: integer, format: int32, maximum: 2147483646}", Some(("request-body-max-set", Error))),
    ("GET: 200 none, which is no UUID", Response, "{type: string, format: uuid}", "{type: string, enum: [none]}", Some(("response-body-type-changed", Error))),
    ("GET: 200 -1, where the client knows 1 and 2", Response, "{type: integer, enum: [1, 2]}", "{type: integer, minimum: -1}", Some(("response-body-became-not-enum", Error))),
];

#[rustfmt::skip]
const HARMLESS: &[Case] = &[
    ("GET: 200 7 fits 32 bits as before", Response, "{type: integer, format: uint32}", "{type: integer, format: uint16}", None),
    ("POST 127.0.0.1: 201 as before", Request, "{type: string, format: ipv4}", "{type: string, format: ip}", None),
    ("POST {}: 201 as before: the id need not be sent", Request,
        "{required: [id], properties: {id: {type: integer, readOnly: true}}}", "{required: [id], properties: {id: {oneOf: [{type: integer, readOnly: true}]}}}", None),
    ("POST any text: 201 as before; no validator knows either format", Request, "{type: string, format: pet-name}", "{type: string, format: petName}", None),
    ("GET: any text as before; no validator knows either format", Response, "{type: string, format: pet-name}", "{type: string, format: petName}", None),
    ("GET: 200 1, which is not negative", Response, "{type: integer, minimum: 0}", "{type: integer, enum: [1, 2]}", None),
    ("GET: 200 cat, which is short enough", Response, "{type: string, maxLength: 5, pattern: '^[a-z]+$'}", "{type: string, enum: [cat, dog]}", None),
    ("POST cat: 201 as before: the values are texts", Request, "{type: string, enum: [cat, dog]}", "{enum: [cat, dog]}", None),
    ("GET: 200 cat as before: the other schema asks for text, too", Response, "{allOf: [{type: string}, {type: string, maxLength: 5}]}", "{allOf: [{type: string, maxLength: 5}]}", None),
    ("GET: 200 cat as before: the values are texts", Response, "{type: string, enum: [cat, dog]}", "{enum: [cat, dog]}", None),
    ("POST 7: 201 as before: a number has no length", Request, "{type: integer}", "{type: integer, maxLength: 1}", None),
    ("GET: 200 7 as before: a number has no length", Response, "{type: integer, maxLength: 1}", "{type: integer}", None),
    ("POST '': 201 as before: every text matches", Request, "{type: string}", "{type: string, pattern: '.*'}", None),
    ("POST 0: 201 as before: the format has no negative numbers", Request, "{type: integer, format: uint32}", "{type: integer, format: uint32, minimum: 0}", None),
    ("POST 7: 201 as before: every integer is a multiple of 1", Request, "{type: integer}", "{type: integer, multipleOf: 1}", None),
    ("POST {kind: Cat}: 201 as before: the name of a component is its value", Request,
        animals!("{Cat: '#/components/schemas/Cat', Dog: '#/components/schemas/Dog'}"), animals!("{Dog: '#/components/schemas/Dog'}"), None),
    ("POST {}: 201 as before: the id need not be sent", Request,
        "{required: [id], properties: {id: {type: integer, readOnly: true}}}", "{required: [id], properties: {id: {oneOf: [{type: integer, readOnly: true, nullable: true}, {enum: [null], nullable: true}]}}}", None),
    ("POST null: 400 as before: the type excludes it", Request, "{type: string, enum: [a, null]}", "{type: string, enum: [a]}", None),
    ("GET: 200 {kind: Cat} as before: the name is written in the mapping", Response, animals!("{dog: '#/components/schemas/Dog'}"), animals!("{dog: '#/components/schemas/Dog', Cat: '#/components/schemas/Cat'}"), None),
    ("POST null: 201 as before: it is valid by one of two schemas", Request,
        "{nullable: true, allOf: [{oneOf: [{type: object, required: [a]}, {type: object, required: [b]}]}]}", "{oneOf: [{allOf: [{oneOf: [{type: object, required: [a]}, {type: object, required: [b]}]}]}, {enum: [null], nullable: true}]}", None),
    ("GET ?q=7: 200 as before: it is the only item", Query, "{type: integer}", "{type: array, items: {type: integer}}", None),
    ("POST {t: a}: 201 as before: the new schema is for another tag", Request, tagged!("a"), concat!("{oneOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), None),
    ("POST {t: a}: 201 as before: `oneOf` of disjoint schemas", Request, concat!("{anyOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), concat!("{oneOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), None),
    ("POST {t: a}: 201 as before: `anyOf` accepts it", Request, concat!("{oneOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), concat!("{anyOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), None),
    ("GET: 200 {t: a} as before", Response, concat!("{anyOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), concat!("{oneOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), None),
    ("GET: 200 {t: a} as before: one schema has both tags", Response, concat!("{oneOf: [", tagged!("a"), ", ", tagged!("b"), "]}"), tagged!("a, b"), None),
    ("POST {t: b}: 201 as before: the tag moved to the other schema", Request, concat!("{oneOf: [", tagged!("a, b"), ", ", tagged!("c"), "]}"), concat!("{oneOf: [", tagged!("a"), ", ", tagged!("b, c"), "]}"), None),
    ("GET: 200 7 as before", Response, "{anyOf: [{type: string}, {type: number}]}", "{anyOf: [{type: string}, {type: integer}]}", None),
    ("POST 2147483647: 201 as before: the format has no greater number", Request, "{type: integer, format: int32}", "{type: integer, format: int32, maximum: 2147483647}", None),
    ("POST 7: 201 as before: the bounds are within the format", Request, "{type: integer, minimum: 0, maximum: 100}", "{type: integer, format: int32, minimum: 0, maximum: 100}", None),
    ("GET: 200 7 fits 64 bits as before", Response, "{type: integer, format: int64}", "{type: integer, enum: [7]}", None),
    ("GET ?q=a: 200 as before: no query has null", Query, "{type: string, nullable: true}", "{type: string}", None),
    ("POST 7: 201 as before: 64 bits are assumed of an integer", Request, "{type: integer}", "{type: integer, format: int64}", None),
    ("POST 7: 201 as before: 64 bits are assumed of an integer", Request, "{type: integer}", "{format: int64}", None),
    ("GET: 200 7 as before: 64 bits are assumed of an integer", Response, "{type: integer, format: int64}", "{type: integer}", None),
    ("GET: 200 1.5 as before: 64 bits are assumed of a number", Response, "{type: number, format: double}", "{type: number}", None),
    ("GET ?q=7: 200 as before: every text is accepted", Query, "{type: integer}", "{type: string, format: pet-name}", None),
];

#[test]
fn breaks_are_found_at_their_level() {
    check(BREAKS);
}

#[test]
fn harmless_edits_break_nobody() {
    check(HARMLESS);
}

fn check(cases: &[Case]) {
    const COMPONENTS: &str = "components: {schemas: {\
        Cat: {type: object, required: [kind, meow], properties: {kind: {type: string}, meow: {type: boolean}}}, \
        Dog: {type: object, required: [kind, bark], properties: {kind: {type: string}, bark: {type: boolean}}}}}";
    check_versions(cases, COMPONENTS, ["3.0.3", "3.0.3"]);
}

/// A document whose one operation has a schema in a place.
pub fn document(place: &Place, schema: &str, components: &str) -> String {
    let content = format!("{{content: {{application/json: {{schema: {schema}}}}}}}");
    let operation = match place {
        Request => format!("{{post: {{requestBody: {content}}}}}"),
        Response => format!("{{get: {{responses: {{'200': {content}}}}}}}"),
        Query => format!("{{get: {{parameters: [{{name: q, in: query, schema: {schema}}}]}}}}"),
    };
    format!("paths: {{/a: {operation}}}\n{components}\n")
}

/// Asserts that the most severe finding of each case is as expected, and that no document differs from itself.
pub fn check_versions(cases: &[Case], components: &str, versions: [&str; 2]) {
    let mut wrong = Vec::new();
    for (exchange, place, base, revision, expected) in cases {
        let [old, new] = [base, revision].map(|schema| document(place, schema, components));
        let compare = |old: &str, new: &str, version: &str| {
            let mut found = compare_versions((versions[0], old), (version, new), &policy());
            found.retain(|it| it.id != "openapi-version-changed");
            found
        };
        let found = compare(&old, &new, versions[1]);
        let worst = found.iter().max_by_key(|it| it.level);
        let as_expected = match expected {
            Some((rule, level)) => worst.is_some_and(|it| it.id == *rule && it.level == *level),
            None => worst.is_none_or(|it| it.level == Info),
        };
        if !as_expected || !compare(&old, &old, versions[0]).is_empty() {
            wrong.push(format!("{exchange}\n  {base} → {revision}\n  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// As the cases above, with whole documents.
#[rustfmt::skip]
const DOCUMENTS: &[(&str, &str, &str, Option<&str>)] = &[
    ("POST application/json: 201 as before", "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: object}}}}}}}", "paths: {/a: {post: {requestBody: {content: {'*/*': {schema: {type: object}}}}}}}", None),
    ("POST application/json text: 201 as all media types, then 400", "paths: {/a: {post: {requestBody: {content: {'*/*': {schema: {type: string}}}}}}}", "paths: {/a: {post: {requestBody: {content: {'*/*': {schema: {type: string}}, application/json: {schema: {type: string, maxLength: 3}}}}}}}", Some("request-body-max-length-set")),
    ("POST application/json: 201 as before", "paths: {/a: {post: {requestBody: {content: {application/*: {schema: {type: string}}}}}}}", "paths: {/a: {post: {requestBody: {content: {application/*: {schema: {type: string}}, application/json: {schema: {type: string}}}}}}}", None),
    ("GET: 200 application/json text, longer than all media types were", answers!("'200': {content: {'*/*': {schema: {type: string, maxLength: 3}}}}"), answers!("'200': {content: {'*/*': {schema: {type: string, maxLength: 3}}, application/json: {schema: {type: string}}}}"), Some("response-body-max-length-unset")),
    ("GET: 200 application/json, one of all media types as before", answers!("'200': {content: {'*/*': {schema: {type: string}}, application/json: {schema: {type: string}}}}"), answers!("'200': {content: {'*/*': {schema: {type: string}}}}"), None),
    ("POST image/png: 201 as before", "paths: {/a: {post: {requestBody: {content: {image/png: {}}}}}}", "paths: {/a: {post: {requestBody: {content: {image/*: {}}}}}}", None),
    ("GET: 204 has no body", answers!("'204': {content: {application/json: {schema: {type: string}}}}"), answers!("'204': {}"), None),
    ("HEAD: 200 has no body", "paths: {/a: {head: {responses: {'200': {content: {application/json: {}}}}}}}", "paths: {/a: {head: {responses: {'200': {}}}}}", None),
    ("GET: 200 without a body", answers!("'200': {content: {application/json: {schema: {type: string}}}}"), answers!("'200': {}"), Some("response-media-type-removed")),
    ("GET /a/7: 200 as before: the path had the parameter", "paths: {'/a/{id}': {get: {}}}", "paths: {'/a/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}]}}}", None),
    ("GET with a token: 200 as before", "security: [{a: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {a: {type: http, scheme: bearer}}}", "security: [{b: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {b: {type: http, scheme: Bearer, bearerFormat: JWT}}}", None),
    ("GET with a token: 200 as before: both schemes take it", "security: [{a: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {a: {type: http, scheme: bearer}, b: {type: http, scheme: bearer, bearerFormat: JWT}}}", "security: [{b: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {a: {type: http, scheme: bearer}, b: {type: http, scheme: bearer, bearerFormat: JWT}}}", None),
    ("GET with a token: 200, then 401", "security: [{a: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {a: {type: http, scheme: bearer}}}", "security: [{b: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {b: {type: http, scheme: basic}}}", Some("api-security-tightened")),
    ("POST image/png: 201, then 415", "paths: {/a: {post: {requestBody: {content: {image/png: {}}}}}}", "paths: {/a: {post: {requestBody: {content: {audio/*: {}}}}}}", Some("request-body-media-type-removed")),
    ("POST application/json 7: 201, then 400", "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: integer}}}}}}}", "paths: {/a: {post: {requestBody: {content: {'*/*': {schema: {type: object}}}}}}}", Some("request-body-type-changed")),
    ("POST a form without a photo: 201 as before",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}, photo: {type: string}}}, encoding: {photo: {contentType: image/png}}}}}}}}", None),
    ("POST a form with a text: 201, then 415 of its part",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: image/png}}}}}}}}", Some("request-body-encoding-changed")),
    ("GET https://pets/a: 200 as before", "servers: [{url: 'https://old'}]\npaths: {/a: {servers: [{url: 'https://pets'}], get: {}}}", "servers: [{url: 'https://new'}]\npaths: {/a: {servers: [{url: 'https://pets'}], get: {}}}", None),
    ("GET https://pets/v1/a: 200 as before", "servers: [{url: 'https://pets/v1'}]\npaths: {/a: {get: {}}}", "servers: [{url: 'https://{host}/{version}', variables: {host: {default: pets}, version: {default: v2, enum: [v2, v1]}}}]\npaths: {/a: {get: {}}}", None),
    ("GET https://pets/v1/a: 200, then no server", "servers: [{url: 'https://pets/v1'}]\npaths: {/a: {get: {}}}", "servers: [{url: 'https://{host}/{version}', variables: {host: {default: pets}, version: {default: v2, enum: [v2, v3]}}}]\npaths: {/a: {get: {}}}", Some("server-removed")),
    ("GET https://eu.pets/a and https://us.pets/a: 200 as before", "servers: [{url: 'https://{r}.pets', variables: {r: {default: us, enum: [us, eu]}}}]\npaths: {/a: {get: {}}}", "servers: [{url: 'https://eu.pets'}, {url: 'https://us.pets'}]\npaths: {/a: {get: {}}}", None),
    ("GET https://us.pets/a: 200, then no server", "servers: [{url: 'https://{r}.pets', variables: {r: {default: us, enum: [us, eu]}}}]\npaths: {/a: {get: {}}}", "servers: [{url: 'https://eu.pets'}]\npaths: {/a: {get: {}}}", Some("server-removed")),
    ("GET https://x.pets/a: 200, then no server: any name was one", "servers: [{url: 'https://{name}.pets', variables: {name: {default: us}}}]\npaths: {/a: {get: {}}}", "servers: [{url: 'https://us.pets'}]\npaths: {/a: {get: {}}}", Some("server-removed")),
    ("GET: 404 {code: 1}, which was the error of every status, then 404 {}", answers!("default: {content: {application/json: {schema: {required: [code]}}}}"), answers!("'404': {content: {application/json: {schema: {type: object}}}}, default: {content: {application/json: {schema: {required: [code]}}}}"), Some("response-property-became-optional")),
    ("GET: 404 {code: 1} as before", answers!("default: {content: {application/json: {schema: {required: [code]}}}}"), answers!("'404': {content: {application/json: {schema: {required: [code]}}}}, default: {content: {application/json: {schema: {required: [code]}}}}"), None),
    ("GET: 404 {code: 1}, then {} as all of 4XX", answers!("'404': {content: {application/json: {schema: {required: [code]}}}}, 4XX: {content: {application/json: {schema: {}}}}"), answers!("4XX: {content: {application/json: {schema: {}}}}"), Some("response-property-became-optional")),
    ("GET: 201 {} is no error", answers!("default: {content: {application/json: {schema: {required: [code]}}}}"), answers!("'201': {content: {application/json: {schema: {}}}}, default: {content: {application/json: {schema: {required: [code]}}}}"), None),
    ("GET https://pets/v1/a: 200 as before", "servers: [{url: 'https://pets'}]\npaths: {/v1/a: {get: {}}}", "servers: [{url: 'https://pets/v1'}]\npaths: {/a: {get: {summary: A}}}", None),
    ("GET https://pets/v1/a: 200 as before", "servers: [{url: /v1/}, {url: 'http://pets/v1'}]\npaths: {/a: {get: {}}}", "servers: [{url: /}, {url: 'http://pets'}]\npaths: {/v1/a: {get: {summary: A}}}", None),
    ("GET https://pets/b: 200, then 404: only /v1/b is left", "servers: [{url: 'https://pets'}]\npaths: {/v1/a: {get: {}}, /b: {get: {}}}", "servers: [{url: 'https://pets/v1'}]\npaths: {/a: {get: {}}, /b: {get: {}}}", Some("api-path-removed-without-deprecation")),
    ("GET https://old/v1/a: 200, then no server", "servers: [{url: 'https://old'}]\npaths: {/v1/a: {get: {}}}", "servers: [{url: 'https://new/v1'}]\npaths: {/a: {get: {}}}", Some("server-removed")),
    ("POST of the callback {a: 1}, then {}: the client reads no a",
        "paths: {/a: {post: {callbacks: {done: {'{$url}': {post: {requestBody: {content: {a/json: {schema: {required: [a]}}}}}}}}}}}",
        "paths: {/a: {post: {callbacks: {done: {'{$url}': {post: {requestBody: {content: {a/json: {schema: {type: object}}}}}}}}}}}", Some("response-property-became-optional")),
    ("POST of the callback: answered with {}, then the answer must have a",
        "paths: {/a: {post: {callbacks: {done: {'{$url}': {post: {responses: {'200': {content: {a/json: {schema: {}}}}}}}}}}}}",
        "paths: {/a: {post: {callbacks: {done: {'{$url}': {post: {responses: {'200': {content: {a/json: {schema: {required: [a]}}}}}}}}}}}}", Some("request-property-became-required")),
    ("GET https://old/b: 200, then no server", "servers: [{url: 'https://old'}]\npaths: {/a: {servers: [{url: 'https://pets'}], get: {}}, /b: {get: {}}}", "servers: [{url: 'https://new'}]\npaths: {/a: {servers: [{url: 'https://pets'}], get: {}}, /b: {get: {}}}", Some("server-removed")),
    ("GET: 201, one of the successes that were declared", answers!("2XX: {content: {application/json: {schema: {required: [a]}}}}"), answers!("'201': {content: {application/json: {schema: {required: [a]}}}}"), None),
    ("GET: 201 {a: 1}, then {}", answers!("2XX: {content: {application/json: {schema: {required: [a]}}}}"), answers!("'201': {content: {application/json: {schema: {type: object}}}}"), Some("response-property-became-optional")),
    ("GET: 200, then another success", answers!("'200': {}, 2XX: {}"), answers!("2XX: {}"), Some("response-success-status-removed")),
    ("GET: 200 application/json, one of all media types", answers!("'200': {content: {'*/*': {schema: {type: object}}}}"), answers!("'200': {content: {application/json: {schema: {type: object}}}}"), None),
    ("POST application/json: 201 as before", "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: object}}}}}}}", "paths: {/a: {post: {requestBody: {content: {'application/json; charset=utf-8': {schema: {type: object}}}}}}}", None),
    ("GET: 200 text/plain as before", answers!("'200': {content: {'text/plain; charset=utf-8': {}}}"), answers!("'200': {content: {text/plain: {}}}"), None),
    ("GET ?q=7: 200 as before", parameter!("/a", "q, in: query", "{type: integer}"), parameter!("/a", "q, in: query, explode: false", "{type: integer}"), None),
    ("GET with the header Ids: 1,2: 200 as before", parameter!("/a", "Ids, in: header", "{type: array, items: {type: integer}}"), parameter!("/a", "Ids, in: header, explode: true", "{type: array, items: {type: integer}}"), None),
    ("GET with the header Ids: a,1: 200, then 400: a=1 is expected", parameter!("/a", "Ids, in: header", "{type: object}"), parameter!("/a", "Ids, in: header, explode: true", "{type: object}"), Some("request-parameter-explode-changed")),
    ("GET: 200 with the header Ids: 1,2 as before", answers!("'200': {headers: {Ids: {schema: {type: array, items: {type: integer}}}}}"), answers!("'200': {headers: {Ids: {explode: true, schema: {type: array, items: {type: integer}}}}}"), None),
    ("GET ?q=1: 200 as before: no query has types", parameter!("/a", "q, in: query", "{type: integer, enum: [1, 2]}"), parameter!("/a", "q, in: query", "{type: string, enum: ['1', '2']}"), None),
    ("GET ?q=1: 200 as before: no query has types", parameter!("/a", "q, in: query", "{type: string, enum: ['1', '2']}"), parameter!("/a", "q, in: query", "{type: integer, enum: [1, 2]}"), None),
    ("GET ?q=2: 200, then 400", parameter!("/a", "q, in: query", "{type: integer, enum: [1, 2]}"), parameter!("/a", "q, in: query", "{type: string, enum: ['1']}"), Some("request-parameter-enum-value-removed")),
    ("GET /a/: 404 as before", parameter!("'/a/{q}'", "q, in: path, required: true", "{type: string}"), parameter!("'/a/{q}'", "q, in: path, required: true", "{type: string, minLength: 1}"), None),
    ("GET /a/x: 200, then 400", parameter!("'/a/{q}'", "q, in: path, required: true", "{type: string}"), parameter!("'/a/{q}'", "q, in: path, required: true", "{type: string, minLength: 2}"), Some("request-parameter-min-length-increased")),
    ("GET /a/.json: 200, then 400", parameter!("'/a/{q}.json'", "q, in: path, required: true", "{type: string}"), parameter!("'/a/{q}.json'", "q, in: path, required: true", "{type: string, minLength: 1}"), Some("request-parameter-min-length-increased")),
    ("GET ?q=: 200, then 400", parameter!("/a", "q, in: query", "{type: string}"), parameter!("/a", "q, in: query", "{type: string, minLength: 1}"), Some("request-parameter-min-length-increased")),
    ("GET: 200 as before: no query has an empty array", parameter!("/a", "q, in: query", "{type: array, items: {type: string}}"), parameter!("/a", "q, in: query", "{type: array, minItems: 1, items: {type: string}}"), None),
    ("POST a form with a=1: 201 as before: so it is written by default",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {style: form, explode: true}}}}}}}}", None),
    ("POST a form with a=1&a=2: 201 as before: so it is written by default",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: array, items: {type: string}}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: array, items: {type: string}}}}, encoding: {a: {style: form}}}}}}}}", None),
    ("POST a form with a=1&a=2: 201, then 400: a=1,2 is expected",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: array, items: {type: string}}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: array, items: {type: string}}}}, encoding: {a: {explode: false}}}}}}}}", Some("request-body-encoding-changed")),
    ("POST a form with JSON in a: 201, then 400: its properties are expected",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: object}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: object}}}, encoding: {a: {style: form}}}}}}}}", Some("request-body-encoding-changed")),
    ("POST a form with a text: 201 as before: no other media type is sent",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: text/plain}}}}}}}}", None),
    ("POST a form with a PNG: 201 as before",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: image/png}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: 'image/jpeg, image/png'}}}}}}}}", None),
    ("POST a form with a PNG: 201 as before",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: image/png}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: image/*}}}}}}}}", None),
    ("POST a form with a PNG: 201 as before",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: 'image/png, image/jpeg'}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: 'image/jpeg,image/png'}}}}}}}}", None),
    ("POST a form with a JPEG: 201, then 415 of its part",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: 'image/png, image/jpeg'}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: image/png}}}}}}}}", Some("request-body-encoding-changed")),
    ("POST JSON: 201 as before: it has no parts",
        "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: image/png}}}}}}}}", None),
    ("GET https://us.pets/a: 200, then no server",
        "servers: [{url: 'https://{r}.pets', variables: {r: {default: eu, enum: [eu, us]}}}]\npaths: {/a: {get: {}}}",
        "servers: [{url: 'https://{r}.pets', variables: {r: {default: eu, enum: [eu]}}}]\npaths: {/a: {get: {}}}", Some("server-removed")),
    ("GET https://us.pets/a: 200, then no server: any name was one",
        "servers: [{url: 'https://{r}.pets', variables: {r: {default: eu}}}]\npaths: {/a: {get: {}}}",
        "servers: [{url: 'https://{r}.pets', variables: {r: {default: eu, enum: [eu]}}}]\npaths: {/a: {get: {}}}", Some("server-removed")),
    ("GET https://us.pets/a: 200, then of the other server; the variables are only warned of",
        "servers: [{url: 'https://{r}.pets', variables: {r: {default: eu, enum: [eu, us]}}}]\npaths: {/a: {get: {}}}",
        "servers: [{url: 'https://{r}.pets', variables: {r: {default: eu, enum: [eu]}}}, {url: 'https://us.pets'}]\npaths: {/a: {get: {}}}", Some("server-changed")),
    ("GET /u/me: 200 of the user `me`, then of another operation",
        "paths: {'/u/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}]}}}",
        "paths: {'/u/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}]}}, /u/me: {get: {}}}", Some("path-added-over-parameter")),
    ("GET /u/1: 200 of the user 1, then of another operation",
        "paths: {'/u/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}]}}}",
        "paths: {'/u/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}]}}, /u/1: {get: {}}}", Some("path-added-over-parameter")),
    ("GET /u/me: 400, then 200: it was no id",
        "paths: {'/u/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}]}}}",
        "paths: {'/u/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}]}}, /u/me: {get: {}}}", None),
    ("GET: 200 {a: 1}, which was the answer of every status, then a text", answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}"), answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}, '200': {content: {application/json: {schema: {type: string}}}}"), Some("response-body-type-changed")),
    ("GET: 200 {a: 1} as before", answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}"), answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}, '200': {content: {application/json: {schema: {type: object, required: [a]}}}}"), None),
    ("GET: 204 as before: without a body", answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}"), answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}, '204': {}"), None),
    ("GET: 201, a success beside 200, so that the default is an error", answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}, '200': {}"), answers!("default: {content: {application/json: {schema: {type: object, required: [a]}}}}, '200': {}, '201': {content: {application/json: {schema: {type: string}}}}"), None),
    ("GET ?q=true: 200 as before: no query has types", parameter!("/a", "q, in: query", "{type: string, enum: ['true', 'false']}"), parameter!("/a", "q, in: query", "{type: boolean}"), None),
    ("GET ?q=true: 200 as before: no query has types", parameter!("/a", "q, in: query", "{type: boolean}"), parameter!("/a", "q, in: query", "{type: string, enum: ['true', 'false']}"), None),
    ("GET ?q=1: 200 as before: no query has types", parameter!("/a", "q, in: query", "{type: string, enum: ['1', '2']}"), parameter!("/a", "q, in: query", "{type: integer}"), None),
    ("GET ?q=1.5: 200 as before: no query has types", parameter!("/a", "q, in: query", "{type: string, enum: ['1.5']}"), parameter!("/a", "q, in: query", "{type: number}"), None),
    ("GET ?q=x: 200, then 400", parameter!("/a", "q, in: query", "{type: string, enum: ['1', x]}"), parameter!("/a", "q, in: query", "{type: integer}"), Some("request-parameter-type-changed")),
    ("GET ?q=01: 200, then 400", parameter!("/a", "q, in: query", "{type: string, enum: ['01']}"), parameter!("/a", "q, in: query", "{type: integer}"), Some("request-parameter-type-changed")),
    ("GET ?q=2: 200, then 400", parameter!("/a", "q, in: query", "{type: integer}"), parameter!("/a", "q, in: query", "{type: string, enum: ['1']}"), Some("request-parameter-became-enum")),
    ("POST a form with JSON in o, {a: '1'}: 201, then 400: JSON has types",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {o: {type: object, properties: {a: {type: string, enum: ['1']}}}}}}}}}}}",
        "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {o: {type: object, properties: {a: {type: integer}}}}}}}}}}}", Some("request-property-type-changed")),
    ("POST of the callback with a signature, then without", callback!("{name: X-Sig, in: header, required: true, schema: {type: string}}"), callback!(""), Some("required-response-header-removed")),
    ("POST of the callback with a time that nobody reads", callback!(""), callback!("{name: X-Time, in: header, required: true, schema: {type: string}}"), None),
    ("POST of the callback of v2, where the client knows v1 only", callback!("{name: X-V, in: header, schema: {type: string, enum: [v1]}}"), callback!("{name: X-V, in: header, schema: {type: string, enum: [v1, v2]}}"), Some("response-header-enum-value-added")),
    ("POST of the callback of v1, which the client knows", callback!("{name: v, in: query, schema: {type: string, enum: [v1, v2]}}"), callback!("{name: v, in: query, explode: true, schema: {type: string, enum: [v1]}}"), None),
];

#[test]
fn media_types_encodings_and_servers_break_only_their_users() {
    for (exchange, base, revision, expected) in DOCUMENTS {
        let found = compare(base, revision, &policy());
        let errors: Vec<_> = found
            .iter()
            .filter(|it| it.level > Info)
            .map(|it| it.id.as_str())
            .collect();
        assert_eq!(errors.first().copied(), *expected, "{exchange}: {found:?}");
        assert!(errors.len() < 2, "{exchange}: {found:?}");
        assert!(!found.is_empty(), "{exchange}");
    }
}

#[test]
fn what_has_another_type_is_one_error() {
    let rows = [
        (
            Request,
            "{type: boolean}",
            "{type: object, required: [a], properties: {a: {}}}",
        ),
        (Response, "{type: integer, minimum: 0}", "{type: string}"),
    ];
    for (place, base, revision) in rows {
        let [old, new] = [base, revision].map(|schema| document(&place, schema, ""));
        let found = compare(&old, &new, &policy());
        assert_eq!(found.len(), 1, "{found:?}");
    }
}

#[test]
fn help_of_a_required_parameter_names_no_place() {
    let base = "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: string}}]}}}";
    let found = compare(
        base,
        &base.replace("in: query", "in: query, required: true"),
        &policy(),
    );
    let printed = dropspec_diff::report::render_text(&found);
    assert!(printed.contains("keep `q` optional, or add"), "{printed}");
}

#[test]
fn removed_property_is_never_compatible() {
    let base = document(&Response, "{properties: {a: {type: string}, b: {}}}", "");
    let removed = document(&Response, "{properties: {b: {}}}", "");
    let mut policy = policy();
    policy.versions = dropspec_diff::VersionCheck::Exact;
    let found = compare(&base, &removed, &policy);
    assert!(found.iter().any(|it| it.level == Warn), "{found:?}");
    // A warning stands, so nothing says that the change is compatible.
    let says_compatible = found.iter().any(|it| it.message.contains("compatibly"));
    assert!(!says_compatible, "{found:?}");
}
