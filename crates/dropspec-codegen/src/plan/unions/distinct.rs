//! Untagged unions without a discriminator: a property whose values no two variants share tells their objects apart.

use std::collections::HashSet;

use dropspec_model::{Schema, SchemaRef, SchemaType, Value};

use crate::plan::types::Types;

impl Types<'_> {
    /// A property whose values no two variants share, and its values in each variant: an object with one of them can only be of that
    /// variant.
    pub(super) fn find_distinct_values(
        &self,
        present: &[(usize, &SchemaRef)],
    ) -> Option<(String, Vec<Vec<String>>)> {
        let variants = present.iter().map(|(_, variant)| {
            let variant = self.spec.resolve(variant)?;
            Some(self.flatten(variant).schema)
        });
        let variants: Vec<Schema> = variants.collect::<Option<_>>()?;
        let is_object =
            |schema: &&Schema| matches!(schema.schema_type, None | Some(SchemaType::Object));
        let mut objects = variants.iter().filter(is_object);
        let first = objects.next()?;
        objects.next()?;
        first.properties.keys().find_map(|name| {
            let mut taken = HashSet::new();
            let values = variants.iter().map(|variant| {
                if !is_object(&variant) {
                    return Some(Vec::new());
                }
                let values = self.list_values(variant.properties.get(name)?)?;
                let is_new = values.iter().all(|value| taken.insert(value.clone()));
                is_new.then_some(values)
            });
            let values = values.collect::<Option<_>>()?;
            Some((name.clone(), values))
        })
    }

    /// The values of an enum as the tags of a variant. Null is none.
    fn list_values(&self, schema: &SchemaRef) -> Option<Vec<String>> {
        let values = self
            .flatten(self.spec.resolve(schema)?)
            .schema
            .enumeration?;
        let values = values.iter().filter(|value| value.value != Value::Null);
        let values = values.map(|value| match &value.value {
            Value::String(text) => Some(text.clone()),
            Value::Array(_) | Value::Object(_) => None,
            _ => Some(value.to_json().to_string()),
        });
        values.collect()
    }
}
