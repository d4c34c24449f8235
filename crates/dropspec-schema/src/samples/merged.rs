//! A schema with its `$ref` and `allOf` merged, as far as samples need it.

use serde_json::{Map, Value, json};

use crate::resolve;

/// The deepest nesting of `allOf` that is merged.
const MAX_DEPTH: usize = 16;

/// The keywords of a schema and of its `allOf`, and the unions beside them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Merged {
    keywords: Map<String, Value>,
    pub(crate) unions: Vec<Vec<Value>>,
    pub(crate) patterns: Vec<String>,
    /// Examples of the document, which may be valid.
    pub(crate) examples: Vec<Value>,
}

impl Merged {
    pub(crate) fn new(document: &Value, schemas: &[&Value]) -> Merged {
        let mut merged = Merged::default();
        for schema in schemas {
            merged.add(document, schema, MAX_DEPTH);
        }
        merged
    }

    fn add(&mut self, document: &Value, schema: &Value, depth: usize) {
        let Some(Value::Object(schema)) = resolve(document, schema) else {
            return;
        };
        if depth == 0 {
            return;
        }
        let list = |key: &str| schema.get(key).and_then(Value::as_array);
        for part in list("allOf").into_iter().flatten() {
            self.add(document, part, depth - 1);
        }
        for union in [list("oneOf"), list("anyOf")].into_iter().flatten() {
            self.unions.push(union.clone());
        }
        if let Some(Value::String(pattern)) = schema.get("pattern") {
            self.patterns.push(pattern.clone());
        }
        for key in ["example", "default"] {
            self.examples.extend(schema.get(key).cloned());
        }
        for (key, value) in schema {
            self.add_keyword(key, value);
        }
    }

    fn add_keyword(&mut self, key: &str, value: &Value) {
        let Some(earlier) = self.keywords.get_mut(key) else {
            self.keywords.insert(key.to_owned(), value.clone());
            return;
        };
        let is_kept = match (key, earlier.as_f64(), value.as_f64()) {
            ("type", ..) => value == "number",
            ("additionalProperties", ..) => *earlier == Value::Bool(false),
            (key, Some(own), Some(other)) if key.starts_with("min") => own >= other,
            (key, Some(own), Some(other)) if key.starts_with("max") => own <= other,
            _ => false,
        };
        match (key, earlier, value) {
            _ if is_kept => {}
            ("nullable", Value::Bool(earlier), Value::Bool(later)) => *earlier &= later,
            ("enum", Value::Array(earlier), Value::Array(later)) => {
                earlier.retain(|value| later.contains(value));
            }
            ("required", Value::Array(earlier), Value::Array(later)) => {
                earlier.extend(later.iter().cloned());
            }
            ("properties", Value::Object(earlier), Value::Object(later)) => {
                for (name, later) in later {
                    let both = earlier.get(name).map(|earlier| both(earlier, later));
                    earlier.insert(name.clone(), both.unwrap_or_else(|| later.clone()));
                }
            }
            ("items", earlier, later) => *earlier = both(earlier, later),
            (_, earlier, later) => *earlier = later.clone(),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.keywords.get(key)
    }

    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.as_f64()
    }

    pub(crate) fn count(&self, key: &str) -> Option<usize> {
        let number = self.number(key)?;
        (number >= 0.0).then_some(number as usize)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Bool(true))
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The type, or the one that its keywords imply.
    pub(crate) fn kind(&self) -> &str {
        let implied = [
            ("properties", "object"),
            ("required", "object"),
            ("additionalProperties", "object"),
            ("items", "array"),
            ("prefixItems", "array"),
            ("pattern", "string"),
            ("minLength", "string"),
            ("minimum", "number"),
        ];
        match self.text("type") {
            "" => implied
                .into_iter()
                .find(|(keyword, _)| self.keywords.contains_key(*keyword))
                .map_or("", |(_, kind)| kind),
            kind => kind,
        }
    }

    pub(crate) fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        let properties = self.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten()
    }

    pub(crate) fn required(&self) -> Vec<&str> {
        let names = self.get("required").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        let mut unique: Vec<&str> = Vec::new();
        for name in names {
            if !unique.contains(&name) {
                unique.push(name);
            }
        }
        unique
    }

    /// The schema without its first union, for a merge with a variant of it.
    pub(crate) fn base(&self) -> Value {
        let mut keywords = self.keywords.clone();
        for key in [
            "allOf", "oneOf", "anyOf", "$ref", "nullable", "example", "default",
        ] {
            keywords.shift_remove(key);
        }
        let others = self.unions.iter().skip(1);
        let mut parts: Vec<Value> = others.map(|union| json!({ "anyOf": union })).collect();
        if self.patterns.len() > 1 {
            keywords.shift_remove("pattern");
            let patterns = self.patterns.iter();
            parts.extend(patterns.map(|pattern| json!({ "pattern": pattern })));
        }
        keywords.insert("allOf".to_owned(), Value::Array(parts));
        Value::Object(keywords)
    }
}

fn both(earlier: &Value, later: &Value) -> Value {
    if earlier == later {
        later.clone()
    } else {
        json!({ "allOf": [earlier, later] })
    }
}
