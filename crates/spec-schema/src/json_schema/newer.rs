//! The keywords that OpenAPI 3.1 adds.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Converter, UnresolvedReference};

/// Keywords that OpenAPI 3.1 adds and that contain no schema.
const NEWER_KEYWORDS: [&str; 3] = ["minContains", "maxContains", "dependentRequired"];
/// Keywords that OpenAPI 3.1 adds, with a schema for a part of the value.
const NEWER_SCHEMAS: [&str; 4] = [
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that OpenAPI 3.1 adds, with a schema for the same value.
const NEWER_IN_PLACE: [&str; 3] = ["if", "then", "else"];

impl<'d> Converter<'d> {
    /// Converts the keywords of OpenAPI 3.1 for parts of the value.
    pub(super) fn convert_newer_keywords(
        &mut self,
        source: &'d Map<String, Value>,
        target: &mut Map<String, Value>,
    ) -> Result<(), UnresolvedReference> {
        for keyword in NEWER_KEYWORDS {
            let value = source.get(keyword).cloned();
            target.extend(value.map(|value| (keyword.to_owned(), value)));
        }
        for keyword in NEWER_SCHEMAS {
            if let Some(value) = source.get(keyword) {
                target.insert(keyword.to_owned(), self.convert(value, &BTreeSet::new())?);
            }
        }
        if let Some(Value::Array(items)) = source.get("prefixItems") {
            let items = items.iter();
            let items = items.map(|item| self.convert(item, &BTreeSet::new()));
            let items = items.collect::<Result<Vec<Value>, _>>()?;
            target.insert("prefixItems".to_owned(), Value::Array(items));
        }
        if let Some(Value::Object(patterns)) = source.get("patternProperties") {
            let mut converted = Map::new();
            for (pattern, schema) in patterns {
                converted.insert(pattern.clone(), self.convert(schema, &BTreeSet::new())?);
            }
            target.insert("patternProperties".to_owned(), Value::Object(converted));
        }
        Ok(())
    }

    /// Converts the keywords of OpenAPI 3.1 for the same value. One that leads back to its own schema is left out.
    pub(super) fn convert_newer_in_place(
        &mut self,
        source: &'d Map<String, Value>,
        target: &mut Map<String, Value>,
        optional: &BTreeSet<&'d str>,
    ) -> Result<(), UnresolvedReference> {
        for keyword in NEWER_IN_PLACE {
            if let Some(value) = source.get(keyword) {
                let converted = self.convert_in_place(keyword, value, optional)?;
                target.extend(converted.map(|value| (keyword.to_owned(), value)));
            }
        }
        if let Some(Value::Object(schemas)) = source.get("dependentSchemas") {
            let mut converted = Map::new();
            for (name, schema) in schemas {
                let schema = self.convert_in_place("dependentSchemas", schema, optional)?;
                converted.extend(schema.map(|schema| (name.clone(), schema)));
            }
            target.insert("dependentSchemas".to_owned(), Value::Object(converted));
        }
        Ok(())
    }
}
