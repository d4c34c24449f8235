//! The innermost differences of two JSON values, in one line each. The order of the members of an object does not count.

use dropspec_schema::pointer;
use serde_json::Value;

/// The most characters of a value in a line.
const SHOWN: usize = 120;

/// Finds the differences, in the order of `expected`. Equal values have none.
pub(super) fn compare(place: &str, expected: &Value, found: &Value) -> Vec<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let kept = a.iter().flat_map(|(key, expected)| {
                let place = pointer::join(place, key);
                match b.get(key) {
                    Some(found) => compare(&place, expected, found),
                    None => vec![format!("{place}: {} is missing", shorten(expected))],
                }
            });
            let added = b.iter().filter(|(key, _)| !a.contains_key(*key));
            let added = added.map(|(key, found)| {
                let place = pointer::join(place, key);
                format!("{place}: {} was added", shorten(found))
            });
            kept.chain(added).collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs
                .flat_map(|(index, (a, b))| compare(&format!("{place}/{index}"), a, b))
                .collect()
        }
        _ if expected == found => Vec::new(),
        _ => {
            let place = if place.is_empty() {
                "the document"
            } else {
                place
            };
            let (expected, found) = (shorten(expected), shorten(found));
            vec![format!("{place}: {expected} became {found}")]
        }
    }
}

fn shorten(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_innermost_difference_has_its_pointer() {
        let expected = json!({"a/b": {"x": 1, "y": 2}, "list": [1, 2], "short": [1], "same": {"c": 1, "d": 2}});
        let found = json!({"a/b": {"x": 1, "z": 3}, "list": [1, "2"], "short": [], "same": {"d": 2, "c": 1}});
        let lines = [
            "/a~1b/y: 2 is missing",
            "/a~1b/z: 3 was added",
            "/list/1: 2 became \"2\"",
            "/short: [1] became []",
        ];
        assert_eq!(compare("", &expected, &found), lines);
    }
}
