//! How much it takes at most to validate a small value. Schemas that refer to each other twice at each step take 2^n steps.

use std::collections::HashMap;

use serde_json::Value;

/// How deep the values nest.
const DEPTH: u8 = 4;
/// Keywords with schemas for the value itself.
const IN_PLACE: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];
/// Keywords with schemas for what is inside the value.
const INSIDE: [&str; 3] = ["properties", "additionalProperties", "items"];

/// The work for a schema with its `definitions`, in visits to a schema.
pub(super) fn of(schema: &Value) -> u64 {
    let mut work = Work {
        definitions: &schema["definitions"],
        known: HashMap::new(),
    };
    work.of(schema, DEPTH)
}

struct Work<'s> {
    definitions: &'s Value,
    /// By the definition and the depth.
    known: HashMap<(&'s str, u8), u64>,
}

impl<'s> Work<'s> {
    fn of(&mut self, schema: &'s Value, depth: u8) -> u64 {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.of_definition(reference, depth);
        }
        let mut work: u64 = 1;
        for keyword in IN_PLACE {
            work = work.saturating_add(self.of_all(&schema[keyword], depth));
        }
        if let Some(depth) = depth.checked_sub(1) {
            for keyword in INSIDE {
                work = work.saturating_add(self.of_all(&schema[keyword], depth));
            }
        }
        work
    }

    fn of_definition(&mut self, reference: &'s str, depth: u8) -> u64 {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if let Some(work) = self.known.get(&(name, depth)) {
            return *work;
        }
        // In a circle, it counts once.
        self.known.insert((name, depth), 1);
        let definitions = self.definitions;
        let work = self.of(&definitions[name], depth);
        self.known.insert((name, depth), work);
        work
    }

    /// A schema, a list of them, or an object of them.
    fn of_all(&mut self, schemas: &'s Value, depth: u8) -> u64 {
        let mut work: u64 = 0;
        match schemas {
            Value::Array(members) => {
                for member in members {
                    work = work.saturating_add(self.of(member, depth));
                }
            }
            Value::Object(members) if members.contains_key("$ref") => {
                work = self.of(schemas, depth);
            }
            Value::Object(members) => {
                for member in members.values() {
                    work = work.saturating_add(self.of(member, depth));
                }
            }
            _ => {}
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of;

    #[test]
    fn doubling_is_seen_and_circles_end() {
        let twice = |next: u32| json!({ "allOf": [{ "$ref": format!("#/definitions/{next}") }, { "$ref": format!("#/definitions/{next}") }] });
        let mut definitions = serde_json::Map::new();
        for step in 0..60 {
            definitions.insert(step.to_string(), twice(step + 1));
        }
        let schema =
            json!({ "allOf": [{ "$ref": "#/definitions/0" }], "definitions": definitions });
        assert!(of(&schema) > 1 << 59);
        let circle =
            json!({ "allOf": [{ "$ref": "#/definitions/0" }], "definitions": { "0": twice(0) } });
        assert!(of(&circle) < 10);
    }
}
