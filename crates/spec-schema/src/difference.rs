//! The differences of two JSON values, each with its JSON pointer. The order of the members of an object does not count.

use std::fmt;

use serde_json::Value;

use crate::pointer;

/// A place where two JSON values differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The JSON pointer (RFC 6901) of the place.
    pub pointer: String,
    /// The value there in the expected JSON; `None` if there is none.
    pub expected: Option<Value>,
    /// The value there in the JSON that was found; `None` if there is none.
    pub found: Option<Value>,
}

/// Displayed in one line, with long values shortened.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.pointer.as_str() {
            "" => "the document",
            pointer => pointer,
        };
        match (&self.expected, &self.found) {
            (Some(expected), Some(found)) => {
                write!(f, "{place}: {} became {}", Short(expected), Short(found))
            }
            (Some(expected), None) => write!(f, "{place}: {} is missing", Short(expected)),
            (None, Some(found)) => write!(f, "{place}: {} was added", Short(found)),
            (None, None) => write!(f, "{place}: no difference"),
        }
    }
}

/// Finds the innermost differences of two JSON values, in the order of `expected`. Equal values have none.
#[must_use]
pub fn compare(expected: &Value, found: &Value) -> Vec<Difference> {
    let mut differences = Vec::new();
    collect(String::new(), expected, found, &mut differences);
    differences
}

fn collect(place: String, expected: &Value, found: &Value, differences: &mut Vec<Difference>) {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, expected) in a {
                let place = pointer::join(&place, key);
                match b.get(key) {
                    Some(found) => collect(place, expected, found, differences),
                    None => differences.push(Difference {
                        pointer: place,
                        expected: Some(expected.clone()),
                        found: None,
                    }),
                }
            }
            for (key, found) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                differences.push(Difference {
                    pointer: pointer::join(&place, key),
                    expected: None,
                    found: Some(found.clone()),
                });
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (expected, found)) in a.iter().zip(b).enumerate() {
                collect(format!("{place}/{index}"), expected, found, differences);
            }
        }
        _ if expected == found => {}
        _ => differences.push(Difference {
            pointer: place,
            expected: Some(expected.clone()),
            found: Some(found.clone()),
        }),
    }
}

/// The most characters of a value in a message.
const SHOWN: usize = 120;

/// A value as JSON of at most [`SHOWN`] characters.
struct Short<'a>(&'a Value);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "{}…", &text[..end]),
            None => f.write_str(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn order_of_members_is_no_difference() {
        let expected = json!({"a": 1, "b": [{"c": null, "d": "x"}]});
        let found = json!({"b": [{"d": "x", "c": null}], "a": 1});
        assert_eq!(compare(&expected, &found), []);
    }

    #[test]
    fn each_innermost_difference_has_its_pointer() {
        let expected = json!({"a/b": {"x": 1, "y": 2}, "list": [1, 2], "short": [1], "same": true});
        let found = json!({"a/b": {"x": 1, "z": 3}, "list": [1, "2"], "short": [], "same": true});
        let lines: Vec<String> = compare(&expected, &found)
            .iter()
            .map(ToString::to_string)
            .collect();
        let expected = [
            "/a~1b/y: 2 is missing",
            "/a~1b/z: 3 was added",
            "/list/1: 2 became \"2\"",
            "/short: [1] became []",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn long_values_are_shortened() {
        let line = compare(&json!("a".repeat(500)), &json!(1))[0].to_string();
        assert!(line.starts_with("the document: \"aaa"), "{line}");
        assert!(line.ends_with("… became 1"), "{line}");
        assert!(line.len() < 200, "{line}");
    }
}
