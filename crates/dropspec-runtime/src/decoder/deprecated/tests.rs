//! Tests of `deprecated`.

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::tests::document;
use crate::{DecodedRequest, Decoder, Method, OperationInfo, PathParameters};

const OPERATIONS: [OperationInfo; 1] = [OperationInfo::new("create", Method::Post, "/nodes")];

/// A decoder of an operation with these parameters and this content of its body.
fn decoder(parameters: Value, content: Value) -> Decoder {
    let document = document(json!({
        "openapi": "3.0.3",
        "info": { "title": "t", "version": "1.0.0" },
        "paths": { "/nodes": { "post": {
            "operationId": "create",
            "parameters": parameters,
            "requestBody": { "content": content },
            "responses": { "200": { "description": "d" } },
        } } },
        "components": { "schemas": {
            "Node": {
                "type": "object",
                "properties": {
                    "size": { "type": "integer", "deprecated": true },
                    "next": { "$ref": "#/components/schemas/Either" },
                    "all": { "type": "array", "items": { "$ref": "#/components/schemas/Node" } },
                    "named": { "type": "object", "additionalProperties": { "$ref": "#/components/schemas/Other" } },
                    "name": { "type": "string" },
                },
            },
            "Other": {
                "allOf": [
                    { "type": "object", "properties": { "old": { "$ref": "#/components/schemas/Old" } } },
                    { "type": "object", "properties": { "next": { "$ref": "#/components/schemas/Either" } } },
                ],
            },
            "Old": { "type": "string", "deprecated": true },
            "Either": { "anyOf": [{ "$ref": "#/components/schemas/Node" }, { "$ref": "#/components/schemas/Other" }] },
        } },
    }));
    Decoder::new(document, &OPERATIONS).unwrap()
}

fn json_body() -> Value {
    json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Node" } } })
}

/// The names of the inputs that a request uses.
fn used<'d>(
    decoder: &'d Decoder,
    query: &str,
    headers: &[(&'static str, &'static str)],
    body: Option<&Value>,
) -> Vec<&'d str> {
    let text = body.map(Value::to_string).unwrap_or_default();
    let pairs = headers
        .iter()
        .chain(body.map(|_| &("content-type", "application/json")));
    let headers =
        pairs.map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
    let headers: http::HeaderMap = headers.collect();
    assert_eq!(headers.contains_key(CONTENT_TYPE), body.is_some());
    let path = PathParameters::default();
    let parameters = decoder
        .decode_parameters(0, &path, Some(query), &headers)
        .unwrap();
    let media_type = decoder.select_media_type(0, &headers).unwrap();
    let body = decoder.decode_body(0, media_type, text.as_bytes()).unwrap();
    let request = DecodedRequest::new(parameters, body);
    let found = decoder.find_deprecated_inputs(0, Some(query), &headers, &request);
    let names = decoder.deprecated_inputs(0);
    found
        .into_iter()
        .map(|index| names[index].as_str())
        .collect()
}

#[test]
fn parameters_are_used_if_they_are_sent_and_not_if_only_their_default_counts() {
    let decoder = decoder(
        json!([
            { "name": "limit", "in": "query", "deprecated": true, "schema": { "type": "integer", "default": 20 } },
            { "name": "page", "in": "query", "schema": { "type": "integer" } },
            { "name": "X-Old", "in": "header", "deprecated": true, "schema": { "type": "string" } },
            { "name": "old", "in": "cookie", "deprecated": true, "schema": { "type": "string" } },
            {
                "name": "filter", "in": "query", "deprecated": true, "style": "deepObject",
                "schema": { "type": "object", "properties": { "name": { "type": "string" } } },
            },
        ]),
        json_body(),
    );
    let used = |query, headers| used(&decoder, query, headers, None);
    assert!(used("page=2", &[]).is_empty());
    assert_eq!(used("limit=20", &[]), ["query parameter limit"]);
    assert_eq!(used("filter[name]=x", &[]), ["query parameter filter"]);
    let headers = [("x-old", "1"), ("cookie", "a=b; old=1")];
    assert_eq!(used("", &headers), ["header X-Old", "cookie old"]);
}

#[test]
fn properties_are_used_wherever_in_the_body_they_are() {
    const SIZE: &str = "/components/schemas/Node/properties/size";
    const OLD: &str = "/components/schemas/Other/allOf/0/properties/old";
    let decoder = decoder(json!([]), json_body());
    let used = |body: Value| used(&decoder, "", &[], Some(&body));
    assert!(used(json!({ "name": "x", "all": [{ "name": "y" }] })).is_empty());
    assert_eq!(used(json!({ "size": 1 })), [SIZE]);
    assert_eq!(
        used(json!({ "all": [{}, { "next": { "size": 1 } }] })),
        [SIZE]
    );
    assert_eq!(used(json!({ "named": { "a": { "old": "x" } } })), [OLD]);
    let mut found = used(json!({ "next": { "old": "x", "next": { "size": 1 } } }));
    found.sort_unstable();
    assert_eq!(found, [SIZE, OLD]);
}

/// Otherwise each level would double the work.
#[test]
fn deep_body_of_two_alternatives_is_visited_once() {
    let decoder = decoder(json!([]), json_body());
    let deep = (0..100).fold(json!({}), |inner, _| json!({ "next": inner }));
    assert!(used(&decoder, "", &[], Some(&deep)).is_empty());
}

#[test]
fn what_cannot_be_recognized_in_every_request_is_not_listed() {
    let any_names = json!([{
        "name": "rest", "in": "query", "deprecated": true,
        "schema": { "type": "object", "additionalProperties": { "type": "string" } },
    }]);
    let mut content = json_body();
    content["multipart/form-data"] = content["application/json"].clone();
    let listed = decoder(any_names, content);
    assert!(listed.deprecated_inputs(0).is_empty());
    let listed = decoder(json!([]), json_body());
    assert_eq!(listed.deprecated_inputs(0).len(), 2);
}
