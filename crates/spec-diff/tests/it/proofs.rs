//! Breaks are proved by exchanges, and those without one say why.
#![allow(clippy::unwrap_used)]

use spec_diff::{Exchange, Finding, Level, MessageKind, Proof, Side};

use crate::common::{compare, policy};

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
    ("paths: {/a: {get: {parameters: [{name: q, in: query, explode: false, schema: {type: array, items: {type: integer}}}]}}}", "paths: {/a: {get: {parameters: [{name: q, in: query, explode: false, schema: {type: array, maxItems: 1, items: {type: integer}}}]}}}",
        "GET /a?q=1,1", None, "the query parameter `q`: it has more than 1 item"),
    ("paths: {/a: {get: {}}}", "paths: {/a: {get: {security: [{k: []}]}}}\ncomponents: {securitySchemes: {k: {type: apiKey, in: header, name: X-Key}}}",
        "GET /a", None, "the credentials: they are required"),
    ("paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: string}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string}}}}}}}",
        "POST /a", None, "the body: it is required"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string}}, text/plain: {schema: {type: string}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: string}}}}}}}",
        "POST /a", Some("0"), "the header `Content-Type`: `text/plain` is not declared"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {properties: {b: {items: {type: string}}}}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {properties: {b: {items: {type: string, maxLength: 2}}}}}}}}}}",
        "POST /a", Some("{\"b\":[\"a-b\"]}"), "the body at `/b/0`: it is longer than 2 characters"),
    ("paths: {/a: {post: {requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {n: {type: integer}}}}}}}}}", "paths: {/a: {post: {requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {n: {type: integer, maximum: 3}}}}}}}}}",
        "POST /a", Some("n=4"), "the body at `/n`: it is greater than the maximum of 3"),
];

#[test]
fn request_that_worked_before_is_refused_now() {
    for (base, revision, line, body, refused) in REQUESTS {
        let found = exchange(base, revision);
        let request = &found.request;
        assert_eq!(
            format!("{} {}", request.method, request.target),
            *line,
            "{found:?}"
        );
        assert_eq!(request.body.as_deref(), *body, "{found:?}");
        assert_eq!(found.response.status, 200);
        assert_eq!(
            (found.refused.by, found.refused.message),
            (Side::Revision, MessageKind::Request)
        );
        assert_eq!(
            format!("{}: {}", found.refused.place, found.refused.reason),
            *refused
        );
    }
}

#[rustfmt::skip]
const RESPONSES: &[(&str, &str, u16, Option<&str>, &str)] = &[
    ("{'200': {content: {application/json: {schema: {type: string, enum: [a]}}}}}", "{'200': {content: {application/json: {schema: {type: string, enum: [a, b]}}}}}",
        200, Some("\"b\""), "the body: it is not one of \"a\""),
    ("{'200': {content: {application/json: {schema: {required: [a], properties: {a: {type: integer}}}}}}}", "{'200': {content: {application/json: {schema: {properties: {a: {type: integer}}}}}}}",
        200, Some("{}"), "the body: \"a\" is a required property"),
    ("{'200': {content: {application/json: {schema: {required: [a], properties: {a: {type: string}}}}}}}", "{'200': {content: {application/json: {schema: {required: [b], properties: {b: {type: string}}}}}}}",
        200, Some("{\"b\":\"a\"}"), "the body: \"a\" is a required property"),
    ("{'200': {description: a}}", "{'202': {description: a}}", 202, None, "the status: 202 is not declared"),
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
        assert_eq!(
            (found.refused.by, found.refused.message),
            (Side::Base, MessageKind::Response)
        );
        assert_eq!(
            format!("{}: {}", found.refused.place, found.refused.reason),
            *refused
        );
    }
}

#[test]
fn each_of_two_breaks_of_one_body_has_an_exchange_of_its_own() {
    let body = |schema: &str| {
        format!(
            "paths: {{/a: {{post: {{requestBody: {{required: true, content: {{application/json: {{schema: {schema}}}}}}}}}}}}}"
        )
    };
    let found = prove(
        &body("{type: object, properties: {a: {type: string}, b: {type: string}}}"),
        &body(
            "{type: object, properties: {a: {type: string, maxLength: 1}, b: {type: string, maxLength: 1}}}",
        ),
    );
    let mut places = Vec::new();
    for finding in &found {
        if let Some(Proof::Exchange(exchange)) = &finding.proof {
            places.push((
                finding.pointer.rsplit('/').nth(1).unwrap(),
                exchange.refused.place.as_str(),
            ));
        }
    }
    places.sort_unstable();
    assert_eq!(
        places,
        [("a", "the body at `/a`"), ("b", "the body at `/b`")]
    );
}

#[test]
fn break_without_an_exchange_says_why() {
    for (base, revision, why) in [
        (
            "servers: [{url: 'https://a'}]\npaths: {/a: {get: {}}}",
            "servers: [{url: 'https://b'}]\npaths: {/a: {get: {}}}",
            "the address of the server is gone",
        ),
        (
            "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: integer, default: 1}}]}}}",
            "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: integer, default: 2}}]}}}",
            "the server does something else",
        ),
        (
            "paths: {/a: {post: {requestBody: {required: true, content: {multipart/form-data: {schema: {properties: {a: {type: string}}}}}}}}}",
            "paths: {/a: {post: {requestBody: {required: true, content: {multipart/form-data: {schema: {required: [a], properties: {a: {type: string}}}}}}}}}",
            "no request body was found (`multipart/form-data`)",
        ),
    ] {
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
