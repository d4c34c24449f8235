//! Schemas to types: which get a name, and which are written where they are used.
//!
//! The type of a schema holds every value that the schema accepts, and writes it again as it was read. It may hold more:
//! the schema itself decides at run time.

use dropspec_model::{AdditionalProperties, Node, Place, Schema, SchemaRef, SchemaType, Value};
use dropspec_schema::pointer;

use crate::model::{Origin, Shape, Struct, Type};
use crate::plan::types::Types;
use crate::plan::unions::tags::{as_inline, is_only_null, only_beside_null};
use crate::plan::{docs, scalars};

/// The deepest chain of compositions that is followed to learn whether null is valid.
const MAX_DEPTH: u8 = 16;

/// The planned Rust type of a schema: one that needs a name or one that does not.
pub(super) enum PlannedType {
    /// A type that needs no name.
    Type(Type),
    /// A type that needs one.
    Shape(Shape),
}

impl Types<'_> {
    /// Reads a type per component. Types of schemas inside follow their component.
    pub(super) fn read_components(&mut self) {
        let spec = self.spec;
        for (name, schema) in &spec.schemas {
            let Some(rust) = self.components.get(name).cloned() else {
                continue;
            };
            let pointer = pointer::join("/components/schemas", name);
            let docs = match schema {
                SchemaRef::Ref { .. } => String::new(),
                SchemaRef::Inline(schema) => docs::describe(schema),
            };
            let docs = docs::or_name(docs, name);
            self.push(rust.clone(), pointer, docs, Origin::Component);
            let shape = match schema {
                SchemaRef::Ref { .. } => Shape::Newtype(self.resolve_type(schema, &rust)),
                SchemaRef::Inline(schema) => match self.plan_type(schema, &rust) {
                    PlannedType::Shape(shape) => shape,
                    PlannedType::Type(ty) => Shape::Newtype(ty),
                },
            };
            self.set_shape(&rust, shape);
        }
    }

    /// The type of a schema where it is used. `hint` is its name if it needs one and has none.
    pub(super) fn resolve_type(&mut self, schema: &SchemaRef, hint: &str) -> Type {
        let ty = match schema {
            SchemaRef::Ref { name, .. } => {
                Type::Named(self.components.get(name).cloned().unwrap_or_default())
            }
            SchemaRef::Inline(schema) => self.resolve_inline_type(schema, hint),
        };
        let resolved = self.spec.resolve(schema);
        if resolved.is_some_and(|schema| self.accepts_null(schema, MAX_DEPTH)) {
            ty.optional()
        } else {
            ty
        }
    }

    fn resolve_inline_type(&mut self, schema: &Schema, hint: &str) -> Type {
        if let Some(name) = self.hoisted.get(&schema.at.pointer) {
            return Type::Named(name.clone());
        }
        // Types inside need the name before it is known whether this type needs one, so that the name may be given back.
        let name = self.derive_name(hint);
        let docs = docs::or_name(docs::describe(schema), &name);
        let pointer = schema.at.pointer.clone();
        self.push(name.clone(), pointer.clone(), docs, Origin::Hoisted);
        match self.plan_type(schema, &name) {
            PlannedType::Shape(shape) => {
                self.set_shape(&name, shape);
                self.hoisted.insert(pointer, name.clone());
                Type::Named(name)
            }
            PlannedType::Type(ty) => {
                self.give_back(&name);
                ty
            }
        }
    }

    /// Whether null is valid, except by a type inside that holds it itself.
    pub(super) fn accepts_null(&self, schema: &Schema, depth: u8) -> bool {
        // A union of one variant and null is an `Option` itself, unless the variant becomes its type.
        let unions = [&schema.one_of, &schema.any_of];
        let has_null = unions.into_iter().any(|variants| {
            let only = only_beside_null(variants).and_then(|only| as_inline(&only));
            let is_own_type = only.is_some_and(|only| {
                let parts = [&only.all_of, &only.one_of, &only.any_of];
                let is_composed = parts.into_iter().any(|parts| !parts.is_empty());
                is_composed || !only.properties.is_empty() || only.enumeration.is_some()
            });
            let nulls = variants.iter().filter(|variant| is_only_null(variant));
            let nulls = nulls.count();
            nulls > 0 && (is_own_type || variants.len() != nulls + 1)
        });
        if schema.nullable || holds_null(schema) || has_null {
            return true;
        }
        let constrained = schema.schema_type.is_some() || schema.enumeration.is_some();
        depth > 0
            && !constrained
            && !schema.all_of.is_empty()
            && schema.all_of.iter().all(|part| {
                let part = self.spec.resolve(part);
                part.is_some_and(|part| self.accepts_null(part, depth - 1))
            })
    }

    /// Plans the type of a schema, except for its `nullable`. `name` is for the type, if it needs one.
    pub(super) fn plan_type(&mut self, schema: &Schema, name: &str) -> PlannedType {
        if let Some(only) = only_part(schema) {
            return match only {
                SchemaRef::Inline(inner) if !inner.nullable => self.plan_type(inner, name),
                _ => PlannedType::Type(self.resolve_type(only, name)),
            };
        }
        let composed = [&schema.all_of, &schema.one_of, &schema.any_of];
        if composed.iter().any(|schemas| !schemas.is_empty()) {
            let flat = self.flatten(schema);
            return self.plan_flat(flat, name);
        }
        self.plan_plain(schema, name)
    }

    /// Plans a schema without `allOf`, `oneOf` and `anyOf`.
    pub(super) fn plan_plain(&mut self, schema: &Schema, name: &str) -> PlannedType {
        if let Some(values) = &schema.enumeration {
            return self.plan_enumeration(schema, values, name);
        }
        match schema.schema_type {
            Some(SchemaType::Object) => self.plan_object(schema, name),
            Some(SchemaType::Array) => self.plan_array(schema, name),
            Some(scalar) => PlannedType::Type(scalars::scalar(scalar, schema)),
            None if !schema.properties.is_empty() => self.plan_object(schema, name),
            None if schema.items.is_some() => self.plan_array(schema, name),
            None => PlannedType::Type(Type::Any),
        }
    }

    fn plan_array(&mut self, schema: &Schema, name: &str) -> PlannedType {
        let item = match &schema.items {
            None => Type::Any,
            Some(items) => self.resolve_type(items, &format!("{name}Item")),
        };
        PlannedType::Type(Type::Vec(Box::new(item)))
    }

    fn plan_object(&mut self, schema: &Schema, name: &str) -> PlannedType {
        let closed = schema.additional_properties == Some(AdditionalProperties::Forbidden);
        let rest = match &schema.additional_properties {
            Some(AdditionalProperties::Schema(rest)) => {
                Some(self.resolve_type(rest, &format!("{name}Value")))
            }
            Some(AdditionalProperties::Allowed) => Some(Type::Any),
            // The properties of the schemas that extend this one.
            None if schema.discriminator.is_some() => Some(Type::Any),
            Some(AdditionalProperties::Forbidden) | None => None,
        };
        if schema.properties.is_empty() && !closed {
            let value = rest.unwrap_or(Type::Any);
            return PlannedType::Type(Type::Map(Box::new(value)));
        }
        let mut properties = schema.properties.clone();
        if rest.is_none() && !closed {
            // A required property without a schema would be lost.
            for required in &schema.required {
                properties
                    .entry(required.value.clone())
                    .or_insert_with(|| anything(&required.at));
            }
        }
        let fields = self.plan_fields(&properties, name, &schema.required);
        PlannedType::Shape(Shape::Struct(Struct {
            fields,
            rest,
            closed,
        }))
    }

    fn plan_enumeration(&mut self, schema: &Schema, values: &[Node], name: &str) -> PlannedType {
        let strings: Vec<&str> = values.iter().filter_map(Node::as_str).collect();
        let others = values
            .iter()
            .filter(|value| value.value != Value::Null && value.as_str().is_none());
        let others = others.count();
        match schema.schema_type {
            Some(SchemaType::String) | None
                if !strings.is_empty() && (others == 0 || schema.schema_type.is_some()) =>
            {
                if others > 0 {
                    self.problems.warn(
                        &schema.at,
                        "the `enum` of a string lists values that are no strings, which nothing can equal",
                        "put them in quotes",
                    );
                }
                let with_docs = strings.into_iter().map(|text| (text, String::new()));
                PlannedType::Shape(Shape::Enum(self.plan_variants(&schema.at, with_docs)))
            }
            // The values of a number or a list are checked against the document's schema; the type stays plain.
            Some(SchemaType::Array) => self.plan_array(schema, name),
            Some(SchemaType::Object) => PlannedType::Type(Type::Map(Box::new(Type::Any))),
            Some(scalar) => PlannedType::Type(scalars::scalar(scalar, schema)),
            None => PlannedType::Type(Type::Any),
        }
    }
}

/// The only schema of an `allOf` beside which no keyword changes the type.
fn only_part(schema: &Schema) -> Option<&SchemaRef> {
    let [only] = schema.all_of.as_slice() else {
        return None;
    };
    let unions = !schema.one_of.is_empty() || !schema.any_of.is_empty();
    let object = !schema.properties.is_empty()
        || !schema.required.is_empty()
        || schema.additional_properties.is_some();
    let others = schema.enumeration.is_some() || schema.items.is_some();
    (!unions && !object && !others).then_some(only)
}

/// A schema that accepts anything, for what the document does not describe at this place.
pub(super) fn anything(at: &Place) -> SchemaRef {
    SchemaRef::Inline(Box::new(Schema::anything(at.clone())))
}

/// Whether `enum` lists null.
fn holds_null(schema: &Schema) -> bool {
    let values = schema.enumeration.as_deref().unwrap_or_default();
    values.iter().any(|value| value.value == Value::Null)
}
