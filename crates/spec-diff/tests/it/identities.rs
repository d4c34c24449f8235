//! Rewriting a document without changing its meaning gives no findings.
#![allow(clippy::unwrap_used)]

use serde_json::{Map, Value, json};

use crate::common::{corpus, diff, document, ids, parse, petstore, pointers, policy};

/// How many references of a document are inlined.
const REFERENCES: usize = 5;

/// The documents of the corpus, and the released document.
fn documents() -> Vec<(String, Value)> {
    let mut documents = corpus("contract-diff/data");
    documents.push(("petstore".to_owned(), parse(&petstore()).root().to_json()));
    documents
}

/// The documents of all corpora, and the released document.
fn all_documents() -> Vec<(String, Value)> {
    let mut documents = documents();
    documents.extend(corpus("openapi"));
    documents
}

/// Asserts that a rewritten document has no findings, in both directions.
fn assert_same(name: &str, how: &str, document: &Value, rewritten: &Value) {
    for (base, revision) in [(document, rewritten), (rewritten, document)] {
        let mut found = diff(base, revision);
        // It says what the comparison leaves out, not that something has changed.
        found.retain(|finding| ids(std::slice::from_ref(finding)) != ["not-compared"]);
        assert!(
            found.is_empty(),
            "{name}: {how} has findings {:?}: {}",
            ids(&found),
            found[0].message
        );
    }
}

#[test]
fn document_equals_itself() {
    for (name, value) in all_documents() {
        let document = document(&value);
        let found = spec_diff::diff(&document, &document, &policy());
        assert!(found.is_empty(), "{name}: {:?}", ids(&found));
    }
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

#[test]
fn order_of_lists_without_order_has_no_findings() {
    fn reverse(key: &str, value: &mut Value) {
        // These contain values, which have any keys and whose lists have an order.
        let is_value = ["example", "examples", "default"].contains(&key) || key.starts_with("x-");
        if is_value {
            return;
        }
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    reverse(key, member);
                }
            }
            Value::Array(items) => {
                if UNORDERED.contains(&key) {
                    items.reverse();
                }
                for item in items.iter_mut().filter(|_| key != "enum") {
                    // The scopes of a requirement have no order either.
                    match item {
                        Value::Object(schemes) if key == "security" => {
                            let scopes = schemes.values_mut().filter_map(Value::as_array_mut);
                            scopes.for_each(|scopes| scopes.reverse());
                        }
                        _ => reverse("", item),
                    }
                }
            }
            _ => {}
        }
    }
    for (name, value) in all_documents()
        .into_iter()
        // The order of the parameters of a webhook still counts.
        .filter(|(name, _)| !name.contains("/v3_1/"))
    {
        let mut reversed = value.clone();
        reverse("", &mut reversed);
        assert_same(&name, "the order of lists", &value, &reversed);
    }
}

#[test]
fn order_of_keys_has_no_findings() {
    fn reversed(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let members = members.iter().rev();
                Value::Object(members.map(|(k, v)| (k.clone(), reversed(v))).collect())
            }
            Value::Array(items) => items.iter().map(reversed).collect(),
            other => other.clone(),
        }
    }
    for (name, value) in documents() {
        assert_same(&name, "the order of keys", &value, &reversed(&value));
    }
}

#[test]
fn inlined_reference_has_no_findings() {
    for (name, value) in documents() {
        // Inlining loses the names that a discriminator without a mapping uses.
        if implied_names(&value) {
            continue;
        }
        let mut references = pointers(&value);
        references.retain(|pointer| {
            value
                .pointer(pointer)
                .is_some_and(|v| v.get("$ref").is_some())
        });
        let step = references.len() / REFERENCES + 1;
        for pointer in references.into_iter().step_by(step) {
            let Some(target) = value.pointer(&pointer).and_then(|v| v.get("$ref")) else {
                continue;
            };
            let target = target.as_str().unwrap_or_default();
            let Some(inlined) = target.strip_prefix('#').and_then(|p| value.pointer(p)) else {
                continue;
            };
            let mut rewritten = value.clone();
            *rewritten.pointer_mut(&pointer).unwrap() = inlined.clone();
            assert_same(&name, &format!("inlining {pointer}"), &value, &rewritten);
        }
    }
}

#[test]
fn renamed_component_has_no_findings() {
    for (name, value) in documents() {
        let schemas = value
            .pointer("/components/schemas")
            .and_then(Value::as_object);
        for component in schemas
            .into_iter()
            .flatten()
            .map(|(component, _)| component)
        {
            if implied_names(&value) {
                continue;
            }
            let old = format!("\"#/components/schemas/{component}\"");
            let new = format!("\"#/components/schemas/{component}Renamed\"");
            let text = value.to_string().replace(&old, &new);
            let mut rewritten: Value = serde_json::from_str(&text).unwrap();
            let schemas = rewritten.pointer_mut("/components/schemas").unwrap();
            let schemas = schemas.as_object_mut().unwrap();
            let schema = schemas.remove(component).unwrap();
            schemas.insert(format!("{component}Renamed"), schema);
            assert_same(&name, &format!("renaming {component}"), &value, &rewritten);
        }
    }
}

/// Whether a discriminator uses the names of components.
fn implied_names(document: &Value) -> bool {
    pointers(document).iter().any(|pointer| {
        let discriminator = document
            .pointer(pointer)
            .and_then(|v| v.get("discriminator"));
        discriminator.is_some_and(|discriminator| discriminator.get("mapping").is_none())
    })
}

/// The pointers of schemas that can be split in two.
fn splittable(value: &Value) -> Vec<String> {
    let mut found = pointers(value);
    found.retain(|pointer| {
        let is_schema = |schema: &Value| {
            let members = schema.as_object();
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.is_some_and(|properties| properties.len() > 1)
                && schema.get("additionalProperties") != Some(&Value::Bool(false))
                && members.is_some_and(|members| !members.contains_key("allOf"))
        };
        let example = pointer.contains("/example");
        !example && value.pointer(pointer).is_some_and(is_schema)
    });
    found
}

#[test]
fn schema_split_into_all_of_has_no_findings() {
    for (name, value) in documents() {
        for pointer in splittable(&value) {
            let schema = value.pointer(&pointer).unwrap().clone();
            let mut wrapped = value.clone();
            *wrapped.pointer_mut(&pointer).unwrap() = json!({ "allOf": [schema] });
            assert_same(&name, &format!("wrapping {pointer}"), &value, &wrapped);

            let mut rest = schema.as_object().unwrap().clone();
            if matches!(rest.get("additionalProperties"), Some(Value::Object(_))) {
                continue;
            }
            let mut properties = rest
                .remove("properties")
                .unwrap()
                .as_object()
                .unwrap()
                .clone();
            let first = properties.keys().next().unwrap().clone();
            let moved = properties.remove(&first).unwrap();
            rest.insert("properties".into(), Value::Object(properties));
            let mut other = Map::new();
            other.insert("properties".into(), json!({ first: moved }));
            if let Some(kind) = rest.get("type") {
                other.insert("type".into(), kind.clone());
            }
            if let Some(required) = rest.remove("required") {
                other.insert("required".into(), required);
            }
            let mut split = value.clone();
            *split.pointer_mut(&pointer).unwrap() = json!({ "allOf": [rest, other] });
            assert_same(&name, &format!("splitting {pointer}"), &value, &split);
        }
    }
}
