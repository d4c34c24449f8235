//! Unions whose variants a name tells apart: a property, or the only key of an object.

use dropspec_model::{AdditionalProperties, SchemaRef};
use indexmap::IndexMap;

use super::tags::{as_inline, single_property, string_values, tag_value};
use super::{described_values, name_variant, name_variants};
use crate::model::{Tagging, Union, VariantBody};
use crate::plan::docs;
use crate::plan::types::Types;

impl Types<'_> {
    /// Plans an externally tagged union, `"name"` or `{"name": …}`. `None` if the variants have another form.
    pub(super) fn plan_external(&mut self, variants: &[&SchemaRef], name: &str) -> Option<Union> {
        let fits = variants.iter().all(|variant| {
            as_inline(variant).is_some_and(|schema| {
                string_values(schema).is_some() || single_property(schema).is_some()
            })
        });
        let objects = variants
            .iter()
            .filter_map(|v| as_inline(v))
            .any(|schema| single_property(schema).is_some());
        if !fits || !objects {
            return None;
        }
        let mut found = Vec::new();
        for schema in variants.iter().filter_map(|variant| as_inline(variant)) {
            if let Some((wire, content)) = single_property(schema) {
                let docs = docs::describe(schema);
                let body =
                    self.plan_variant_body(content, &format!("{name}{}", name_variant(wire)));
                found.push((wire.to_owned(), docs, body));
            } else {
                for (value, docs) in described_values(schema).unwrap_or_default() {
                    found.push((value.to_owned(), docs, VariantBody::Unit));
                }
            }
        }
        Some(Union {
            tagging: Tagging::External,
            variants: name_variants(found),
        })
    }

    /// Whether serde can read the variants of a union by this tag, which it takes out of the object.
    pub(super) fn can_be_tagged(&self, variants: &[&SchemaRef], tag: &str) -> bool {
        variants
            .iter()
            .filter_map(|variant| as_inline(variant))
            .all(|schema| {
                let open = matches!(
                    schema.additional_properties,
                    Some(AdditionalProperties::Allowed | AdditionalProperties::Schema(_))
                );
                let parts = schema
                    .all_of
                    .iter()
                    .filter_map(|part| self.spec.resolve(part));
                let mut parts = parts.map(|part| self.flatten(part));
                let composed = !schema.one_of.is_empty() || !schema.any_of.is_empty();
                !open
                    && !composed
                    && !schema.nullable
                    && parts.all(|part| {
                        part.unions.is_empty() && !part.schema.properties.contains_key(tag)
                    })
            })
    }

    /// Plans a union that `find_tag` found to be tagged: `{"tag": "name", …}`.
    pub(super) fn plan_internal(
        &mut self,
        variants: &[&SchemaRef],
        name: &str,
        tag: String,
    ) -> Union {
        let mut found = Vec::new();
        for schema in variants.iter().filter_map(|variant| as_inline(variant)) {
            let wire = tag_value(schema, &tag).unwrap_or_default().to_owned();
            let owner = format!("{name}{}", name_variant(&wire));
            let own = schema.properties.keys().any(|property| *property != tag);
            let body = match (schema.all_of.as_slice(), own) {
                ([only], false) => VariantBody::Newtype(self.resolve_type(only, &owner)),
                _ => {
                    let mut flat = self.flatten(schema).schema;
                    let properties: &mut IndexMap<_, _> = &mut flat.properties;
                    properties.shift_remove(&tag);
                    if properties.is_empty() {
                        VariantBody::Unit
                    } else {
                        VariantBody::Fields(self.plan_fields(
                            &flat.properties,
                            &owner,
                            &flat.required,
                        ))
                    }
                }
            };
            found.push((wire, docs::describe(schema), body));
        }
        Union {
            tagging: Tagging::Internal { tag },
            variants: name_variants(found),
        }
    }
}
