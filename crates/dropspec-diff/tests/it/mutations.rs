//! Every mutation that changes the meaning of a document has a finding, and its instance is valid in one document only.
#![allow(clippy::unwrap_used)]

use dropspec_diff::{Finding, Side};
use dropspec_model::Document;
use dropspec_schema::{Direction, to_json_schema};
use serde_json::{Value, json};

use crate::common::{corpus, document, parse, petstore, pointers, policy};

/// The mutations of the value at a pointer: names and documents.
fn mutations(value: &Value, pointer: &str) -> Vec<(&'static str, Value)> {
    let mut mutations = Vec::new();
    let mut with = |what, change: &dyn Fn(&mut Value)| {
        let mut mutated = value.clone();
        change(mutated.pointer_mut(pointer).unwrap());
        if mutated != *value {
            mutations.push((what, mutated));
        }
    };
    match value.pointer(pointer).unwrap() {
        Value::String(_) => with("longer", &|v| {
            *v = json!(format!("{}x", v.as_str().unwrap()))
        }),
        Value::Number(_) => with("greater", &|v| *v = json!(v.as_f64().unwrap() + 1.0)),
        Value::Bool(_) => with("opposite", &|v| *v = json!(!v.as_bool().unwrap())),
        Value::Object(_) => with("unknown key", &|v| {
            v.as_object_mut()
                .unwrap()
                .insert("unknownKey".into(), json!(1));
        }),
        Value::Array(_) => {
            with("other order", &|v| v.as_array_mut().unwrap().reverse());
            with("repeated", &|v| {
                let items = v.as_array_mut().unwrap();
                items.extend(items.first().cloned());
            });
            with("more", &|v| v.as_array_mut().unwrap().push(json!("more")));
        }
        Value::Null => with("a value", &|v| *v = json!(0)),
    }
    if let Some((parent, key)) = pointer.rsplit_once('/') {
        let mut mutated = value.clone();
        let key = dropspec_schema::pointer::unescape(key);
        match mutated.pointer_mut(parent).unwrap() {
            Value::Object(members) => {
                members.remove(&key);
            }
            Value::Array(items) => {
                items.remove(key.parse().unwrap());
            }
            _ => {}
        }
        mutations.push(("removed", mutated));
    }
    mutations
}

/// Lists whose order and repetitions have no meaning.
const SETS: &str =
    "allOf anyOf enum oneOf parameters required security servers tags x-extensible-enum";

/// Whether a value is an example or part of an extension.
fn is_example(pointer: &str) -> bool {
    ["/example", "/default", "/x-"]
        .iter()
        .any(|part| pointer.contains(part))
        && !pointer.ends_with("/x-extensible-enum")
}

/// Whether a mutation keeps the meaning, by OpenAPI 3.0 or JSON Schema.
fn means_the_same(value: &Value, pointer: &str, what: &str) -> bool {
    let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", ""));
    let old = value.pointer(pointer).unwrap();
    let beside = value.pointer(parent).unwrap();
    let beside_reference = |at: &str| value.pointer(at).is_some_and(|v| v.get("$ref").is_some());
    // Siblings of a `$ref` have no meaning.
    if (key != "$ref" && beside_reference(parent))
        || (what == "unknown key" && beside_reference(pointer))
    {
        return true;
    }
    if key == "$ref" && what == "removed" {
        return false;
    }
    // The order of servers and tags matters to pages only.
    let is_scopes = parent.contains("/security/") && old.is_array();
    let set = (SETS.split(' ').any(|it| it == key) || is_scopes) && !is_example(pointer);
    if set && (what == "other order" || (what == "repeated" && key != "oneOf")) {
        return true;
    }
    // Other schemas of an `allOf` may have the same keyword.
    if what == "removed" && is_in_all_of(value, parent) {
        return true;
    }
    // A member that `anyOf` has twice.
    if what == "removed" && parent.ends_with("/anyOf") {
        let target = |member: &Value| match member.get("$ref").and_then(Value::as_str) {
            Some(reference) => value.pointer(reference.trim_start_matches('#')).cloned(),
            None => Some(member.clone()),
        };
        let members = beside.as_array().into_iter().flatten();
        return members.filter(|it| target(it) == target(old)).count() > 1;
    }
    match (key, what) {
        // Defaults.
        (_, "removed") if *old == json!(false) => true,
        ("style" | "explode" | "in", "removed") => key != "in",
        // An absent list or object equals an empty one.
        (_, "removed") if *old == json!([]) || *old == json!({}) => true,
        ("minLength" | "minItems" | "minProperties", "removed") if *old == json!(0) => true,
        ("additionalProperties", "removed") if *old == json!(true) => true,
        ("pattern" | "format", "removed") if *old == json!("") => true,
        // A path parameter is always required.
        ("required", _) if beside.get("in") == Some(&json!("path")) => true,
        // The defaults of the extensions.
        ("x-required-access", "removed") if *old == json!("read") => true,
        ("x-rate-limit-cost", "removed") if *old == json!(1) => true,
        // A flag without its bound has no meaning.
        ("exclusiveMinimum", _) => beside.get("minimum").is_none(),
        ("exclusiveMaximum", _) => beside.get("maximum").is_none(),
        _ => false,
    }
}

/// Whether a schema is inside a member of an `allOf`.
fn is_in_all_of(value: &Value, schema: &str) -> bool {
    let ends = schema.match_indices('/').map(|(end, _)| end);
    let around = ends.chain([schema.len()]);
    let around: Vec<Value> = around
        .map(|end| json!({ "$ref": format!("#{}", &schema[..end]) }))
        .collect();
    schema.contains("/allOf/")
        || pointers(value).iter().any(|pointer| {
            let list = value
                .pointer(pointer)
                .and_then(|it| it.get("allOf")?.as_array());
            list.is_some_and(|list| around.iter().any(|member| list.contains(member)))
        })
}

/// Mutates one of every `step` values of each document; all of them take minutes.
fn assert_all_reported(documents: Vec<(String, Value)>, step: usize) {
    for (name, value) in documents {
        let base = document(&value);
        let pointers = pointers(&value);
        let sample: Vec<&String> = pointers.iter().step_by(step).collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let unreported: Vec<String> = std::thread::scope(|scope| {
            let chunks = sample.chunks(sample.len().div_ceil(threads));
            let (value, base) = (&value, &base);
            let threads: Vec<_> = chunks
                .map(|chunk| scope.spawn(move || find_unreported(value, base, chunk)))
                .collect();
            let found = threads.into_iter().map(|thread| thread.join().unwrap());
            found.flatten().collect()
        });
        let count = unreported.len();
        let list = unreported.join("\n");
        assert!(
            count == 0,
            "{name}: {count} mutations without findings:\n{list}"
        );
    }
}

/// Mutates the values at some pointers; returns mutations that change the meaning and have no findings.
fn find_unreported(value: &Value, base: &Document, pointers: &[&String]) -> Vec<String> {
    let mut unreported = Vec::new();
    for pointer in pointers {
        for (what, mutated) in mutations(value, pointer) {
            let Ok(revision) = Document::parse("api.yaml", &mutated.to_string()) else {
                continue;
            };
            for (base, revision) in [(base, &revision), (&revision, base)] {
                let findings = dropspec_diff::diff(base, revision, &policy());
                if findings.is_empty() && !means_the_same(value, pointer, what) {
                    unreported.push(format!("{pointer}: {what}"));
                }
                for finding in &findings {
                    assert_instance_holds(base, revision, finding);
                }
            }
        }
    }
    unreported
}

fn assert_instance_holds(base: &Document, revision: &Document, finding: &Finding) {
    let Some(instance) = &finding.instance else {
        return;
    };
    let direction = match instance.accepted_by {
        Side::Base => Direction::Request,
        Side::Revision => Direction::Response,
    };
    let accepts = |document: &Document, pointer: &str| {
        let document = document.root().to_json();
        let schema = document.pointer(pointer).unwrap();
        let schema = to_json_schema(&document, schema, direction).unwrap();
        let validator = dropspec_schema::build_validator(&schema).unwrap();
        validator.is_valid(&instance.value)
    };
    let old = accepts(base, &instance.base_schema);
    let new = accepts(revision, &instance.revision_schema);
    let holds = old != new && old == (instance.accepted_by == Side::Base);
    assert!(holds, "{}: {}", finding.message, instance.value);
}

#[test]
fn every_mutation_of_every_field_has_a_finding() {
    let value = parse(include_str!("everything.yaml")).root().to_json();
    assert_all_reported(vec![("everything".to_owned(), value)], 1);
}

#[test]
fn sampled_mutations_of_released_document_and_corpus_have_findings() {
    let value = parse(&petstore()).root().to_json();
    assert_all_reported(vec![("petstore".to_owned(), value)], 47);
    assert_all_reported(corpus("contract-diff/data"), 79);
}
