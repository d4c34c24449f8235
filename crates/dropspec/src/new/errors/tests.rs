//! Tests of `errors`.

use std::path::{Path, PathBuf};

use dropspec_schema::{Direction, compile};
use serde_json::json;

use super::body::{SAMPLES, fill};
use super::*;

/// A document whose only error response has this body.
fn document(media_type: &str, schema: Value) -> Value {
    let response = json!({"description": "", "content": {media_type: {"schema": schema}}});
    json!({
        "paths": {"/a": {"get": {"responses": {"404": {"$ref": "#/components/responses/E"}}}}},
        "components": {"responses": {"E": response}},
    })
}

/// The body of a 404 without a route; `null` if the schema is not recognized.
fn body_of_404(media_type: &str, schema: Value) -> Value {
    let format = find(&document(media_type, schema));
    if !format.is_of_document {
        return Value::Null;
    }
    assert_eq!(format.media_type, media_type);
    fill(&format.body, ("route_not_found", 404))
}

/// What an error schema is, its media type, the schema, and the body of a 404. `T` is a text, `N` a whole number, `MESSAGE` and `ID` are
/// those of the samples.
const FILLED: &str = "
dropshot | application/json | {required: [message], properties: {error_code: T, message: T, request_id: T}} \
         | {error_code: route_not_found, message: MESSAGE, request_id: ID}
RFC 9457 | application/problem+json | {properties: {type: T, title: T, status: N, detail: T, instance: T}} \
         | {type: route_not_found, title: Not Found, status: 404, detail: MESSAGE, instance: 'urn:uuid:ID', errors: []}
RFC 9457 with absolute types | application/problem+json \
         | {required: [type], properties: {type: {type: string, format: uri}, title: T}} | {type: 'about:blank', title: MESSAGE, errors: []}
nested, the code a number | application/json \
         | {properties: {error: {type: object, required: [param], properties: {code: N, message: T, param: {type: string, nullable: true}}}}} \
         | {error: {code: 404, message: MESSAGE, param: null}}
JSON:API | application/vnd.api+json \
         | {properties: {errors: {type: array, minItems: 1, items: {properties: {id: T, status: T, code: T, title: T, detail: T}}}}} \
         | {errors: [{id: ID, status: '404', code: route_not_found, title: Not Found, detail: MESSAGE}]}
gRPC, with an enumeration that has no code of the gate | application/json \
         | {properties: {error: {type: object, properties: {code: N, message: T, status: {type: string, enum: [OK, NOT_FOUND]}}}}} \
         | {error: {code: 404, message: MESSAGE}}
OAuth 2, which requires one of an enumeration | application/json \
         | {required: [error], properties: {error: {type: string, enum: [invalid_request, server_error]}, error_description: T}} \
         | {error: invalid_request, error_description: MESSAGE}
an enumeration with names of its own | application/json \
         | {required: [kind, message], properties: {kind: {type: string, enum: [BadInput, NotFound, Internal]}, message: T}} \
         | {kind: NotFound, message: MESSAGE}
texts in a list | application/json | {required: [success], properties: {errors: {type: array, items: T}, success: {type: boolean}}} \
         | {errors: [MESSAGE], success: false}
texts by their code | application/json | {type: object, additionalProperties: {type: array, items: T}} | {route_not_found: [MESSAGE]}
parts and alternatives | application/json \
         | {oneOf: [{required: [a], properties: {a: {enum: [1]}}}, {allOf: [{required: [b], properties: {b: {enum: [2]}}}, {properties: {message: T}}]}]} \
         | {b: 2, message: MESSAGE}
required values of other kinds | application/json \
         | {required: [retries, path], properties: {message: T, retries: {type: integer, minimum: 1}, path: T}} \
         | {message: MESSAGE, retries: 1, path: ''}
a text | text/plain | T | MESSAGE
no text | application/json | {properties: {count: N}} | null
a text that is too short for the gate | application/json | {properties: {message: {type: string, maxLength: 5}}} | null
";

fn read(text: &str) -> Value {
    let mut text = text.to_owned();
    for end in [",", "}"] {
        text = text.replace(&format!(": T{end}"), &format!(": {{type: string}}{end}"));
        text = text.replace(&format!(": N{end}"), &format!(": {{type: integer}}{end}"));
    }
    let message = "the service cannot answer now; try again later";
    let text = text.replace("MESSAGE", message);
    let text = text.replace(": P/", &format!(": {message}/"));
    let text = text.replace("ID", "0f8fad5b-d9cb-469f-a165-70867728950e");
    let document = dropspec_model::Document::parse("a", &format!("a: {text}\n"));
    document.unwrap().root().to_json()["a"].clone()
}

#[test]
fn error_schemas_with_a_text_are_filled() {
    for row in FILLED.lines().skip(1) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [what, media_type, schema, expected] = columns[..] else {
            panic!("{row}");
        };
        let schema = if schema == "T" {
            "{type: string}"
        } else {
            schema
        };
        assert_eq!(
            body_of_404(media_type, read(schema)),
            read(expected),
            "{what}"
        );
    }
}

/// What an error schema is, its media type, the schema, and the body of a request with two problems. `P` is the text of a problem.
const OF_PROBLEMS: &str = "
RFC 9457 | application/problem+json | {properties: {title: T, detail: T}} \
         | {title: Unprocessable Entity, detail: MESSAGE, errors: [{pointer: '#/name', detail: P/name}, {pointer: '#/items/0/price', detail: P/items/0/price}]}
RFC 9457, closed | application/problem+json | {additionalProperties: false, properties: {title: T, detail: T}} \
         | {title: Unprocessable Entity, detail: MESSAGE}
RFC 7807 with a list | application/problem+json \
         | {properties: {detail: T, invalid-params: {type: array, items: {required: [name, reason], properties: {name: T, reason: T}}}}} \
         | {detail: MESSAGE, invalid-params: [{name: '#/name', reason: P/name}, {name: '#/items/0/price', reason: P/items/0/price}], errors: ERRORS}
FastAPI | application/json \
         | {properties: {detail: {type: array, items: {required: [loc, msg, type], properties: {\
            loc: {type: array, items: {anyOf: [{type: string}, {type: integer}]}}, msg: T, type: T}}}}} \
         | {detail: [{loc: [body, name], msg: P/name, type: validation_failed}, {loc: [body, items, 0, price], msg: P/items/0/price, type: validation_failed}]}
a list beside the message | application/json \
         | {properties: {message: T, errors: {type: array, items: {properties: {field: T, message: T}}}}} \
         | {message: MESSAGE, errors: [{field: /name, message: P/name}, {field: /items/0/price, message: P/items/0/price}]}
a list of one | application/json | {properties: {errors: {type: array, maxItems: 1, items: {properties: {message: T}}}}} | {errors: [{message: MESSAGE}]}
";

#[test]
fn each_problem_of_a_request_has_its_entry() {
    for row in OF_PROBLEMS.lines().skip(1) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [what, media_type, schema, expected] = columns[..] else {
            panic!("{row}");
        };
        let format = find(&document(media_type, read(schema)));
        let body = fill(&format.body, ("validation_failed", 422));
        let details = read(
            "[{pointer: '#/name', detail: P/name}, {pointer: '#/items/0/price', detail: P/items/0/price}]",
        );
        let mut expected = read(expected);
        if expected["errors"] == "ERRORS" {
            expected["errors"] = details;
        }
        assert_eq!(body, expected, "{what}");
        syn::parse_file(&format.render_file()).unwrap();
    }
}

#[test]
fn value_of_an_enumeration_is_chosen_by_the_words_of_code_and_status() {
    let grpc = "OK CANCELLED INVALID_ARGUMENT NOT_FOUND PERMISSION_DENIED RESOURCE_EXHAUSTED UNAUTHENTICATED UNAVAILABLE INTERNAL";
    let own = "ServerError BadRequest ResourceNotFound RateLimited Unauthorized";
    for (values, code, status, expected) in [
        (grpc, "route_not_found", 404, "NOT_FOUND"),
        (grpc, "validation_failed", 422, "INVALID_ARGUMENT"),
        (grpc, "insufficient_access", 403, "PERMISSION_DENIED"),
        (grpc, "missing_api_key", 401, "UNAUTHENTICATED"),
        (grpc, "rate_limit_exceeded", 429, "RESOURCE_EXHAUSTED"),
        (grpc, "unavailable", 503, "UNAVAILABLE"),
        (grpc, "not_implemented", 501, "INTERNAL"),
        (own, "body_too_large", 413, "BadRequest"),
        (own, "route_not_found", 404, "ResourceNotFound"),
        (own, "api_key_banned", 429, "RateLimited"),
        (own, "outcome_unknown", 500, "ServerError"),
        (own, "unavailable", 503, "ServerError"),
    ] {
        let values: Vec<&str> = values.split(' ').collect();
        assert_eq!(
            names::choose_by_words(&values, (code, status)),
            Some(expected),
            "{code}"
        );
    }
    assert_eq!(names::choose_by_words(&["red"], ("unavailable", 503)), None);
}

#[test]
fn choice_of_an_enumeration_is_written_as_rust() {
    let schema = json!({"type": "object", "required": ["kind"], "properties": {
        "kind": {"type": "string", "enum": ["Refused", "NotFound", "ServerError"]}, "message": {"type": "string"},
    }});
    let text = find(&document("application/json", schema)).render_file();
    for part in [
        "\"kind\": match error.code {",
        "\"route_not_found\" => \"NotFound\",",
        "_ => \"Refused\",",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    syn::parse_file(&text).unwrap();
}

#[test]
fn body_is_written_as_rust() {
    let text = json!({"type": "string"});
    let schema = json!({"type": "object", "properties": {
        "errors": {"type": "array", "items": {"type": "object", "properties": {
            "code": {"type": "integer"}, "message": text, "request_id": text, "instance": text,
        }}}
    }});
    let text = find(&document("application/json", schema)).render_file();
    let expected = r#"        json!({
            "errors": error.entries().iter().map(|problem| json!({
                "code": error.status.as_u16(),
                "message": problem.message,
                "request_id": error.request_id,
                "instance": format!("urn:uuid:{}", error.request_id)
            })).collect::<Vec<_>>()
        }).to_string()"#;
    assert!(text.contains(expected), "{text}");
    syn::parse_file(&text).unwrap();
}

#[test]
fn schema_with_the_most_telling_text_and_then_the_most_responses_wins() {
    let content = |schema: Value| json!({"content": {"application/json": {"schema": schema}}});
    let named =
        |name: &str| content(json!({"type": "object", "properties": {name: {"type": "string"}}}));
    let map = content(json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let get = |responses: Value| json!({"get": {"responses": responses}});
    let document = json!({"paths": {
        "/a": get(json!({"400": map, "401": map, "402": map, "403": map})),
        "/b": get(json!({"400": named("detail"), "401": named("message"), "default": named("message"), "200": named("detail")})),
    }});
    assert_eq!(find(&document).body, json!({"message": body::MESSAGE}));
}

#[test]
fn component_that_no_error_response_has_is_not_taken_whatever_its_name() {
    let measured = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
    let document = json!({
        "paths": {"/a": {"get": {"responses": {"200": measured, "404": {"description": "None."}}}}},
        "components": {"schemas": {"Error": {"type": "object", "properties": {
            "message": {"type": "string"}, "code": {"type": "string"}, "margin": {"type": "number"}
        }}}},
    });
    assert!(!find(&document).is_of_document);
    let mut failing = document.clone();
    failing["paths"]["/a"]["get"]["responses"]["4XX"] = measured;
    assert!(find(&failing).is_of_document);
}

/// The documents in a folder, in depth.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let found = paths.flat_map(|path| match path.extension() {
        _ if path.is_dir() => documents(&path),
        Some(end) if ["json", "yaml", "yml"].map(Some).contains(&end.to_str()) => vec![path],
        _ => Vec::new(),
    });
    found.collect()
}

#[test]
fn error_schemas_of_real_services_are_recognized_and_bodies_are_valid() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing");
        println!("skipped: there is no corpus at {}", corpus.display());
        return;
    }
    let mut missing = Vec::new();
    for path in documents(&corpus) {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(document) = dropspec_model::Document::parse("a", &text) else {
            continue;
        };
        let document = document.root().to_json();
        let version = document["openapi"].as_str().unwrap_or_default();
        let bodies = error_bodies(&document);
        if !version.starts_with("3.0.") || bodies.is_empty() {
            continue;
        }
        let format = find(&document);
        println!("{}: {} {}", path.display(), format.media_type, format.body);
        let mut schemas = bodies.iter().filter(|body| body.0 == format.media_type);
        let is_valid = schemas.any(|(_, schema)| {
            let validator = compile(&document, schema, Direction::Response).unwrap();
            let mut bodies = SAMPLES.into_iter().map(|sample| fill(&format.body, sample));
            bodies.all(|body| validator.is_valid(&body))
        });
        if !(format.is_of_document && is_valid) {
            missing.push(path);
        }
    }
    assert!(missing.is_empty(), "not recognized: {missing:?}");
}
