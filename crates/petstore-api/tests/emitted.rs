//! The document that dropshot emits from the trait says what `spec/petstore.yaml` says, in all that dropshot can express.
//! What it cannot is listed here by name, and the list only shrinks.
#![allow(clippy::unwrap_used)]

use petstore_api::{DOCUMENT, petstore_api_mod};
use serde_json::{Map, Value, json};

/// Does to the spec what happens to it on its way through the trait.
type Step = fn(&mut Value);

/// What of the spec is lost or changed on the way, each as the step that does the same to the spec.
const EXCEPTIONS: [(&str, Step); 14] = [
    (
        "references to shared parameters, headers, responses and examples are written out",
        write_references_out,
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
    ("of `info`, a trait knows nothing", forget_info),
    ("servers are not known", |spec| forget(spec, "servers")),
    ("security is not known", forget_security),
    (
        "headers of the gate are not the trait's, and headers say their default style",
        keep_own_headers,
    ),
    ("extensions are not known", forget_extensions),
    ("examples are not known", forget_examples),
    (
        "line breaks in the descriptions of operations are spaces",
        join_lines,
    ),
    (
        "success responses have descriptions of dropshot's own",
        describe_successes,
    ),
    (
        "errors are declared by class, all with one shared response, without headers",
        classify_errors,
    ),
    ("`required` lists are sorted", sort_required),
];

#[test]
fn the_trait_says_what_the_spec_says() {
    assert_eq!(EXCEPTIONS.len(), 14, "the list of exceptions only shrinks");
    let expected = normalized(None);
    let emitted = emitted();
    for difference in differences("", &expected, &emitted) {
        eprintln!("{difference}");
    }
    assert!(expected == emitted, "see the differences above");
}

#[test]
fn every_exception_is_needed() {
    let emitted = emitted();
    for (index, (name, _)) in EXCEPTIONS.iter().enumerate() {
        assert!(
            normalized(Some(index)) != emitted,
            "not needed any more: {name}"
        );
    }
}

fn emitted() -> Value {
    let api = petstore_api_mod::stub_api_description().unwrap();
    let info = &DOCUMENT.json()["info"];
    let version = info["version"].as_str().unwrap().parse().unwrap();
    api.openapi(info["title"].as_str().unwrap(), version)
        .json()
        .unwrap()
}

/// The spec after all steps, but for one.
fn normalized(skipped: Option<usize>) -> Value {
    let mut spec = DOCUMENT.json().clone();
    for (index, (_, step)) in EXCEPTIONS.iter().enumerate() {
        if Some(index) != skipped {
            step(&mut spec);
        }
    }
    spec
}

fn write_references_out(spec: &mut Value) {
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
    let root = spec.clone();
    expand(spec, &root);
    for shared in ["parameters", "headers", "responses", "examples"] {
        forget(&mut spec["components"], shared);
    }
}

fn repeat_path_parameters(spec: &mut Value) {
    for item in children(&mut spec["paths"]) {
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

fn sort_parameters(spec: &mut Value) {
    let key = |parameter: &Value| {
        let place = ["path", "query", "header"]
            .iter()
            .position(|place| parameter["in"] == *place);
        (
            place,
            parameter["name"].as_str().unwrap_or_default().to_owned(),
        )
    };
    for operation in operations(spec) {
        if let Some(parameters) = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut)
        {
            parameters.sort_by_key(key);
        }
    }
}

fn sort_tags(spec: &mut Value) {
    let tags = spec["tags"].as_array_mut().unwrap();
    tags.sort_by_key(|tag| tag["name"].as_str().unwrap().to_owned());
}

fn forget_info(spec: &mut Value) {
    forget(&mut spec["info"], "description");
    forget(&mut spec["info"], "license");
}

fn forget_security(spec: &mut Value) {
    forget(spec, "security");
    forget(&mut spec["components"], "securitySchemes");
}

fn forget_extensions(spec: &mut Value) {
    if let Value::Object(members) = spec {
        members.retain(|name, _| !name.starts_with("x-"));
    }
    for child in children(spec) {
        forget_extensions(child);
    }
}

fn forget_examples(spec: &mut Value) {
    for operation in operations(spec) {
        let body = operation
            .get_mut("requestBody")
            .map(|body| &mut body["content"]);
        for media_type in body.into_iter().flat_map(children) {
            forget(media_type, "example");
        }
        for response in children(&mut operation["responses"]) {
            for media_type in response.get_mut("content").into_iter().flat_map(children) {
                forget(media_type, "example");
                forget(media_type, "examples");
            }
        }
    }
}

fn join_lines(spec: &mut Value) {
    for operation in operations(spec) {
        if let Some(Value::String(text)) = operation.get_mut("description") {
            *text = text.trim().replace('\n', " ");
        }
    }
}

fn describe_successes(spec: &mut Value) {
    for operation in operations(spec) {
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

fn keep_own_headers(spec: &mut Value) {
    for operation in operations(spec) {
        for response in children(&mut operation["responses"]) {
            let Some(headers) = response.get_mut("headers").and_then(Value::as_object_mut) else {
                continue;
            };
            headers.retain(|_, header| header.get("x-supplied-by").is_none());
            for header in headers.values_mut() {
                header["style"] = json!("simple");
            }
            if headers.is_empty() {
                forget(response, "headers");
            }
        }
    }
}

fn classify_errors(spec: &mut Value) {
    for operation in operations(spec) {
        let responses = operation["responses"].as_object_mut().unwrap();
        responses.retain(|status, _| status.starts_with('2'));
        for class in ["4XX", "5XX"] {
            responses.insert(
                class.to_owned(),
                json!({ "$ref": "#/components/responses/Error" }),
            );
        }
    }
    spec["components"]["responses"] = json!({
        "Error": {
            "description": "Error",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
        },
    });
}

fn sort_required(spec: &mut Value) {
    if let Some(required) = spec.get_mut("required").and_then(Value::as_array_mut) {
        required.sort_by_key(|name| name.as_str().unwrap_or_default().to_owned());
    }
    for child in children(spec) {
        sort_required(child);
    }
}

fn forget(value: &mut Value, key: &str) {
    if let Some(members) = value.as_object_mut() {
        members.shift_remove(key);
    }
}

fn operations(spec: &mut Value) -> impl Iterator<Item = &mut Value> {
    children(&mut spec["paths"])
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

/// Where two documents differ, and how.
fn differences(place: &str, expected: &Value, emitted: &Value) -> Vec<String> {
    match (expected, emitted) {
        (Value::Object(a), Value::Object(b)) => {
            let missing = a
                .keys()
                .filter(|key| !b.contains_key(*key))
                .map(|key| format!("{place}/{key}: not emitted"));
            let extra = b
                .keys()
                .filter(|key| !a.contains_key(*key))
                .map(|key| format!("{place}/{key}: only emitted"));
            let inner = a.iter().filter_map(|(key, a)| Some((key, a, b.get(key)?)));
            let inner = inner.flat_map(|(key, a, b)| differences(&format!("{place}/{key}"), a, b));
            missing.chain(extra).chain(inner).collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs
                .flat_map(|(index, (a, b))| differences(&format!("{place}/{index}"), a, b))
                .collect()
        }
        (a, b) if a == b => Vec::new(),
        (a, b) => vec![format!("{place}: {a} is emitted as {b}")],
    }
}
