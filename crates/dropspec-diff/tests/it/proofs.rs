//! Breaks are proved by exchanges, and those without one say why.
#![allow(clippy::unwrap_used)]

use dropspec_diff::{Exchange, Finding, Level, MessageKind, Policy, Proof, Side, report};

use crate::common::{compare, policy};
use crate::exchanges::Place::{Request, Response};
use crate::exchanges::document as document_of;

fn prove(base: &str, revision: &str) -> Vec<Finding> {
    let mut policy = policy();
    policy.prove = true;
    compare(base, revision, &policy)
}

/// The exchange of the only break.
fn exchange(base: &str, revision: &str) -> Exchange {
    let found = prove(base, revision);
    let mut breaks = found.iter().filter(|it| it.level == Level::Error);
    let proof = breaks.next().and_then(|it| it.proof.clone());
    assert!(breaks.next().is_none(), "{found:?}");
    match proof {
        Some(Proof::Exchange(exchange)) => *exchange,
        other => panic!("{other:?} in {found:?}"),
    }
}

/// The base and the revision, the target and the body of the request, and what is refused.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static str,
);

/// A form with these properties.
macro_rules! form {
    ($media_type:literal, $properties:literal) => {
        concat!(
            "paths: {/a: {post: {requestBody: {required: true, content: {",
            $media_type,
            ": {schema: {type: object, properties: ",
            $properties,
            "}}}}}}}"
        )
    };
}

#[rustfmt::skip]
const REQUESTS: &[Case] = &[
    ("paths: {'/a/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}]}}}", "paths: {}",
        "GET /a/1", None, "the path: no operation has it"),
    ("paths: {/a: {get: {}, put: {}}}", "paths: {/a: {put: {}}}", "GET /a", None, "the method: the path has no such operation"),
    ("paths: {/a: {get: {}}}", "paths: {/a: {get: {parameters: [{name: q, in: query, required: true, schema: {type: string}}]}}}",
        "GET /a", None, "the query parameter `q`: it is required"),
    ("paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: integer}}]}}}", "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: integer, maximum: 5}}]}}}",
        "GET /a?q=6", None, "the query parameter `q`: it is greater than the maximum of 5"),
    ("paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: string, enum: ['a b', c]}}]}}}", "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: string, enum: [c]}}]}}}",
        "GET /a?q=a%20b", None, "the query parameter `q`: it is not one of \"c\""),
    ("paths: {/a: {get: {}}}", "paths: {/a: {get: {security: [{k: []}]}}}\ncomponents: {securitySchemes: {k: {type: apiKey, in: header, name: X-Key}}}",
        "GET /a", None, "the credentials: they are required: 401"),
    ("paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: string}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string}}}}}}}",
        "POST /a", None, "the body: it is required"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string}}, text/plain: {schema: {type: string}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string}}}}}}}",
        "POST /a", Some("0"), "the header `Content-Type`: `text/plain` is not declared"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {properties: {b: {items: {type: string}}}}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {properties: {b: {items: {type: string, maxLength: 2}}}}}}}}}}",
        "POST /a", Some("{\"b\":[\"aaa\"]}"), "the body at `/b/0`: it is longer than 2 characters"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {n: {type: integer}}}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {n: {type: integer, maximum: 3}}}}}}}}}",
        "POST /a", Some("n=4"), "the body at `/n`: it is greater than the maximum of 3"),
    (form!("multipart/form-data", "{n: {type: integer}}"), form!("multipart/form-data", "{n: {type: integer, maximum: 3}}"),
        "POST /a", Some("--part\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n4\r\n--part--\r\n"), "the body at `/n`: it is greater than the maximum of 3"),
    (form!("multipart/form-data", "{f: {type: string, format: binary}, n: {type: integer}}"), form!("multipart/form-data", "{f: {type: string, format: binary}, n: {type: integer}}, required: [n]"),
        "POST /a", Some("--part\r\nContent-Disposition: form-data; name=\"f\"; filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--part--\r\n"), "the body: \"n\" is a required property"),
    (form!("multipart/form-data", "{o: {type: object, properties: {n: {type: integer}}}}"), form!("multipart/form-data", "{o: {type: object, properties: {n: {type: integer, maximum: 3}}}}"),
        "POST /a", Some("--part\r\nContent-Disposition: form-data; name=\"o\"\r\nContent-Type: application/json\r\n\r\n{\"n\":4}\r\n--part--\r\n"), "the body at `/o/n`: it is greater than the maximum of 3"),
    ("paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}}}}}}}", "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {contentType: image/png}}}}}}}}",
        "POST /a", Some("--part\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--part--\r\n"), "the part `a`: its media type `text/plain` is not declared"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {image/png: {}, image/gif: {}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {image/gif: {}}}}}}",
        "POST /a", Some("a"), "the header `Content-Type`: `image/png` is not declared"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary, maxLength: 2}}}}}}}",
        "POST /a", Some("aaa"), "the body: it is longer than 2 characters"),
    ("paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {properties: {a: {type: string}}}, encoding: {a: {contentType: 'a/b, c/d'}}}}}}}}", "paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {properties: {a: {type: string}}}, encoding: {a: {contentType: a/b}}}}}}}}",
        "POST /a", Some("--part\r\nContent-Disposition: form-data; name=\"a\"; filename=\"file\"\r\nContent-Type: c/d\r\n\r\n\r\n--part--\r\n"), "the part `a`: its media type `c/d` is not declared"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string, nullable: true, enum: [a, null]}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string, nullable: true, enum: [a]}}}}}}}",
        "POST /a", Some("null"), "the body: it is not of type \"string\""),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {allOf: [{type: string, nullable: true}, {type: string, nullable: true}]}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {allOf: [{type: string, nullable: true}, {type: string}]}}}}}}}",
        "POST /a", Some("null"), "the body: it is not of type \"string\""),
    ("security: [{k: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {k: {type: apiKey, in: query, name: old}}}", "security: [{k: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {k: {type: apiKey, in: query, name: new}}}",
        "GET /a?old=key", None, "the credentials: they are required: 401"),
];

#[test]
fn request_that_worked_before_is_refused_now() {
    for (base, revision, line, body, refused) in REQUESTS {
        let found = exchange(base, revision);
        let request = &found.request;
        let sent = format!("{} {}", request.method, request.target);
        assert_eq!(
            (sent.as_str(), request.body.as_deref()),
            (*line, *body),
            "{found:?}"
        );
        assert_eq!(found.response.status, 200);
        assert_refused(&found, Side::Revision, refused);
    }
}

fn assert_refused(exchange: &Exchange, by: Side, expected: &str) {
    let refused = &exchange.refused;
    let message = match by {
        Side::Base => MessageKind::Response,
        Side::Revision => MessageKind::Request,
    };
    assert_eq!((refused.by, refused.message), (by, message));
    assert_eq!(format!("{}: {}", refused.place, refused.reason), expected);
}

/// The place and the parameter without its schema, the schema before and after, the target, the header, and what is refused.
type Styled = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const SHORT: &str = "{type: array, items: {type: integer}}";
const SHORTER: &str = "{type: array, maxItems: 1, items: {type: integer}}";
const POINT: &str =
    "{type: object, required: [x, y], properties: {x: {enum: [1]}, y: {type: integer}}}";
const NEARER: &str = "{type: object, required: [x, y], properties: {x: {enum: [1]}, y: {type: integer, maximum: 5}}}";
const MANY: &str = "it has more than 1 item";
const FAR: &str = "it is greater than the maximum of 5";

#[rustfmt::skip]
const STYLES: &[Styled] = &[
    ("query", "", SHORT, SHORTER, "/a?q=1&q=1"),
    ("query", "explode: false", SHORT, SHORTER, "/a?q=1,1"),
    ("query", "style: pipeDelimited, explode: false", SHORT, SHORTER, "/a?q=1|1"),
    ("query", "", POINT, NEARER, "/a?x=1&y=6"),
    ("query", "style: deepObject, explode: true", POINT, NEARER, "/a?q%5Bx%5D=1&q%5By%5D=6"),
    ("path", "", SHORT, SHORTER, "/a/1,1"),
    ("path", "style: label", SHORT, SHORTER, "/a/.1.1"),
    ("path", "", POINT, NEARER, "/a/x,1,y,6"),
    ("path", "style: label, explode: true", POINT, NEARER, "/a/.x=1.y=6"),
    ("path", "style: matrix, explode: true", POINT, NEARER, "/a/;x=1;y=6"),
    ("header", "", SHORT, SHORTER, "1,1"),
    ("header", "", POINT, NEARER, "x,1,y,6"),
    ("cookie", "explode: false", SHORT, SHORTER, "q=1,1"),
    ("cookie", "", POINT, NEARER, "x=1; y=6"),
];

#[test]
fn parameters_in_every_place_are_refused_as_they_are_sent() {
    for (place, style, base, revision, sent) in STYLES {
        let document = |schema: &str| {
            let path = if *place == "path" { "'/a/{q}'" } else { "/a" };
            format!(
                "paths: {{{path}: {{get: {{parameters: [{{name: q, in: {place}, required: true, schema: {schema}, {style}}}]}}}}}}"
            )
        };
        let found = exchange(&document(base), &document(revision));
        let request = &found.request;
        let text = match request.headers.first() {
            Some((_, value)) => value.as_str(),
            None => request.target.as_str(),
        };
        assert_eq!(text, *sent, "{place} {style}: {found:?}");
        let reason = if *base == SHORT { MANY } else { FAR };
        assert_eq!(found.refused.reason, reason, "{place} {style}: {found:?}");
    }
    let json = |schema: &str| {
        format!(
            "paths: {{/a: {{get: {{parameters: [{{name: q, in: query, content: {{application/json: {{schema: {schema}}}}}}}]}}}}}}"
        )
    };
    let found = exchange(&json(POINT), &json(NEARER));
    assert_eq!(found.request.target, "/a?q=%7B%22x%22%3A1%2C%22y%22%3A6%7D");
}

#[test]
fn old_credential_is_refused_with_401_and_403() {
    const SCHEMES: &str = "components: {securitySchemes: {k: {type: apiKey, in: header, name: X-Key}, l: {type: http, scheme: bearer}, \
        o: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://a/b', scopes: {read: r, write: w}}}}}}";
    let document =
        |security: &str| format!("paths: {{/a: {{get: {{security: {security}}}}}}}\n{SCHEMES}");
    #[rustfmt::skip]
    let cases = [
        ("[{k: []}]", "[{k: [], l: []}]", "X-Key: key", &[][..], "they are required: 401"),
        ("[{k: []}, {l: []}]", "[{l: []}]", "X-Key: key", &[], "they are required: 401"),
        ("[{o: [read]}]", "[{o: [read, write]}]", "Authorization: Bearer token", &["read"], "they have `read` and lack `write`: 403"),
        ("[{o: []}]", "[{o: [write]}]", "Authorization: Bearer token", &[], "they have no scope and lack `write`: 403"),
    ];
    for (base, revision, header, scopes, refused) in cases {
        let found = exchange(&document(base), &document(revision));
        let headers = found.request.headers.iter();
        let headers = headers.map(|(name, value)| format!("{name}: {value}"));
        assert_eq!(headers.collect::<Vec<_>>(), [header]);
        assert_eq!(found.request.scopes, scopes);
        assert_refused(
            &found,
            Side::Revision,
            &format!("the credentials: {refused}"),
        );
    }
}

#[test]
fn value_of_a_discriminator_selects_no_schema_any_more() {
    const COMPONENTS: &str = "components: {schemas: {\
        Cat: {type: object, required: [kind], properties: {kind: {type: string}, sound: {enum: [meow]}}}, \
        Dog: {type: object, required: [kind], properties: {kind: {type: string}, sound: {enum: [bark]}}}}}";
    let pet = |mapping: &str| {
        format!(
            "{{anyOf: [{{$ref: '#/components/schemas/Cat'}}, {{$ref: '#/components/schemas/Dog'}}], discriminator: {{propertyName: kind, mapping: {mapping}}}}}"
        )
    };
    let request = |mapping: &str| {
        let schema = format!("{{properties: {{pet: {}}}, required: [pet]}}", pet(mapping));
        document_of(&Request, &schema, COMPONENTS)
    };
    let with = "{c: '#/components/schemas/Cat', kitten: '#/components/schemas/Cat', d: '#/components/schemas/Dog'}";
    let without = "{c: '#/components/schemas/Cat', d: '#/components/schemas/Dog'}";
    let found = exchange(&request(with), &request(without));
    assert_eq!(
        found.request.body.as_deref(),
        Some("{\"pet\":{\"kind\":\"kitten\"}}")
    );
    assert_eq!(found.refused.place, "the body at `/pet/kind`");
    assert_eq!(
        found.refused.reason,
        "it is not one of \"c\", \"d\" or 2 other candidates"
    );
    let swapped = "{c: '#/components/schemas/Dog', d: '#/components/schemas/Dog'}";
    let found = exchange(&request(without), &request(swapped));
    assert!(found.refused.reason.contains("'anyOf'"), "{found:?}");
}

#[test]
fn value_without_the_property_selects_no_schema_when_there_is_no_default_any_more() {
    const COMPONENTS: &str = "components: {schemas: {Cat: {type: object, properties: {kind: {type: string}}}, Dog: {type: object}}}";
    let request = |default: &str| {
        let schema = format!(
            "{{anyOf: [{{$ref: '#/components/schemas/Cat'}}, {{$ref: '#/components/schemas/Dog'}}], discriminator: {{propertyName: kind{default}}}}}"
        );
        document_of(&Request, &schema, COMPONENTS)
    };
    let with = request(", defaultMapping: Dog");
    let found = exchange(&with, &request(""));
    assert_eq!(found.request.body.as_deref(), Some("{}"));
    assert_eq!(found.refused.reason, "\"kind\" is a required property");
}

#[rustfmt::skip]
const RESPONSES: &[(&str, &str, u16, Option<&str>, &str)] = &[
    ("{'200': {content: {application/json: {schema: {type: string, enum: [a]}}}}}", "{'200': {content: {application/json: {schema: {type: string, enum: [a, b]}}}}}",
        200, Some("\"b\""), "the body: it is not one of \"a\""),
    ("{'200': {content: {application/json: {schema: {required: [a], properties: {a: {type: integer}}}}}}}", "{'200': {content: {application/json: {schema: {properties: {a: {type: integer}}}}}}}",
        200, Some("{}"), "the body: \"a\" is a required property"),
    ("{'200': {content: {application/json: {schema: {required: [a], properties: {a: {type: string}}}}}}}", "{'200': {content: {application/json: {schema: {required: [b], properties: {b: {type: string}}}}}}}",
        200, Some("{\"b\":\"\"}"), "the body: \"a\" is a required property"),
    ("{'200': {description: a}}", "{'202': {description: a}}", 202, None, "the status: 202 is not declared"),
    ("{'200': {}, default: {content: {application/json: {schema: {required: [code]}}}}}", "{'201': {content: {application/json: {schema: {maxProperties: 0}}}}, default: {content: {application/json: {schema: {required: [code]}}}}}",
        201, Some("{}"), "the body: \"code\" is a required property"),
    ("{'200': {}, '404': {content: {application/json: {schema: {required: [a], properties: {a: {type: string}}}}}}, default: {content: {application/json: {schema: {type: object}}}}}", "{'200': {}, default: {content: {application/json: {schema: {type: object}}}}}",
        404, Some("{}"), "the body: \"a\" is a required property"),
    ("{'200': {headers: {X-A: {required: true, schema: {type: string}}}}}", "{'200': {description: a}}", 200, None, "the header `X-A`: it is always present"),
];

#[test]
fn response_that_was_impossible_is_not_understood() {
    let document = |responses: &str| {
        format!(
            "paths: {{/a: {{get: {{security: [{{k: []}}], responses: {responses}}}}}}}\ncomponents: {{securitySchemes: {{k: {{type: http, scheme: bearer}}}}}}"
        )
    };
    for (base, revision, status, body, refused) in RESPONSES {
        let found = exchange(&document(base), &document(revision));
        let credentials = [("Authorization".to_owned(), "Bearer token".to_owned())];
        assert_eq!(found.request.headers, credentials);
        assert_eq!(found.response.status, *status, "{found:?}");
        assert_eq!(found.response.body.as_deref(), *body, "{found:?}");
        assert_refused(&found, Side::Base, refused);
    }
}

#[test]
fn each_of_two_breaks_of_one_body_has_an_exchange_of_its_own() {
    let body = |schema: &str| document_of(&Request, schema, "");
    let found = prove(
        &body("{type: object, properties: {a: {type: string}, b: {type: string}}}"),
        &body(
            "{type: object, properties: {a: {type: string, maxLength: 1}, b: {type: string, maxLength: 1}}}",
        ),
    );
    let mut places = Vec::new();
    for finding in &found {
        if let Some(Proof::Exchange(exchange)) = &finding.proof {
            let property = finding.pointer.rsplit('/').nth(1).unwrap();
            places.push((property, exchange.refused.place.as_str()));
        }
    }
    places.sort_unstable();
    assert_eq!(
        places,
        [("a", "the body at `/a`"), ("b", "the body at `/b`")]
    );
}

#[test]
fn each_of_two_breaks_of_one_response_is_refused_because_of_itself() {
    let body = |schema: &str| document_of(&Response, schema, "");
    let found = prove(
        &body("{required: [a, s], properties: {s: {required: [e], properties: {e: {enum: [x]}}}}}"),
        &body("{required: [s], properties: {s: {required: [e], properties: {e: {enum: [x, y]}}}}}"),
    );
    let mut places = Vec::new();
    for finding in &found {
        if let Some(Proof::Exchange(exchange)) = &finding.proof {
            places.push(exchange.refused.place.as_str());
        }
    }
    places.sort_unstable();
    assert_eq!(places, ["the body", "the body at `/s/e`"]);
}

#[test]
fn response_is_shown_though_the_key_moved() {
    let document = |name: &str, values: &str| {
        format!(
            "security: [{{k: []}}]\npaths: {{/a: {{get: {{responses: {{'200': {{content: {{application/json: {{schema: {{type: string, enum: [{values}]}}}}}}}}}}}}}}}}\n\
            components: {{securitySchemes: {{k: {{type: apiKey, in: header, name: {name}}}}}}}"
        )
    };
    let found = prove(&document("Old", "a"), &document("New", "a, b"));
    let is_proved = |it: &Finding| matches!(it.proof, Some(Proof::Exchange(_)));
    let breaks = || found.iter().filter(|it| it.level == Level::Error);
    assert_eq!(breaks().count(), 2);
    assert!(breaks().all(is_proved), "{found:?}");
    assert!(breaks().all(|it| it.operations == ["GET /a"]), "{found:?}");
}

#[test]
fn request_with_the_credentials_of_both_documents_has_each_once() {
    let document = |needs: &str, kind: &str| {
        format!(
            "security: [{{a: []{needs}}}]\npaths: {{/a: {{get: {{responses: {{'200': {{content: {{application/json: {{schema: {{type: {kind}}}}}}}}}}}}}}}}}\n\
            components: {{securitySchemes: {{a: {{type: http, scheme: bearer}}, b: {{type: apiKey, in: header, name: B}}}}}}"
        )
    };
    let found = prove(&document("", "string"), &document(", b: []", "integer"));
    let exchanges = found.iter().filter_map(|it| match &it.proof {
        Some(Proof::Exchange(exchange)) => Some(&exchange.request.headers),
        _ => None,
    });
    let names = exchanges.map(|it| it.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    let names: Vec<Vec<&str>> = names.collect();
    assert!(names.contains(&vec!["Authorization", "B"]), "{names:?}");
}

#[test]
fn renamed_component_is_another_value_of_a_discriminator() {
    let document = |name: &str, operation: &str| {
        let schema = format!(
            "{{oneOf: [{{$ref: '#/components/schemas/{name}'}}, {{$ref: '#/components/schemas/Dog'}}], discriminator: {{propertyName: kind}}}}"
        );
        let content =
            format!("{{content: {{application/json: {{schema: {schema}}}}}, required: true}}");
        let kind = "type: object, properties: {kind: {type: string}}, required: [kind, ";
        format!(
            "paths: {{/a: {}}}\ncomponents: {{schemas: {{{name}: {{{kind}a]}}, Dog: {{{kind}b]}}}}}}",
            operation.replace("CONTENT", &content)
        )
    };
    for (operation, tag) in [
        ("{get: {responses: {'200': CONTENT}}}", "Lion"),
        ("{post: {requestBody: CONTENT}}", "Cat"),
    ] {
        let found = exchange(&document("Cat", operation), &document("Lion", operation));
        let body = found.request.body.or(found.response.body).unwrap();
        assert!(body.contains(tag), "{body}");
        assert_eq!(found.refused.place, "the body at `/kind`");
    }
}

#[test]
fn break_without_an_exchange_says_why() {
    #[rustfmt::skip]
    let cases = [
        ("servers: [{url: 'https://a'}]\npaths: {/a: {get: {}}}", "servers: [{url: 'https://b'}]\npaths: {/a: {get: {}}}", "the address of the server is gone"),
        ("paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: integer, default: 1}}]}}}",
            "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: integer, default: 2}}]}}}", "the server does something else"),
        (form!("multipart/form-data", "{a: {type: string}}"), form!("multipart/form-data", "{a: {type: string}}, required: [a]"),
            "the search tries samples, and none of these requests is refused because of this edit"),
    ];
    for (base, revision, why) in cases {
        let found = prove(base, revision);
        let reasons: Vec<_> = found.iter().filter(|it| it.level == Level::Error).collect();
        assert_eq!(reasons.len(), 1, "{found:?}");
        match &reasons[0].proof {
            Some(Proof::None(reason)) => assert!(reason.contains(why), "{reason}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn nothing_is_proved_that_breaks_nobody_or_without_being_asked() {
    let (base, revision) = ("paths: {/a: {get: {}}}", "paths: {/a: {get: {}, put: {}}}");
    assert!(prove(base, revision).iter().all(|it| it.proof.is_none()));
    let unasked = compare(revision, base, &policy());
    assert!(unasked.iter().all(|it| it.proof.is_none()));
    assert!(prove(revision, base).iter().any(|it| it.proof.is_some()));
}

#[test]
fn break_without_a_proof_has_the_level_of_the_settings() {
    let scheme = |name: &str| {
        format!(
            "paths: {{/a: {{get: {{}}}}}}\ncomponents: {{securitySchemes: {{k: {{type: apiKey, in: header, name: {name}}}}}}}"
        )
    };
    let (base, revision) = (scheme("a"), scheme("b"));
    for (level, text) in [(Level::Error, "error"), (Level::Warn, "warn")] {
        let settings = format!("[settings]\nversions = \"off\"\nunproven-breaks = \"{text}\"\n");
        let policy = Policy::from_toml(&settings, policy().today).unwrap();
        let found = compare(&base, &revision, &policy);
        assert!(found[0].unproven.is_some(), "{found:?}");
        assert_eq!(found[0].level, level);
        let printed = report::render_text(&found);
        assert!(printed.contains("not proven: "), "{printed}");
    }
}

#[test]
fn instance_belongs_to_the_edit() {
    let answer = |values: &str| {
        let schema = format!("{{type: string, enum: [{values}]}}");
        document_of(&Response, &schema, "")
    };
    let found = compare(&answer("a"), &answer("a, rbm, sna"), &policy());
    for value in ["rbm", "sna"] {
        let added = found.iter().find(|it| it.message.contains(value)).unwrap();
        assert_eq!(added.instance.as_ref().unwrap().value, value);
    }
}
