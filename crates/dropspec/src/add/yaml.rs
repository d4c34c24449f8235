//! Writes values as YAML: a key in each line, references and examples in one.

use serde_json::{Map, Value};

/// The longest value that is written in the line of its key.
const LINE: usize = 100;

/// Writes a member of an object, a line or more, each at `depth` or deeper, without the end of the last line.
pub(super) fn member(depth: usize, key: &str, value: &Value) -> String {
    let mut text = format!("{}{}:", " ".repeat(depth), scalar(key));
    match value {
        Value::Object(members) if !is_in_line(key, members) => {
            for (key, value) in members {
                text.push('\n');
                text.push_str(&member(depth + 2, key, value));
            }
        }
        Value::Array(items) if items.iter().any(|it| it.is_object() || it.is_array()) => {
            for value in items {
                text.push('\n');
                text.push_str(&item(depth + 2, key, value));
            }
        }
        other => {
            text.push(' ');
            text.push_str(&flow(other));
        }
    }
    text
}

/// Writes an item of the array `key`, whose dash is at `depth`.
pub(super) fn item(depth: usize, key: &str, value: &Value) -> String {
    let dash = format!("{}- ", " ".repeat(depth));
    match value {
        Value::Object(members) if !is_in_line(key, members) => {
            let lines = members
                .iter()
                .map(|(key, value)| member(depth + 2, key, value));
            let text = lines.collect::<Vec<_>>().join("\n");
            dash + text.trim_start()
        }
        other => dash + &flow(other),
    }
}

/// Whether an object is in the line of its key: an empty one, a reference, or a short example.
fn is_in_line(key: &str, members: &Map<String, Value>) -> bool {
    let is_flat = members.values().all(|it| !it.is_object() && !it.is_array());
    let is_short = || flow(&Value::Object(members.clone())).len() < LINE;
    let is_reference = members.len() == 1 && members.contains_key("$ref");
    members.is_empty() || is_flat && (is_reference || key == "example" && is_short())
}

/// Writes a value in one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let members = members
                .iter()
                .map(|(key, value)| format!("{}: {}", scalar(key), flow(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// Writes a text, quoted as in JSON unless YAML reads it as itself without quotes.
fn scalar(text: &str) -> String {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let starts_well = text.starts_with(|sign: char| sign.is_alphabetic() || "/_$".contains(sign));
    let is_plain = |sign: char| sign.is_alphanumeric() || " /_$.-'`;()".contains(sign);
    // The braces of a path are inside of it.
    let is_path = text.starts_with('/') && !text.contains(' ');
    let ends_well = !text.ends_with(' ');
    let is_word = reserved.contains(&text.to_ascii_lowercase().as_str());
    let has_plain_signs = text
        .chars()
        .all(|sign| is_plain(sign) || is_path && "{}".contains(sign));
    if starts_well && ends_well && !is_word && has_plain_signs {
        text.to_owned()
    } else {
        Value::String(text.to_owned()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn value_is_read_as_what_was_written() {
        let value = json!({
            "$ref": "#/a b",
            "marks": ["a: b", "a #b", "no", "3", "", "-", "a,b", "x\ty", "ends:", "it's", "Über", "a "],
            "block": "First.\n\n  Second.\n",
            "200": { "$ref": "#/c" },
            "empty": { "object": {}, "array": [] },
            "items": [{ "a": 1, "b": [{ "c": true }] }, [1, [2]], {}, null],
            "/pets/{petId}": 1.5,
            "example": [{ "id": 1, "name": "Cat" }, { "deep": { "name": "Dog" } }],
        });
        for (text, expected) in [
            (member(2, "root", &value), json!({ "root": value })),
            (item(0, "root", &value), json!([value])),
        ] {
            let read = spec_model::Document::parse("a.yaml", &text);
            assert_eq!(read.map(|it| it.root().to_json()), Ok(expected), "{text}");
        }
    }
}
