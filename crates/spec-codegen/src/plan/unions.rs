//! `oneOf` and `anyOf`: which of serde's ways to tell variants apart a document means.

use std::collections::HashSet;

use indexmap::IndexMap;
use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType};

use crate::model::{Shape, Tagging, Type, Union, UnionVariant, VariantBody};
use crate::names;
use crate::plan::schemas::Meaning;
use crate::plan::{Types, docs};

mod overlap;
mod tags;

use tags::{content_of, inline, kind, only_null, single, strings, tag_of, tag_value};

impl Types<'_> {
    pub(super) fn union(&mut self, schema: &Schema, variants: &[SchemaRef], name: &str) -> Meaning {
        if !schema.properties.is_empty() {
            self.problems.report(
                &schema.at,
                "properties beside `oneOf` or `anyOf` have no Rust type",
                "repeat the properties in each of the schemas",
            );
            return Meaning::Type(Type::Any);
        }
        let (nulls, present): (Vec<&SchemaRef>, Vec<&SchemaRef>) =
            variants.iter().partition(|variant| only_null(variant));
        let meaning = match present.as_slice() {
            [] => Meaning::Type(Type::Any),
            [only] => match only {
                SchemaRef::Inline(inner) if !inner.nullable => self.meaning(inner, name),
                _ => Meaning::Type(self.used(only, name)),
            },
            several => Meaning::Shape(self.variants_of(schema, several, name)),
        };
        match (meaning, nulls.is_empty()) {
            (meaning, true) => meaning,
            (Meaning::Type(ty), false) => Meaning::Type(ty.optional()),
            (Meaning::Shape(shape), false) => {
                // The schema itself says `nullable` in all documents of OpenAPI 3.0; a variant that is null says the same.
                if !schema.nullable {
                    self.problems.report(
                        &schema.at,
                        "a `oneOf` with null among several variants is not expressed",
                        "write `nullable: true` beside the `oneOf`",
                    );
                }
                Meaning::Shape(shape)
            }
        }
    }

    fn variants_of(&mut self, schema: &Schema, variants: &[&SchemaRef], name: &str) -> Shape {
        if let Some(shape) = self.names_only(schema, variants) {
            return shape;
        }
        if let Some(union) = self.external(variants, name) {
            return Shape::Union(union);
        }
        if let Some(tag) = tag_of(variants) {
            return Shape::Union(match content_of(variants, &tag) {
                Some(content) => self.adjacent(variants, name, tag, content),
                None => self.internal(variants, name, tag),
            });
        }
        if let Some(plain) = self.one_kind(variants) {
            return Shape::Newtype(plain);
        }
        Shape::Union(self.untagged(schema, variants, name))
    }

    /// Strings only: an enum whose values are described one by one.
    fn names_only(&mut self, schema: &Schema, variants: &[&SchemaRef]) -> Option<Shape> {
        let mut values = Vec::new();
        for variant in variants {
            let inner = inline(variant)?;
            let names = strings(inner)?;
            let docs = if names.len() == 1 {
                docs::describe(inner)
            } else {
                String::new()
            };
            values.extend(names.into_iter().map(|name| (name, docs.clone())));
        }
        Some(Shape::Enum(self.variants(&schema.at, values.into_iter())))
    }

    /// `"name"` or `{"name": …}`.
    fn external(&mut self, variants: &[&SchemaRef], name: &str) -> Option<Union> {
        let fits = variants.iter().all(|variant| {
            inline(variant)
                .is_some_and(|schema| strings(schema).is_some() || single(schema).is_some())
        });
        let objects = variants
            .iter()
            .filter_map(|v| inline(v))
            .any(|schema| single(schema).is_some());
        if !fits || !objects {
            return None;
        }
        let mut found = Vec::new();
        for schema in variants.iter().filter_map(|variant| inline(variant)) {
            if let Some((wire, content)) = single(schema) {
                let docs = docs::describe(schema);
                let body = self.body(content, &format!("{name}{}", variant_name(wire)));
                found.push((wire.to_owned(), docs, body));
            } else {
                let names = strings(schema).unwrap_or_default();
                let docs = if names.len() == 1 {
                    docs::describe(schema)
                } else {
                    String::new()
                };
                found.extend(
                    names
                        .into_iter()
                        .map(|n| (n.to_owned(), docs.clone(), VariantBody::Unit)),
                );
            }
        }
        Some(Union {
            tagging: Tagging::External,
            variants: distinct(found),
        })
    }

    /// `{"tag": "name", "content": …}`
    fn adjacent(
        &mut self,
        variants: &[&SchemaRef],
        name: &str,
        tag: String,
        content: String,
    ) -> Union {
        let mut found = Vec::new();
        for schema in variants.iter().filter_map(|variant| inline(variant)) {
            let wire = tag_value(schema, &tag).unwrap_or_default().to_owned();
            let body = match schema.properties.get(&content) {
                None => VariantBody::Unit,
                Some(inner) => self.body(inner, &format!("{name}{}", variant_name(&wire))),
            };
            found.push((wire, docs::describe(schema), body));
        }
        Union {
            tagging: Tagging::Adjacent { tag, content },
            variants: distinct(found),
        }
    }

    /// `{"tag": "name", …}`
    fn internal(&mut self, variants: &[&SchemaRef], name: &str, tag: String) -> Union {
        let mut found = Vec::new();
        for schema in variants.iter().filter_map(|variant| inline(variant)) {
            let wire = tag_value(schema, &tag).unwrap_or_default().to_owned();
            let owner = format!("{name}{}", variant_name(&wire));
            let mut properties: IndexMap<_, _> = schema.properties.clone();
            properties.shift_remove(&tag);
            let body = match (schema.all_of.as_slice(), properties.is_empty()) {
                ([], true) => VariantBody::Unit,
                ([], false) => {
                    VariantBody::Fields(self.fields(&properties, &owner, |p| schema.requires(p)))
                }
                ([only], true) => VariantBody::Newtype(self.used(only, &owner)),
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
            variants: distinct(found),
        }
    }

    fn untagged(&mut self, schema: &Schema, variants: &[&SchemaRef], name: &str) -> Union {
        self.check_told_apart(schema, variants);
        let mut found = Vec::new();
        for variant in variants {
            let wire = match variant {
                SchemaRef::Ref { name, .. } => name.clone(),
                SchemaRef::Inline(inner) => inner
                    .title
                    .clone()
                    .unwrap_or_else(|| kind(inner).to_owned()),
            };
            let described = inline(variant).and_then(|inner| inner.description.clone());
            let docs = described.unwrap_or_default().trim().to_owned();
            let ty = self.used(variant, &format!("{name}{}", variant_name(&wire)));
            found.push((wire, docs, VariantBody::Newtype(ty)));
        }
        Union {
            tagging: Tagging::Untagged,
            variants: distinct(found),
        }
    }

    /// What a variant carries: an inline object's fields stay inside the variant.
    fn body(&mut self, schema: &SchemaRef, name: &str) -> VariantBody {
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
                self.fields(&inner.properties, name, |p| inner.requires(p)),
            );
        }
        VariantBody::Newtype(self.used(schema, name))
    }
}

fn distinct(found: Vec<(String, String, VariantBody)>) -> Vec<UnionVariant> {
    let mut taken = HashSet::new();
    found
        .into_iter()
        .map(|(wire, docs, body)| UnionVariant {
            name: names::distinct(variant_name(&wire), &mut taken),
            wire,
            docs,
            body,
        })
        .collect()
}

fn variant_name(wire: &str) -> String {
    names::variant_name(wire).unwrap_or_else(|| "Value".to_owned())
}
