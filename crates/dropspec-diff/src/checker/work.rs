//! Estimates the work of validating a small value. Schemas that refer to each other twice at each step take 2^n steps.

use std::collections::HashMap;

use serde_json::Value;

/// The depth of the values.
const DEPTH: u8 = 4;
/// Keywords with schemas for the same value.
const IN_PLACE: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];
/// Keywords with schemas for the values inside.
const INSIDE: [&str; 3] = ["properties", "additionalProperties", "items"];

/// Estimates the work for a schema with `definitions`, in visits to a schema.
pub(super) fn estimate(schema: &Value) -> u64 {
    let mut work = Work {
        definitions: &schema["definitions"],
        known: HashMap::new(),
    };
    work.estimate(schema, DEPTH)
}

struct Work<'s> {
    definitions: &'s Value,
    /// By the definition and the depth.
    known: HashMap<(&'s str, u8), u64>,
}

impl<'s> Work<'s> {
    fn estimate(&mut self, schema: &'s Value, depth: u8) -> u64 {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.estimate_definition(reference, depth);
        }
        let mut work: u64 = 1;
        for keyword in IN_PLACE {
            work = work.saturating_add(self.estimate_all(&schema[keyword], depth));
        }
        if let Some(depth) = depth.checked_sub(1) {
            for keyword in INSIDE {
                work = work.saturating_add(self.estimate_all(&schema[keyword], depth));
            }
        }
        work
    }

    fn estimate_definition(&mut self, reference: &'s str, depth: u8) -> u64 {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if let Some(work) = self.known.get(&(name, depth)) {
            return *work;
        }
        // In a cycle, it counts as 1.
        self.known.insert((name, depth), 1);
        let definitions = self.definitions;
        let work = self.estimate(&definitions[name], depth);
        self.known.insert((name, depth), work);
        work
    }

    /// Estimates the work for a schema, a list of them, or an object of them.
    fn estimate_all(&mut self, schemas: &'s Value, depth: u8) -> u64 {
        let schemas: Vec<&Value> = match schemas {
            Value::Array(members) => members.iter().collect(),
            Value::Object(members) if members.contains_key("$ref") => vec![schemas],
            Value::Object(members) => members.values().collect(),
            _ => Vec::new(),
        };
        schemas.into_iter().fold(0, |work: u64, schema| {
            work.saturating_add(self.estimate(schema, depth))
        })
    }
}
