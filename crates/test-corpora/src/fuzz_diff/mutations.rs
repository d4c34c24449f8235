//! Random mutations of documents: most of them are no documents any more.

use fastrand::Rng;
use serde_json::Value;

/// Members that only OpenAPI 3.1 has, which a mutation adds to an object.
const NEWER_MEMBERS: [(&str, &str); 16] = [
    ("const", "1"),
    ("type", "[\"string\", \"null\"]"),
    ("exclusiveMinimum", "3"),
    ("prefixItems", "[{\"type\": \"string\"}, true]"),
    ("contains", "{\"const\": 1}"),
    ("minContains", "2"),
    ("patternProperties", "{\"^x\": {\"type\": \"integer\"}}"),
    ("propertyNames", "{\"maxLength\": 3}"),
    ("unevaluatedProperties", "false"),
    ("unevaluatedItems", "false"),
    ("dependentRequired", "{\"a\": [\"b\"]}"),
    ("if", "{\"required\": [\"a\"]}"),
    ("then", "{\"required\": [\"b\"]}"),
    ("$defs", "{\"a\": {\"$anchor\": \"a\"}}"),
    ("$ref", "\"#a\""),
    ("$id", "\"https://example.com/a\""),
];

/// Unexpected JSON values that a mutation writes into a document.
const ODD_VALUES: [&str; 12] = [
    "null",
    "true",
    "-1",
    "1e308",
    "0.1",
    "\"\"",
    "[]",
    "{}",
    "\"$ref\"",
    "[null]",
    "{\"$ref\":\"#\"}",
    "{\"$ref\":\"#/components/schemas/Missing\"}",
];

/// Mutates a value of a document; parts of the donor may be put in its place.
pub fn mutate(document: &mut Value, random: &mut Rng, donor: &Value) {
    let mut pointers = Vec::new();
    collect_pointers(document, &mut String::new(), &mut pointers);
    let pointer = pointers[random.usize(..pointers.len())].clone();
    let mut donors = Vec::new();
    collect_pointers(donor, &mut String::new(), &mut donors);
    let piece = donor
        .pointer(&donors[random.usize(..donors.len())])
        .cloned();
    let reference =
        serde_json::json!({ "$ref": format!("#{}", pointers[random.usize(..pointers.len())]) });
    let odd =
        serde_json::from_str(ODD_VALUES[random.usize(..ODD_VALUES.len())]).unwrap_or_default();
    let Some(target) = document.pointer_mut(&pointer) else {
        return;
    };
    match (random.usize(..8), target) {
        (0, target) => *target = odd,
        (1, target) => *target = piece.unwrap_or_default(),
        // This can be a cycle.
        (2, target) => *target = reference,
        (end @ (3 | 4), Value::Object(members)) if !members.is_empty() => {
            let key = members.keys().nth(random.usize(..members.len()));
            let key = key.cloned().unwrap_or_default();
            // Removed or renamed.
            if let Some(value) = members.remove(&key)
                && end == 4
            {
                members.insert(format!("{key}{}", random.usize(..10)), value);
            }
        }
        (3 | 4, Value::Array(items)) if !items.is_empty() => {
            items.remove(random.usize(..items.len()));
        }
        (5, Value::Array(items)) => items.push(piece.unwrap_or_default()),
        (5, Value::Number(number)) => {
            let factor = [2.0, -1.0, 0.5][random.usize(..3)];
            *number = serde_json::Number::from_f64(number.as_f64().unwrap_or_default() * factor)
                .unwrap_or_else(|| 0.into());
        }
        (7, Value::Object(members)) => {
            let (key, text) = NEWER_MEMBERS[random.usize(..NEWER_MEMBERS.len())];
            let member = serde_json::from_str(text).unwrap_or_default();
            members.insert(key.to_owned(), member);
        }
        (_, Value::Bool(truth)) => *truth = !*truth,
        (_, Value::String(text)) => text.push('x'),
        (_, target) => *target = odd,
    }
}

/// Collects the pointers to a value and to all values inside it.
pub fn collect_pointers(value: &Value, pointer: &mut String, pointers: &mut Vec<String>) {
    pointers.push(pointer.clone());
    let length = pointer.len();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                collect_pointers(item, pointer, pointers);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                pointer.push('/');
                pointer.push_str(&dropspec_schema::pointer::escape(key));
                collect_pointers(member, pointer, pointers);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}
