//! A hash of a JSON body that does not depend on how the body is written, to recognize a repeated request.

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// Hashes a JSON body with SHA-256 in a canonical form: without white space, the members of objects sorted by name,
/// equal numbers written alike (`1`, `1.0` and `1e0`).
///
/// Integers are compared with 64 bits, all other numbers in double precision.
pub fn canonical_body_hash(body: &Value) -> [u8; 32] {
    let mut canonical = String::new();
    write_canonical(body, &mut canonical);
    Sha256::digest(canonical).into()
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => write_number(number, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in members {
                write_string(name, out);
                out.push(':');
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::String(text) => write_string(text, out),
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

fn write_number(number: &Number, out: &mut String) {
    // Display writes 1.0 as 1, and a large double with all its digits, like the same integer.
    let text = match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(integer), _, _) => integer.to_string(),
        (None, Some(integer), _) => integer.to_string(),
        (None, None, Some(0.0)) => "0".to_owned(),
        (None, None, Some(double)) => double.to_string(),
        (None, None, None) => number.to_string(),
    };
    out.push_str(&text);
}

fn write_string(text: &str, out: &mut String) {
    // Quoted as JSON, so that a string cannot look like the structure around it.
    out.push_str(&Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> [u8; 32] {
        canonical_body_hash(&serde_json::from_str(text).expect("the test's JSON is valid"))
    }

    #[test]
    fn equal_bodies_have_the_same_hash() {
        let cases = [
            (r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#), // order and white space
            (r#"{"o":{"a":1,"b":2}}"#, r#"{"o":{"b":2,"a":1}}"#), // order in a nested object
            ("[1]", "[1.0]"),                              // an integer with a fraction of zero
            ("[1]", "[1e0]"),                              // an integer with an exponent
            ("[100]", "[1e2]"),                            // an integer with a larger exponent
            ("[0]", "[-0.0]"),                             // zero has no sign
            ("[1000000000000000000000]", "[1e21]"),        // an integer past 64 bits
            ("[0.5]", "[5e-1]"),                           // a fraction
            (r#"["é"]"#, r#"["\u00e9"]"#),                 // an escape
        ];
        for (one, other) in cases {
            assert_eq!(hash(one), hash(other), "{one} and {other}");
        }
    }

    #[test]
    fn different_bodies_have_different_hashes() {
        let cases = [
            ("[1,2]", "[2,1]"),                           // the order of an array matters
            ("[1]", r#"["1"]"#),                          // a number is not its text
            ("[1]", "[1.5]"),                             // another number
            ("[9007199254740993]", "[9007199254740992]"), // integers that one double would join
            (r#"{"a":null}"#, "{}"),                      // null is not absence
            (r#"{"a":"b","c":"d"}"#, r#"{"a":"b\",\"c\":\"d"}"#), // text that looks like structure
            ("[[1],2]", "[[1,2]]"),                       // nesting
            ("true", "false"),                            // the plain values
        ];
        for (one, other) in cases {
            assert_ne!(hash(one), hash(other), "{one} and {other}");
        }
    }
}
