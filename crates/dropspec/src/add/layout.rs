//! YAML as people write it: what is short stands on one line.

use serde_json::{Map, Value};

use crate::bundling::to_yaml;

/// The greatest length of a line with brackets.
const WIDTH: usize = 130;

/// A value as YAML, with this indentation. The `outer` members or items themselves are in lines.
pub(super) fn to_lines(value: &Value, depth: usize, outer: bool) -> String {
    let entries: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            let key = |key: &String| scalar(&Value::String(key.clone()));
            let members = members.iter();
            members
                .map(|it| (format!("{}:", key(it.0)), it.1))
                .collect()
        }
        Value::Array(items) => items.iter().map(|it| ("-".to_owned(), it)).collect(),
        _ => return format!("{:depth$}{}\n", "", to_yaml(value).trim_end()),
    };
    let entries = entries.into_iter();
    entries
        .map(|(start, value)| entry(&start, value, depth, outer))
        .collect()
}

/// A member of an object, or an item of an array.
fn entry(start: &str, value: &Value, depth: usize, outer: bool) -> String {
    let is_text = value.as_str().is_some_and(|text| text.contains('\n'));
    let line = format!("{:depth$}{start} {}\n", "", in_brackets(value));
    // What people add to stays in lines: objects of objects, but for a media type, which has a schema and an example.
    let is_short = match levels(value) {
        0 => !is_text,
        1 => !outer || is_empty(value),
        2 => !outer && (start == "-" || start.contains('/') || is_single(value)),
        _ => false,
    };
    if is_short && (levels(value) == 0 || line.len() <= WIDTH) {
        return line;
    }
    if is_text {
        let member = Map::from_iter([("text".to_owned(), value.clone())]);
        let text = to_yaml(&Value::Object(member));
        let text = text.trim_start_matches("text:").trim_end();
        let text = text.replace('\n', &format!("\n{:depth$}", ""));
        return format!("{:depth$}{start}{text}\n", "");
    }
    let inner = to_lines(value, depth + 2, false);
    match start {
        "-" => format!("{:depth$}- {}", "", inner.trim_start()),
        _ => format!("{:depth$}{start}\n{inner}", ""),
    }
}

/// How many objects and arrays are in each other.
fn levels(value: &Value) -> usize {
    let inner = match value {
        Value::Object(members) => members.values().map(levels).max(),
        Value::Array(items) => items.iter().map(levels).max(),
        _ => return 0,
    };
    inner.unwrap_or(0) + 1
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

fn is_single(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.len() == 1)
}

fn in_brackets(value: &Value) -> String {
    let join = |items: Vec<String>| items.join(", ");
    match value {
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter().map(|(key, it)| {
                let key = scalar(&Value::String(key.clone()));
                format!("{key}: {}", in_brackets(it))
            });
            format!("{{ {} }}", join(members.collect()))
        }
        Value::Array(items) => format!("[{}]", join(items.iter().map(in_brackets).collect())),
        scalar_or_empty => scalar(scalar_or_empty),
    }
}

/// A scalar that means the same between brackets.
fn scalar(value: &Value) -> String {
    let plain = to_yaml(value);
    let plain = plain.trim_end();
    let is_quoted = plain.starts_with(['"', '\'', '|', '>']);
    if is_quoted || plain.contains(['\n', ',', '[', ']', '{', '}', '#', ':']) {
        return value.to_string();
    }
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use dropspec_model::Document;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_short_stands_on_one_line_and_means_the_same() {
        let value = json!({
            "paths": { "/a/{id}": { "get": {
                "description": "Two\nlines: of text\n",
                "tags": ["A, b", "C"],
                "parameters": [
                    { "name": "id", "schema": { "type": "integer" } },
                    { "$ref": "#/components/parameters/After" },
                ],
                "responses": { "200": { "content": { "application/json": {
                    "schema": { "$ref": "#/a" }, "example": [{ "yes": "no", "n": 1 }]
                } } } },
            } } },
            "x-empty": {},
            "schemas": { "A": { "properties": { "name": { "type": "string", "default": "[x]" } } } },
        });
        let text = to_lines(&value, 0, true);
        let read = Document::parse("new.yaml", &text).unwrap();
        assert_eq!(read.root().to_json(), value, "{text}");
        for line in [
            "\n      tags: [\"A, b\", C]\n",
            "\n        - { name: id, schema: { type: integer } }\n",
            "\n      name: { type: string, default: \"[x]\" }\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }
}
