//! Writes values as YAML in the style of a document.

use serde_json::{Map, Value};

use super::style::Style;

/// The longest line of a value that is written in one line.
const LINE: usize = 100;

/// Writes members of an object, a line or more each, without the end of the last line.
pub(super) fn member(style: &Style, depth: usize, key: &str, value: &Value) -> String {
    let mut text = " ".repeat(depth);
    text.push_str(&key_text(style, key));
    text.push(':');
    behind_key(style, depth, key, value, &mut text);
    text
}

/// Writes an item of an array, whose dash is at `depth`.
pub(super) fn item(style: &Style, depth: usize, value: &Value) -> String {
    let dash = format!("{}- ", " ".repeat(depth));
    match value {
        Value::Object(members) if !members.is_empty() => {
            let lines = members
                .iter()
                .map(|(key, value)| member(style, depth + 2, key, value));
            let text = lines.collect::<Vec<_>>().join(style.line_end);
            dash + &text[depth + 2..]
        }
        Value::Array(items) if !items.is_empty() => dash + &flow(style, value),
        scalar => dash + &flow(style, scalar),
    }
}

fn behind_key(style: &Style, depth: usize, key: &str, value: &Value, text: &mut String) {
    match value {
        Value::Object(members) if is_in_line(style, key, members, depth) => {
            text.push(' ');
            text.push_str(&flow(style, value));
        }
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                text.push_str(style.line_end);
                text.push_str(&member(style, depth + style.indent, key, value));
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let is_plain = items.iter().all(|it| !it.is_object() && !it.is_array());
            let line = flow(style, value);
            if is_plain && style.has_arrays_in_line && depth + key.len() + line.len() < LINE {
                text.push(' ');
                text.push_str(&line);
                return;
            }
            let depth = depth + if style.indents_items { style.indent } else { 0 };
            for value in items {
                text.push_str(style.line_end);
                let members = value
                    .as_object()
                    .filter(|it| key == "example" && !it.is_empty());
                match members.filter(|it| is_in_line(style, key, it, depth)) {
                    Some(_) => {
                        let line = format!("{}- {}", " ".repeat(depth), flow(style, value));
                        text.push_str(&line);
                    }
                    None => text.push_str(&item(style, depth, value)),
                }
            }
        }
        Value::String(long) if is_block(long) => block(style, depth, long, text),
        Value::String(short) => {
            text.push(' ');
            text.push_str(&scalar(style, short, false));
        }
        other => {
            text.push(' ');
            text.push_str(&flow(style, other));
        }
    }
}

/// Whether an object is in the line of its key: a reference, or a short example.
fn is_in_line(style: &Style, key: &str, members: &Map<String, Value>, depth: usize) -> bool {
    let is_plain = members.values().all(|it| !it.is_object() && !it.is_array());
    let is_reference = members.len() == 1 && members.contains_key("$ref");
    let length = || flow(style, &Value::Object(members.clone())).len();
    let is_short = || depth + key.len() + length() < LINE;
    style.has_references_in_line && is_plain && (is_reference || key == "example" && is_short())
}

/// Writes a value in one line.
pub(super) fn flow(style: &Style, value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let texts = members.iter();
            let texts = texts
                .map(|(key, value)| format!("{}: {}", key_text(style, key), flow(style, value)));
            let inner = texts.collect::<Vec<_>>().join(", ");
            match (members.is_empty(), style.has_spaced_braces) {
                (true, _) => "{}".to_owned(),
                (false, true) => format!("{{ {inner} }}"),
                (false, false) => format!("{{{inner}}}"),
            }
        }
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().map(|it| flow(style, it)).collect();
            format!("[{}]", texts.join(", "))
        }
        Value::String(text) => scalar(style, text, true),
        other => other.to_string(),
    }
}

fn key_text(style: &Style, key: &str) -> String {
    let is_status = key.len() == 3 && key.bytes().all(|byte| byte.is_ascii_digit());
    match (is_status, style.status_quote) {
        (true, Some(quote)) => format!("{quote}{key}{quote}"),
        (true, None) => key.to_owned(),
        // A path is plain, although it has braces inside.
        _ if key.starts_with('/') && is_plain(&key.replace(['{', '}'], ""), true) => key.to_owned(),
        _ => scalar(style, key, true),
    }
}

/// Writes a text, quoted if it needs it.
fn scalar(style: &Style, text: &str, is_in_flow: bool) -> String {
    if is_plain(text, is_in_flow) {
        return text.to_owned();
    }
    let has_control = text.chars().any(char::is_control);
    match style.quote {
        '\'' if !has_control => format!("'{}'", text.replace('\'', "''")),
        // JSON is YAML.
        _ => Value::String(text.to_owned()).to_string(),
    }
}

/// Whether YAML reads a text as itself without quotes.
fn is_plain(text: &str, is_in_flow: bool) -> bool {
    let starts_well = text.starts_with(|sign: char| sign.is_alphabetic() || "/_$(".contains(sign));
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = reserved.contains(&&*text.to_ascii_lowercase());
    let has_mark = text.contains(": ") || text.contains(" #") || text.ends_with([':', ' ']);
    let has_flow_mark = is_in_flow && text.contains([',', '[', ']', '{', '}']);
    let is_printed = !text.chars().any(char::is_control);
    // Some parsers read these as numbers.
    let is_number = [".inf", ".nan"].contains(&text);
    starts_well && !is_word && !has_mark && !has_flow_mark && is_printed && !is_number
}

/// Whether a text is written in lines of its own.
fn is_block(text: &str) -> bool {
    let mut lines = text.lines();
    let is_clean = |line: &str| !line.ends_with(' ') && !line.chars().any(char::is_control);
    text.contains('\n')
        && !text.ends_with("\n\n")
        && !text.starts_with([' ', '\n', '\t'])
        && lines.all(is_clean)
}

fn block(style: &Style, depth: usize, text: &str, out: &mut String) {
    out.push_str(if text.ends_with('\n') { " |" } else { " |-" });
    for line in text.lines() {
        out.push_str(style.line_end);
        if !line.is_empty() {
            out.push_str(&" ".repeat(depth + style.indent));
            out.push_str(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn value_is_written_in_the_style_and_read_as_itself() {
        let value = json!({
            "$ref": "#/a b",
            "plain": "a text, with {braces} and it's \"quotes\"",
            "marks": ["a: b", "a #b", "no", "3", "", "-", "a,b", "x\ty", "ends:"],
            "block": "First.\n\n  Second.\n",
            "strip": "First.\nSecond.",
            "hard": " First.\nSecond.",
            "200": { "$ref": "#/c" },
            "empty": { "object": {}, "array": [] },
            "items": [{ "a": 1, "b": [{ "c": true }] }, [1, [2]], null],
            "/pets/{petId}": 1.5,
            "example": { "id": 1, "name": "Cat" },
        });
        let documents = [
            "paths:\n  /a:\n    get:\n      200: { $ref: \"#\" }\n",
            "paths:\n    /a:\n        get:\n            '200':\n                $ref: '#'\n            tags:\n            - a\n",
            "paths:\r\n  /a:\r\n    get: {tags: [a]}\r\n",
        ];
        for document in documents {
            let style = Style::of(document);
            let text = member(&style, 0, "root", &value);
            let parsed = spec_model::Document::parse("a.yaml", &text);
            let read = parsed.map(|it| it.root().to_json());
            assert_eq!(read, Ok(json!({ "root": value })), "{text}");
            let text = item(&style, 0, &value);
            let parsed = spec_model::Document::parse("a.yaml", &text);
            assert_eq!(
                parsed.map(|it| it.root().to_json()),
                Ok(json!([value])),
                "{text}"
            );
        }
    }
}
