//! The document that dropshot emits from the trait equals the bundle of `spec/petstore.yaml`, except for a list of changes that
//! dropshot cannot avoid. The list must not grow.
#![allow(clippy::unwrap_used)]

use petstore_api::{DOCUMENT, petstore_api_mod};
use serde_json::{Map, Value, json};
use similar::TextDiff;

/// Changes the written document as the trait does.
type Change = fn(&mut Value);

/// What dropshot changes, and the same change of the written document.
const EXCEPTIONS: [(&str, Change); 14] = [
    (
        "references to parameters, headers, responses and examples are inlined",
        inline_references,
    ),
    (
        "the parameters of a path are repeated by each of its operations",
        repeat_path_parameters,
    ),
    (
        "parameters are sorted: path, query, header, each by name",
        sort_parameters,
    ),
    ("tags are sorted by name", sort_tags),
    ("`info` has neither description nor license", remove_info),
    ("servers are omitted", |document| {
        remove_member(document, "servers")
    }),
    ("security is omitted", remove_security),
    (
        "what the gate adds is omitted (headers, parameters, 304), and headers have their default style",
        remove_gate_additions,
    ),
    ("extensions are omitted", remove_extensions),
    ("examples are omitted", remove_examples),
    (
        "line breaks in the descriptions of operations are spaces",
        join_lines,
    ),
    (
        "success responses have the descriptions of dropshot",
        describe_successes,
    ),
    (
        "errors are declared by class, with one component and without headers",
        classify_errors,
    ),
    ("`required` lists are sorted", sort_required),
];

#[test]
fn document_of_the_trait_equals_the_written_document_but_for_the_exceptions() {
    assert_eq!(EXCEPTIONS.len(), 14, "the list of exceptions must not grow");
    let expected = apply_exceptions(None);
    let emitted = emit_document();
    let [written, found] = [&expected, &emitted].map(|document| format!("{document:#}"));
    let diff = TextDiff::from_lines(&written, &found);
    assert!(expected == emitted, "{}", diff.unified_diff());
}

#[test]
fn every_listed_exception_is_needed() {
    let emitted = emit_document();
    for (index, (name, _)) in EXCEPTIONS.iter().enumerate() {
        assert!(
            apply_exceptions(Some(index)) != emitted,
            "no longer needed: {name}"
        );
    }
}

fn emit_document() -> Value {
    let api = petstore_api_mod::stub_api_description().unwrap();
    let info = &DOCUMENT.json()["info"];
    let version = info["version"].as_str().unwrap().parse().unwrap();
    api.openapi(info["title"].as_str().unwrap(), version)
        .json()
        .unwrap()
}

/// The written document after all changes but one.
fn apply_exceptions(skipped: Option<usize>) -> Value {
    let mut document = DOCUMENT.json().clone();
    for (index, (_, change)) in EXCEPTIONS.iter().enumerate() {
        if Some(index) != skipped {
            change(&mut document);
        }
    }
    document
}

fn inline_references(document: &mut Value) {
    fn expand(value: &mut Value, root: &Value) {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str)
            && !reference.starts_with("#/components/schemas/")
        {
            *value = root.pointer(&reference[1..]).unwrap().clone();
        }
        for child in children(value) {
            expand(child, root);
        }
    }
    let root = document.clone();
    expand(document, &root);
    for shared in ["parameters", "headers", "responses", "examples"] {
        remove_member(&mut document["components"], shared);
    }
}

fn repeat_path_parameters(document: &mut Value) {
    for item in children(&mut document["paths"]) {
        let shared = item.as_object_mut().unwrap().remove("parameters");
        let shared = shared
            .as_ref()
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        for operation in children(item).filter(|_| !shared.is_empty()) {
            let own = operation
                .as_object_mut()
                .unwrap()
                .entry("parameters")
                .or_insert(json!([]));
            own.as_array_mut().unwrap().extend(shared.iter().cloned());
        }
    }
}

fn sort_parameters(document: &mut Value) {
    let key = |parameter: &Value| {
        let place = ["path", "query", "header"]
            .iter()
            .position(|place| parameter["in"] == *place);
        (
            place,
            parameter["name"].as_str().unwrap_or_default().to_owned(),
        )
    };
    for operation in operations(document) {
        if let Some(parameters) = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut)
        {
            parameters.sort_by_key(key);
        }
    }
}

fn sort_tags(document: &mut Value) {
    let tags = document["tags"].as_array_mut().unwrap();
    tags.sort_by_key(|tag| tag["name"].as_str().unwrap().to_owned());
}

fn remove_info(document: &mut Value) {
    remove_member(&mut document["info"], "description");
    remove_member(&mut document["info"], "license");
}

fn remove_security(document: &mut Value) {
    remove_member(document, "security");
    remove_member(&mut document["components"], "securitySchemes");
}

fn remove_extensions(document: &mut Value) {
    if let Value::Object(members) = document {
        members.retain(|name, _| !name.starts_with("x-"));
    }
    for child in children(document) {
        remove_extensions(child);
    }
}

fn remove_examples(document: &mut Value) {
    for operation in operations(document) {
        let body = operation
            .get_mut("requestBody")
            .map(|body| &mut body["content"]);
        for media_type in body.into_iter().flat_map(children) {
            remove_member(media_type, "example");
        }
        for response in children(&mut operation["responses"]) {
            for media_type in response.get_mut("content").into_iter().flat_map(children) {
                remove_member(media_type, "example");
                remove_member(media_type, "examples");
            }
        }
    }
}

fn join_lines(document: &mut Value) {
    for operation in operations(document) {
        if let Some(Value::String(text)) = operation.get_mut("description") {
            *text = text.trim().replace('\n', " ");
        }
    }
}

fn describe_successes(document: &mut Value) {
    for operation in operations(document) {
        for (status, text) in [
            ("200", "successful operation"),
            ("201", "successful creation"),
            ("204", "successful deletion"),
        ] {
            if let Some(response) = operation["responses"].get_mut(status) {
                response["description"] = json!(text);
            }
        }
    }
}

fn remove_gate_additions(document: &mut Value) {
    for operation in operations(document) {
        remove_member(&mut operation["responses"], "304");
        if let Some(Value::Array(parameters)) = operation.get_mut("parameters") {
            parameters.retain(|parameter| parameter.get("x-handled-by").is_none());
        }
        for response in children(&mut operation["responses"]) {
            let Some(headers) = response.get_mut("headers").and_then(Value::as_object_mut) else {
                continue;
            };
            headers.retain(|_, header| header.get("x-supplied-by").is_none());
            for header in headers.values_mut() {
                header["style"] = json!("simple");
            }
            if headers.is_empty() {
                remove_member(response, "headers");
            }
        }
    }
}

fn classify_errors(document: &mut Value) {
    for operation in operations(document) {
        let responses = operation["responses"].as_object_mut().unwrap();
        responses.retain(|status, _| !status.starts_with(['4', '5']));
        for class in ["4XX", "5XX"] {
            responses.insert(
                class.to_owned(),
                json!({ "$ref": "#/components/responses/Error" }),
            );
        }
    }
    document["components"]["responses"] = json!({
        "Error": {
            "description": "Error",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
        },
    });
}

fn sort_required(document: &mut Value) {
    if let Some(required) = document.get_mut("required").and_then(Value::as_array_mut) {
        required.sort_by_key(|name| name.as_str().unwrap_or_default().to_owned());
    }
    for child in children(document) {
        sort_required(child);
    }
}

fn remove_member(value: &mut Value, key: &str) {
    if let Some(members) = value.as_object_mut() {
        members.shift_remove(key);
    }
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    children(&mut document["paths"])
        .flat_map(members)
        .filter_map(|(key, operation)| (key != "parameters").then_some(operation))
}

fn members(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flat_map(Map::iter_mut)
}

fn children(value: &mut Value) -> Box<dyn Iterator<Item = &mut Value> + '_> {
    match value {
        Value::Object(members) => Box::new(members.values_mut()),
        Value::Array(items) => Box::new(items.iter_mut()),
        _ => Box::new(std::iter::empty()),
    }
}
