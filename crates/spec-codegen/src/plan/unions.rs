//! `oneOf` and `anyOf`: finds the representation of serde's that a union of the document has.

use std::collections::HashSet;

use indexmap::IndexMap;
use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType};

use crate::model::{Shape, Tagging, Type, Union, UnionVariant, VariantBody};
use crate::names;
use crate::plan::docs;
use crate::plan::schemas::PlannedType;
use crate::plan::types::Types;

mod overlap;
mod tags;

use tags::{
    as_inline, find_content, find_tag, is_only_null, kind_name, single_property, string_values,
    tag_value,
};

impl Types<'_> {
    pub(super) fn plan_union(
        &mut self,
        schema: &Schema,
        variants: &[SchemaRef],
        name: &str,
    ) -> PlannedType {
        if !schema.properties.is_empty() {
            self.problems.report(
                &schema.at,
                "properties beside `oneOf` or `anyOf` have no Rust type",
                "repeat the properties in each of the schemas",
            );
            return PlannedType::Type(Type::Any);
        }
        let (nulls, present): (Vec<&SchemaRef>, Vec<&SchemaRef>) =
            variants.iter().partition(|variant| is_only_null(variant));
        let meaning = match present.as_slice() {
            [] => PlannedType::Type(Type::Any),
            [only] => match only {
                SchemaRef::Inline(inner) if !inner.nullable => self.plan_type(inner, name),
                _ => PlannedType::Type(self.resolve_type(only, name)),
            },
            several => PlannedType::Shape(self.plan_union_of_several(schema, several, name)),
        };
        match (meaning, nulls.is_empty()) {
            (meaning, true) => meaning,
            (PlannedType::Type(ty), false) => PlannedType::Type(ty.optional()),
            (PlannedType::Shape(shape), false) => {
                // A variant that is null means the same as `nullable` at the schema itself, which is usual in OpenAPI
                // 3.0.
                if !schema.nullable {
                    self.problems.report(
                        &schema.at,
                        "a `oneOf` with null among several variants is not expressed",
                        "write `nullable: true` beside the `oneOf`",
                    );
                }
                PlannedType::Shape(shape)
            }
        }
    }

    fn plan_union_of_several(
        &mut self,
        schema: &Schema,
        variants: &[&SchemaRef],
        name: &str,
    ) -> Shape {
        if let Some(shape) = self.plan_string_enum(schema, variants) {
            return shape;
        }
        if let Some(union) = self.plan_external(variants, name) {
            return Shape::Union(union);
        }
        if let Some(tag) = find_tag(variants) {
            return Shape::Union(match find_content(variants, &tag) {
                Some(content) => self.plan_adjacent(variants, name, tag, content),
                None => self.plan_internal(variants, name, tag),
            });
        }
        if let Some(plain) = self.find_common_scalar(variants) {
            return Shape::Newtype(plain);
        }
        Shape::Union(self.plan_untagged(schema, variants, name))
    }

    /// Plans an enum if all variants are strings. `None` for other unions.
    fn plan_string_enum(&mut self, schema: &Schema, variants: &[&SchemaRef]) -> Option<Shape> {
        let mut values = Vec::new();
        for variant in variants {
            let inner = as_inline(variant)?;
            values.extend(described_values(inner)?);
        }
        Some(Shape::Enum(
            self.plan_variants(&schema.at, values.into_iter()),
        ))
    }

    /// Plans an externally tagged union, `"name"` or `{"name": …}`. `None` if the variants have another form.
    fn plan_external(&mut self, variants: &[&SchemaRef], name: &str) -> Option<Union> {
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

    /// Plans a union that `find_tag` and `find_content` found to be adjacently tagged: `{"tag": "name", "content": …}`.
    fn plan_adjacent(
        &mut self,
        variants: &[&SchemaRef],
        name: &str,
        tag: String,
        content: String,
    ) -> Union {
        let mut found = Vec::new();
        for schema in variants.iter().filter_map(|variant| as_inline(variant)) {
            let wire = tag_value(schema, &tag).unwrap_or_default().to_owned();
            let body = match schema.properties.get(&content) {
                None => VariantBody::Unit,
                Some(inner) => {
                    self.plan_variant_body(inner, &format!("{name}{}", name_variant(&wire)))
                }
            };
            found.push((wire, docs::describe(schema), body));
        }
        Union {
            tagging: Tagging::Adjacent { tag, content },
            variants: name_variants(found),
        }
    }

    /// Plans a union that `find_tag` found to be tagged and that has no content property: internally tagged, `{"tag":
    /// "name", …}`.
    fn plan_internal(&mut self, variants: &[&SchemaRef], name: &str, tag: String) -> Union {
        let mut found = Vec::new();
        for schema in variants.iter().filter_map(|variant| as_inline(variant)) {
            let wire = tag_value(schema, &tag).unwrap_or_default().to_owned();
            let owner = format!("{name}{}", name_variant(&wire));
            let mut properties: IndexMap<_, _> = schema.properties.clone();
            properties.shift_remove(&tag);
            let body = match (schema.all_of.as_slice(), properties.is_empty()) {
                ([], true) => VariantBody::Unit,
                ([], false) => VariantBody::Fields(
                    self.plan_fields(&properties, &owner, |p| schema.requires(p)),
                ),
                ([only], true) => VariantBody::Newtype(self.resolve_type(only, &owner)),
                _ => {
                    self.problems.report(
                        &schema.at,
                        "a tagged variant with both an `allOf` and properties has no Rust type",
                        "write the variant's properties out",
                    );
                    VariantBody::Unit
                }
            };
            found.push((wire, docs::describe(schema), body));
        }
        Union {
            tagging: Tagging::Internal { tag },
            variants: name_variants(found),
        }
    }

    fn plan_untagged(&mut self, schema: &Schema, variants: &[&SchemaRef], name: &str) -> Union {
        self.check_overlap(schema, variants);
        let mut found = Vec::new();
        for variant in variants {
            let wire = match variant {
                SchemaRef::Ref { name, .. } => name.clone(),
                SchemaRef::Inline(inner) => inner
                    .title
                    .clone()
                    .unwrap_or_else(|| kind_name(inner).to_owned()),
            };
            let described = as_inline(variant).and_then(|inner| inner.description.clone());
            let docs = described.unwrap_or_default().trim().to_owned();
            let ty = self.resolve_type(variant, &format!("{name}{}", name_variant(&wire)));
            found.push((wire, docs, VariantBody::Newtype(ty)));
        }
        Union {
            tagging: Tagging::Untagged,
            variants: name_variants(found),
        }
    }

    /// Plans the content of a union's variant: the fields of an inline object, or else a type.
    fn plan_variant_body(&mut self, schema: &SchemaRef, name: &str) -> VariantBody {
        if let SchemaRef::Inline(inner) = schema
            && inner.schema_type == Some(SchemaType::Object)
            && !inner.properties.is_empty()
            && inner.all_of.is_empty()
            && !matches!(
                inner.additional_properties,
                Some(AdditionalProperties::Schema(_))
            )
            && !inner.nullable
        {
            return VariantBody::Fields(
                self.plan_fields(&inner.properties, name, |p| inner.requires(p)),
            );
        }
        VariantBody::Newtype(self.resolve_type(schema, name))
    }
}

/// The strings of an enum. Its description belongs to its only string.
fn described_values(schema: &Schema) -> Option<Vec<(&str, String)>> {
    let values = string_values(schema)?;
    let docs = match values.len() {
        1 => docs::describe(schema),
        _ => String::new(),
    };
    Some(
        values
            .into_iter()
            .map(|value| (value, docs.clone()))
            .collect(),
    )
}

fn name_variants(found: Vec<(String, String, VariantBody)>) -> Vec<UnionVariant> {
    let mut taken = HashSet::new();
    found
        .into_iter()
        .map(|(wire, docs, body)| UnionVariant {
            name: names::make_unique(name_variant(&wire), &mut taken),
            wire,
            docs,
            body,
        })
        .collect()
}

fn name_variant(wire: &str) -> String {
    names::variant_name(wire).unwrap_or_else(|| "Value".to_owned())
}
