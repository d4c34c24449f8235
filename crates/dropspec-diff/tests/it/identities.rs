//! Rewriting a document without changing its meaning gives no findings.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::common::{corpus, diff, ids, parse, petstore, pointers};

/// How many places of a document are rewritten in one way.
const PLACES: usize = 5;

/// The documents of the corpus, and the released document.
fn documents() -> Vec<(String, Value)> {
    let mut documents = corpus("contract-diff/data");
    documents.push(("petstore".to_owned(), parse(&petstore()).root().to_json()));
    documents
}

/// Asserts that a rewritten document has no findings, in both directions.
fn assert_same(name: &str, how: &str, document: &Value, rewritten: &Value) {
    for (base, revision) in [(document, rewritten), (rewritten, document)] {
        let mut found = diff(base, revision);
        // It says what the comparison leaves out, not that something has changed.
        found.retain(|finding| ids(std::slice::from_ref(finding)) != ["not-compared"]);
        assert!(found.is_empty(), "{name}: {how}: {found:?}");
    }
}

/// Some of the pointers at which a document has a value of a kind.
fn places(document: &Value, is_wanted: impl Fn(&str, &Value) -> bool) -> Vec<String> {
    let mut found = pointers(document);
    found.retain(|pointer| is_wanted(pointer, document.pointer(pointer).unwrap()));
    let step = found.len() / PLACES + 1;
    found.into_iter().step_by(step).collect()
}

/// The document with another value at a pointer.
fn with(document: &Value, pointer: &str, value: Value) -> Value {
    let mut rewritten = document.clone();
    *rewritten.pointer_mut(pointer).unwrap() = value;
    rewritten
}

/// The keywords whose lists have no order.
const UNORDERED: [&str; 7] = [
    "required",
    "enum",
    "security",
    "tags",
    "parameters",
    "oneOf",
    "anyOf",
];

/// Reverses the order of keys, and of the lists of `unordered` keywords.
fn reverse(key: &str, value: &Value, unordered: &[&str]) -> Value {
    // These contain values, whose lists have an order.
    let is_value = ["example", "examples", "default"].contains(&key) || key.starts_with("x-");
    let inside = if is_value || key == "enum" {
        &[]
    } else {
        unordered
    };
    match value {
        Value::Object(members) => {
            let members = members.iter().rev();
            let members = members.map(|(key, member)| (key.clone(), reverse(key, member, inside)));
            Value::Object(members.collect())
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| reverse("", item, inside));
            let mut items: Vec<Value> = items.collect();
            if unordered.contains(&key) {
                items.reverse();
            }
            Value::Array(items)
        }
        other => other.clone(),
    }
}

#[test]
fn document_equals_itself_in_another_order() {
    let mut documents = documents();
    documents.extend(corpus("openapi"));
    for (name, value) in documents {
        // The order of the parameters of a webhook still counts.
        let unordered = if name.contains("/v3_1/") {
            &[]
        } else {
            &UNORDERED[..]
        };
        assert_same(&name, "the order", &value, &reverse("", &value, unordered));
    }
}

#[test]
fn inlined_references_and_renamed_components_have_no_findings() {
    for (name, value) in documents() {
        // Both lose the names of schemas that a discriminator selects without its mapping.
        let implies_names = |_: &str, value: &Value| {
            let discriminator = value.get("discriminator");
            let lists = ["oneOf", "anyOf"]
                .iter()
                .filter_map(|it| value.get(it)?.as_array());
            let members: Vec<&Value> = lists.flatten().map(|it| &it["$ref"]).collect();
            let is_partial = |it: &Value| {
                let mapping = it.get("mapping").and_then(Value::as_object);
                let is_mapped = |member| mapping?.values().find(|it| *it == member);
                mapping.is_none() || members.iter().any(|it| is_mapped(*it).is_none())
            };
            discriminator.is_some_and(is_partial)
        };
        if !places(&value, implies_names).is_empty() {
            continue;
        }
        for pointer in places(&value, |_, it| it.get("$ref").is_some()) {
            let target = value.pointer(&pointer).unwrap()["$ref"].as_str();
            let target = target.and_then(|it| value.pointer(it.strip_prefix('#')?));
            if let Some(target) = target {
                let inlined = with(&value, &pointer, target.clone());
                assert_same(&name, &format!("inlining {pointer}"), &value, &inlined);
            }
        }
        let is_component = |pointer: &str, _: &Value| {
            let name = pointer.strip_prefix("/components/schemas/");
            name.is_some_and(|name| !name.contains('/'))
        };
        for pointer in places(&value, is_component) {
            let reference = |name: &str| format!("\"#{name}\"");
            let text = value.to_string();
            let text = text.replace(
                &reference(&pointer),
                &reference(&format!("{pointer}Renamed")),
            );
            let mut renamed: Value = serde_json::from_str(&text).unwrap();
            let schemas = renamed["components"]["schemas"].as_object_mut().unwrap();
            let component = pointer.rsplit('/').next().unwrap();
            let schema = schemas.remove(component).unwrap();
            schemas.insert(format!("{component}Renamed"), schema);
            assert_same(&name, &format!("renaming {pointer}"), &value, &renamed);
        }
    }
}

#[test]
fn schema_wrapped_in_all_of_has_no_findings() {
    for (name, value) in documents() {
        let is_schema = |pointer: &str, schema: &Value| {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.is_some_and(|it| it.len() > 1)
                && schema.get("allOf").is_none()
                && !pointer.contains("/example")
        };
        for pointer in places(&value, is_schema) {
            let schema = value.pointer(&pointer).unwrap();
            let wrapped = with(&value, &pointer, json!({ "allOf": [schema] }));
            assert_same(&name, &format!("wrapping {pointer}"), &value, &wrapped);
        }
    }
}
