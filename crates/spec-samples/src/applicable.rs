//! The schemas that may apply to a value: its own, those that it refers to, and the parts of its compositions.

use serde_json::Value;
use spec_schema::resolve;

/// All schemas that may apply to one value. Which variants of a union do apply is not decided.
#[derive(Debug, Clone)]
pub(crate) struct Applicable<'d> {
    document: &'d Value,
    schemas: Vec<&'d Value>,
}

impl<'d> Applicable<'d> {
    pub(crate) fn new(document: &'d Value, schema: &'d Value) -> Self {
        let mut applicable = Applicable {
            document,
            schemas: Vec::new(),
        };
        applicable.add(schema);
        applicable
    }

    fn add(&mut self, schema: &'d Value) {
        let Some(schema) = resolve(self.document, schema) else {
            return;
        };
        if self
            .schemas
            .iter()
            .any(|known| std::ptr::eq(*known, schema))
        {
            return;
        }
        self.schemas.push(schema);
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let parts = schema.get(keyword).and_then(Value::as_array);
            parts.into_iter().flatten().for_each(|part| self.add(part));
        }
    }

    fn of_all(&self, schemas: impl Iterator<Item = &'d Value>) -> Self {
        let mut applicable = Applicable {
            document: self.document,
            schemas: Vec::new(),
        };
        schemas.for_each(|schema| applicable.add(schema));
        applicable
    }

    fn values(&self, keyword: &str) -> impl Iterator<Item = &'d Value> + Clone {
        self.schemas
            .iter()
            .filter_map(move |schema| schema.get(keyword))
    }

    /// Those of the items of a list.
    pub(crate) fn items(&self) -> Self {
        self.of_all(self.values("items"))
    }

    /// Those of a property.
    pub(crate) fn property(&self, name: &str) -> Self {
        self.of_all(self.schemas.iter().filter_map(|schema| {
            let own = schema
                .get("properties")
                .and_then(|properties| properties.get(name));
            own.or_else(|| schema.get("additionalProperties"))
        }))
    }

    /// Whether a type for the schemas must keep a property: one that a schema names or allows, and any if they name none.
    pub(crate) fn keeps(&self, name: &str) -> bool {
        let mut properties = self.values("properties").filter_map(Value::as_object);
        let mut required = self
            .values("required")
            .filter_map(Value::as_array)
            .flatten();
        let mut others = self.values("additionalProperties");
        properties
            .clone()
            .any(|properties| properties.contains_key(name))
            || required.any(|required| required == name)
            || others.any(|others| *others != Value::Bool(false))
            || properties.all(serde_json::Map::is_empty)
    }

    /// The defaults other than null.
    pub(crate) fn defaults(&self) -> impl Iterator<Item = &'d Value> {
        self.values("default").filter(|default| !default.is_null())
    }

    pub(crate) fn has_format(&self, formats: &[&str]) -> bool {
        self.values("format")
            .filter_map(Value::as_str)
            .any(|format| formats.contains(&format))
    }
}
