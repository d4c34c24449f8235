//! `oneOf` and `anyOf`: finds the representation of serde's that a union of the document has.

use std::collections::HashSet;

use dropspec_model::{AdditionalProperties, Place, Schema, SchemaRef, SchemaType};

use crate::model::{Shape, Tagging, Type, Union, UnionVariant, VariantBody};
use crate::names;
use crate::plan::all_of::{Flat, UnionPart, includes};
use crate::plan::docs;
use crate::plan::schemas::PlannedType;
use crate::plan::types::Types;

mod distinct;
mod specificity;
mod tagged;
pub(super) mod tags;

use tags::{as_inline, find_tag, is_only_null, kind_name, string_values};

/// A union with more variants beside properties of its own becomes an open struct.
const MOST_MERGED_VARIANTS: usize = 64;

impl Types<'_> {
    /// Plans a schema whose `allOf` is merged.
    pub(super) fn plan_flat(&mut self, flat: Flat, name: &str) -> PlannedType {
        let Flat { schema, mut unions } = flat;
        unions.retain(|union| !self.only_constrains(&schema, union));
        let is_object = matches!(schema.schema_type, None | Some(SchemaType::Object));
        let has_shape = !schema.properties.is_empty()
            || schema.additional_properties.is_some()
            || schema.items.is_some();
        if schema.enumeration.is_some() || unions.is_empty() {
            return self.plan_plain(&schema, name);
        }
        match (unions.as_slice(), is_object, has_shape) {
            ([only], true, false) => self.plan_union(&schema, only, name),
            // The type decides, except that strings may be an enum.
            ([only], false, _) if schema.schema_type == Some(SchemaType::String) => {
                let variants: Vec<&SchemaRef> = only.variants.iter().collect();
                match self.plan_string_enum(&schema, &variants) {
                    Some(shape) => PlannedType::Shape(shape),
                    None => self.plan_plain(&schema, name),
                }
            }
            ([only], true, true) if only.variants.len() <= MOST_MERGED_VARIANTS => {
                let merged = self.merge_into_variants(&schema, only);
                self.plan_union(&schema, &merged, name)
            }
            // Any struct would lose the properties of the unions.
            (_, true, true) => {
                let rest = schema.additional_properties.clone();
                let open = Schema {
                    additional_properties: rest.or(Some(AdditionalProperties::Allowed)),
                    ..schema
                };
                self.plan_plain(&open, name)
            }
            _ => self.plan_plain(&schema, name),
        }
    }

    /// Whether a union beside a schema does not change its type, such as alternatives of `required`.
    fn only_constrains(&self, base: &Schema, union: &UnionPart) -> bool {
        union.variants.iter().all(|variant| {
            let Some(variant) = self.spec.resolve(variant) else {
                return false;
            };
            let composed = [&variant.all_of, &variant.one_of, &variant.any_of];
            let same_type = variant.schema_type.is_none()
                || (variant.schema_type == base.schema_type && !base.properties.is_empty());
            same_type
                && variant.enumeration.is_none()
                && variant.items.is_none()
                && variant.format.is_none()
                && variant.additional_properties.is_none()
                && includes(&base.properties, &variant.properties)
                && composed.iter().all(|schemas| schemas.is_empty())
        })
    }

    /// Merges the schema beside a union into each of its variants.
    fn merge_into_variants(&self, base: &Schema, union: &UnionPart) -> UnionPart {
        let merge = |(index, variant): (usize, &SchemaRef)| {
            let Some(own) = self
                .spec
                .resolve(variant)
                .filter(|_| !is_only_null(variant))
            else {
                return variant.clone();
            };
            if variant.name().is_some() {
                let flat = self.flatten(own);
                let mut required = base.required.iter();
                let extends = includes(&flat.schema.properties, &base.properties)
                    && required.all(|required| flat.schema.requires(&required.value));
                if flat.unions.is_empty() && extends {
                    return variant.clone();
                }
            }
            let at = Place {
                pointer: format!("{}/{index}&{}", union.pointer, base.at.pointer),
                position: variant.at().position,
            };
            let beside = Schema {
                at: at.clone(),
                nullable: false,
                ..base.clone()
            };
            let left_out = [base.at.pointer.clone()];
            let mut flat = self.flatten_all(&[&beside, own], &at, &left_out);
            if !flat.unions.is_empty() && flat.schema.additional_properties.is_none() {
                flat.schema.additional_properties = Some(AdditionalProperties::Allowed);
            }
            SchemaRef::Inline(Box::new(Schema {
                title: variant.name().map(str::to_owned).or(own.title.clone()),
                description: own.description.clone(),
                schema_type: Some(SchemaType::Object),
                discriminator: None,
                ..flat.schema
            }))
        };
        UnionPart {
            variants: union.variants.iter().enumerate().map(merge).collect(),
            ..union.clone()
        }
    }

    fn plan_union(&mut self, schema: &Schema, union: &UnionPart, name: &str) -> PlannedType {
        let (nulls, present): (Vec<_>, Vec<_>) = union
            .variants
            .iter()
            .enumerate()
            .partition(|(_, variant)| is_only_null(variant));
        let meaning = match present.as_slice() {
            [] => PlannedType::Type(Type::Any),
            [(_, only)] => match only {
                SchemaRef::Inline(inner) if !inner.nullable => self.plan_type(inner, name),
                _ => PlannedType::Type(self.resolve_type(only, name)),
            },
            _ => PlannedType::Shape(self.plan_union_of_several(schema, union, &present, name)),
        };
        match (meaning, nulls.is_empty()) {
            (PlannedType::Type(ty), false) => PlannedType::Type(ty.optional()),
            (meaning, _) => meaning,
        }
    }

    fn plan_union_of_several(
        &mut self,
        schema: &Schema,
        union: &UnionPart,
        present: &[(usize, &SchemaRef)],
        name: &str,
    ) -> Shape {
        let variants: Vec<&SchemaRef> = present.iter().map(|(_, variant)| *variant).collect();
        if let Some(shape) = self.plan_string_enum(schema, &variants) {
            return shape;
        }
        if let Some(union) = self.plan_external(&variants, name) {
            return Shape::Union(union);
        }
        // serde has no variant for an absent tag.
        let discriminator = union.discriminator.as_ref();
        let has_default = discriminator.is_some_and(|it| it.default_mapping.is_some());
        let tag = find_tag(&variants).filter(|_| !has_default);
        if let Some(tag) = tag.filter(|tag| self.can_be_tagged(&variants, tag)) {
            return Shape::Union(self.plan_internal(&variants, name, tag));
        }
        if let Some(plain) = self.find_common_scalar(&variants) {
            return Shape::Newtype(plain);
        }
        Shape::Union(self.plan_untagged(union, present, name))
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

    fn plan_untagged(
        &mut self,
        union: &UnionPart,
        present: &[(usize, &SchemaRef)],
        name: &str,
    ) -> Union {
        let mut present = present.to_vec();
        present.sort_by_key(|(_, variant)| std::cmp::Reverse(self.specificity(variant)));
        let mut found = Vec::new();
        for (_, variant) in &present {
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
        let mut variants = name_variants(found);
        let property = union.discriminator.as_ref();
        let mapped = property.map(|it| it.mapped_values()).unwrap_or_default();
        let mut values = match property {
            Some(_) => None,
            None => self.find_distinct_values(&present),
        };
        let mut default = None;
        for (number, (variant, (index, schema))) in variants.iter_mut().zip(&present).enumerate() {
            variant.pointer = format!("{}/{index}", union.pointer);
            if let Some(discriminator) = property {
                // Merged variants keep their names as titles.
                let name = schema
                    .name()
                    .or(as_inline(schema).and_then(|s| s.title.as_deref()));
                let is_default = name.is_some_and(|name| discriminator.has_default(name));
                default = default.or(is_default.then_some(number));
                let values = |name: &str| mapped.get(name).cloned();
                let tags = name.map(|name| values(name).unwrap_or_else(|| vec![name.to_owned()]));
                variant.tags = tags.unwrap_or_default();
            }
            if let Some((_, values)) = &mut values {
                variant.tags = std::mem::take(&mut values[number]);
            }
        }
        let property = property.map(|discriminator| discriminator.property.clone());
        Union {
            tagging: Tagging::Untagged {
                property: property.or(values.map(|(property, _)| property)),
                default,
            },
            variants,
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
            return VariantBody::Fields(self.plan_fields(&inner.properties, name, &inner.required));
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
            pointer: String::new(),
            tags: Vec::new(),
        })
        .collect()
}

fn name_variant(wire: &str) -> String {
    names::variant_name(wire).unwrap_or_else(|| "Value".to_owned())
}
