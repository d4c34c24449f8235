//! `allOf`: merges the schemas that apply to one value into one, as far as they decide its type.
//!
//! Each keyword of the result is one that the value must satisfy, so a type for the result holds every value.

use std::collections::HashSet;

use dropspec_model::{AdditionalProperties, Node, Place, Schema, SchemaRef, SchemaType};
use indexmap::IndexMap;

use crate::plan::types::Types;

/// A schema without compositions, and the unions beside it.
pub(super) struct Flat {
    pub(super) schema: Schema,
    pub(super) unions: Vec<UnionPart>,
}

/// A `oneOf` or `anyOf`.
#[derive(Clone)]
pub(super) struct UnionPart {
    /// The JSON pointer of the list.
    pub(super) pointer: String,
    pub(super) variants: Vec<SchemaRef>,
    /// The property that tells the variants apart, and its values for each of them.
    pub(super) discriminator: Option<dropspec_model::Discriminator>,
}

/// The parts of an `allOf` that are merged so far.
struct Merge {
    flat: Flat,
    /// The pointers of schemas that are left out, as their meaning is merged already.
    left_out: Vec<String>,
    /// The pointers of the schemas that are being merged.
    open: HashSet<String>,
    /// The pointers of all schemas that were merged: the same one again changes nothing.
    met: HashSet<String>,
    /// The names in `required`.
    required: HashSet<String>,
    /// How many of the parts name properties.
    with_properties: usize,
    closed: Option<Place>,
}

impl Types<'_> {
    /// Merges a schema and its `allOf`.
    pub(super) fn flatten(&self, schema: &Schema) -> Flat {
        self.flatten_all(&[schema], &schema.at, &[])
    }

    /// Merges several schemas for the same value, without the schema at the JSON pointer `left_out`.
    pub(super) fn flatten_all(&self, schemas: &[&Schema], at: &Place, left_out: &[String]) -> Flat {
        let mut merge = Merge {
            flat: Flat {
                schema: Schema::anything(at.clone()),
                unions: Vec::new(),
            },
            left_out: left_out.to_vec(),
            open: HashSet::new(),
            met: HashSet::new(),
            required: HashSet::new(),
            with_properties: 0,
            closed: None,
        };
        for schema in schemas {
            self.merge(schema, &mut merge);
        }
        if let Some(place) = &merge.closed {
            if merge.with_properties > 1 {
                self.problems.warn(
                    place,
                    "this schema is closed, so that the `allOf` around it adds properties that are never valid",
                    "spell all properties out in one schema, or remove `additionalProperties: false`",
                );
            } else {
                merge.flat.schema.additional_properties = Some(AdditionalProperties::Forbidden);
            }
        }
        if let [schema] = schemas {
            let flat = &mut merge.flat.schema;
            flat.title.clone_from(&schema.title);
            flat.description.clone_from(&schema.description);
            flat.discriminator.clone_from(&schema.discriminator);
            flat.deprecated = schema.deprecated;
        }
        merge.flat
    }

    fn merge(&self, schema: &Schema, merge: &mut Merge) {
        if merge.left_out.contains(&schema.at.pointer) {
            return;
        }
        if merge.open.contains(&schema.at.pointer) {
            let help = "break the circle";
            self.problems
                .warn(&schema.at, "an `allOf` leads back to this schema", help);
            return;
        }
        if !merge.met.insert(schema.at.pointer.clone()) {
            return;
        }
        merge.open.insert(schema.at.pointer.clone());
        for part in &schema.all_of {
            if let Some(part) = self.spec.resolve(part) {
                self.merge(part, merge);
            }
        }
        for (keyword, variants) in [("oneOf", &schema.one_of), ("anyOf", &schema.any_of)] {
            let leads_back = variants.iter().any(|variant| {
                let variant = self.spec.resolve(variant);
                variant.is_some_and(|variant| {
                    let pointer = &variant.at.pointer;
                    merge.open.contains(pointer) || merge.left_out.contains(pointer)
                })
            });
            // The value is one of them already.
            if variants.is_empty() || leads_back {
                continue;
            }
            merge.flat.unions.push(UnionPart {
                pointer: format!("{}/{keyword}", schema.at.pointer),
                variants: variants.clone(),
                discriminator: schema.discriminator.clone(),
            });
        }
        self.merge_keywords(schema, merge);
        merge.open.remove(&schema.at.pointer);
    }

    /// Merges the keywords of a schema that are no compositions.
    fn merge_keywords(&self, schema: &Schema, merge: &mut Merge) {
        let flat = &mut merge.flat.schema;
        flat.schema_type = match (flat.schema_type, schema.schema_type) {
            (None, other) | (other, None) => other,
            (Some(SchemaType::Number), Some(SchemaType::Integer)) => Some(SchemaType::Integer),
            (Some(earlier), Some(later)) => {
                let integer = (SchemaType::Integer, SchemaType::Number);
                if earlier != later && (earlier, later) != integer {
                    let message = format!(
                        "nothing is both of the type `{}` and of the type `{}`",
                        earlier.as_str(),
                        later.as_str()
                    );
                    self.problems.warn(
                        &schema.at,
                        message,
                        "give the schemas of the `allOf` one type",
                    );
                }
                Some(earlier)
            }
        };
        flat.format = schema.format.clone().or(flat.format.take());
        flat.minimum = schema.minimum.clone().or(flat.minimum.take());
        flat.maximum = schema.maximum.clone().or(flat.maximum.take());
        flat.default = schema.default.clone().or(flat.default.take());
        flat.read_only |= schema.read_only;
        flat.write_only |= schema.write_only;
        flat.enumeration = match (flat.enumeration.take(), &schema.enumeration) {
            (None, later) => later.clone(),
            (earlier, None) => earlier,
            (Some(earlier), Some(later)) => Some(common_values(earlier, later)),
        };
        flat.items = match (flat.items.take(), &schema.items) {
            (None, later) => later.clone(),
            (earlier, None) => earlier,
            (Some(earlier), Some(later)) => Some(self.both(earlier, later)),
        };
        for (name, later) in &schema.properties {
            let property = match flat.properties.get(name) {
                Some(earlier) => self.both(earlier.clone(), later),
                None => later.clone(),
            };
            flat.properties.insert(name.clone(), property);
        }
        for required in &schema.required {
            if merge.required.insert(required.value.clone()) {
                flat.required.push(required.clone());
            }
        }
        merge.with_properties += usize::from(!schema.properties.is_empty());
        match (&schema.additional_properties, &flat.additional_properties) {
            (None, _) => {}
            (Some(AdditionalProperties::Forbidden), _) => merge.closed = Some(schema.at.clone()),
            (Some(AdditionalProperties::Allowed), Some(_)) => {}
            (rest, _) => flat.additional_properties.clone_from(rest),
        }
    }

    /// The schema of values that are valid by both.
    fn both(&self, earlier: SchemaRef, later: &SchemaRef) -> SchemaRef {
        if self.is_same(&earlier, later) || self.is_shapeless(later) && later.name().is_none() {
            return earlier;
        }
        if self.is_shapeless(&earlier) {
            return later.clone();
        }
        let at = Place {
            // No place of the document has both: the pointer is only unique.
            pointer: format!("{}&{}", later.at().pointer, earlier.at().pointer),
            position: later.at().position,
        };
        let text = |schema: &SchemaRef| match schema {
            SchemaRef::Inline(schema) => schema.description.clone(),
            SchemaRef::Ref { .. } => None,
        };
        SchemaRef::Inline(Box::new(Schema {
            description: text(later).or_else(|| text(&earlier)),
            all_of: vec![earlier, later.clone()],
            ..Schema::anything(at)
        }))
    }

    /// Whether two schemas are the same reference or are written alike.
    pub(super) fn is_same(&self, a: &SchemaRef, b: &SchemaRef) -> bool {
        match (a, b) {
            (SchemaRef::Ref { name: a, .. }, SchemaRef::Ref { name: b, .. }) => a == b,
            _ => {
                let json = |schema: &SchemaRef| self.spec.node(schema.at()).map(Node::to_json);
                a.at() == b.at() || json(a).is_some_and(|a| Some(a) == json(b))
            }
        }
    }

    /// Whether a schema says nothing about the type of a value.
    pub(super) fn is_shapeless(&self, schema: &SchemaRef) -> bool {
        self.spec.resolve(schema).is_some_and(|schema| {
            let composed = [&schema.all_of, &schema.one_of, &schema.any_of];
            schema.schema_type.is_none()
                && schema.enumeration.is_none()
                && schema.items.is_none()
                && schema.properties.is_empty()
                && schema.additional_properties.is_none()
                && composed.iter().all(|schemas| schemas.is_empty())
        })
    }
}

/// The values that both enums list; those of the first if there are none.
fn common_values(earlier: Vec<Node>, later: &[Node]) -> Vec<Node> {
    let later: Vec<_> = later.iter().map(Node::to_json).collect();
    let is_common = |value: &&Node| later.contains(&value.to_json());
    let common: Vec<Node> = earlier.iter().filter(is_common).cloned().collect();
    if common.is_empty() { earlier } else { common }
}

/// Whether the properties of a schema include those of another.
pub(super) fn includes(
    outer: &IndexMap<String, SchemaRef>,
    inner: &IndexMap<String, SchemaRef>,
) -> bool {
    inner.keys().all(|name| outer.contains_key(name))
}
