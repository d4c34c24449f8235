//! A schema with its `$ref` and `allOf` merged, as far as samples need it.

use serde_json::{Map, Value, json};
use spec_schema::resolve;

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
        let numbers = (earlier.as_f64(), value.as_f64());
        match (key, numbers) {
            ("minimum" | "minLength" | "minItems" | "minProperties", (Some(a), Some(b))) => {
                if b > a {
                    *earlier = value.clone();
                }
            }
            ("maximum" | "maxLength" | "maxItems" | "maxProperties", (Some(a), Some(b))) => {
                if b < a {
                    *earlier = value.clone();
                }
            }
            ("type", _) if value == "number" => {}
            ("nullable", _) => {
                *earlier =
                    Value::Bool(*earlier == Value::Bool(true) && *value == Value::Bool(true));
            }
            ("enum", _) => {
                if let (Value::Array(earlier), Value::Array(later)) = (earlier, value) {
                    earlier.retain(|value| later.contains(value));
                }
            }
            ("required", _) => {
                if let (Value::Array(earlier), Value::Array(later)) = (earlier, value) {
                    earlier.extend(later.iter().cloned());
                }
            }
            ("properties", _) => {
                if let (Value::Object(earlier), Value::Object(later)) = (earlier, value) {
                    for (name, later) in later {
                        let both = earlier.get(name).map(|earlier| both(earlier, later));
                        earlier.insert(name.clone(), both.unwrap_or_else(|| later.clone()));
                    }
                }
            }
            ("items", _) => *earlier = both(earlier, value),
            ("additionalProperties", _) if *earlier == Value::Bool(false) => {}
            _ => *earlier = value.clone(),
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

    /// The schema without its unions, for a merge with a variant of them.
    pub(crate) fn base(&self) -> Value {
        let mut keywords = self.keywords.clone();
        for key in [
            "allOf", "oneOf", "anyOf", "$ref", "nullable", "example", "default",
        ] {
            keywords.shift_remove(key);
        }
        let patterns = self
            .patterns
            .iter()
            .map(|pattern| json!({ "pattern": pattern }));
        let patterns: Vec<Value> = patterns.collect();
        if patterns.len() > 1 {
            keywords.shift_remove("pattern");
            keywords.insert("allOf".to_owned(), Value::Array(patterns));
        }
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
