//! Schemas to types: which get a name, and which are written where they are used.

use std::collections::{HashMap, HashSet};

use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType, Spec, Value};
use spec_schema::pointer;

use crate::model::{NamedType, Origin, Shape, Struct, Type};
use crate::names;
use crate::plan::problems::Problems;
use crate::plan::types::Types;
use crate::plan::{docs, scalars};

/// The planned Rust type of a schema: one that needs a name or one that does not.
pub(super) enum PlannedType {
    /// A type that needs no name.
    Type(Type),
    /// A type that needs one.
    Shape(Shape),
}

impl<'s> Types<'s> {
    pub(super) fn new(spec: &'s Spec, problems: &'s Problems<'s>) -> Types<'s> {
        let mut components = HashMap::new();
        let mut owners: HashMap<String, &str> = HashMap::new();
        for (name, schema) in &spec.schemas {
            let Some(rust) = names::type_name(name) else {
                let message = format!("no Rust name can be made of the schema name `{name}`");
                problems.report(schema.at(), message, "name the schema in ASCII letters");
                continue;
            };
            if let Some(other) = owners.insert(rust.clone(), name) {
                let message =
                    format!("`{name}` and `{other}` would both be the Rust type `{rust}`");
                problems.report(schema.at(), message, "rename one of the two schemas");
            }
            components.insert(name.clone(), rust);
        }
        let taken: HashSet<String> = owners.into_keys().collect();
        Types {
            spec,
            problems,
            components,
            hoisted: HashMap::new(),
            taken,
            types: Vec::new(),
        }
    }

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
            let index = self.push(rust.clone(), pointer, docs, Origin::Component);
            let shape = match schema {
                SchemaRef::Ref { .. } => Shape::Newtype(self.resolve_type(schema, &rust)),
                SchemaRef::Inline(schema) => match self.plan_type(schema, &rust) {
                    PlannedType::Shape(shape) => shape,
                    PlannedType::Type(ty) => Shape::Newtype(ty),
                },
            };
            self.types[index].shape = shape;
        }
    }

    /// Reports schemas that are only names for each other, in a circle, and makes them [`Type::Any`], so that following
    /// names ends.
    pub(super) fn report_endless_names(&mut self) {
        let names: HashMap<String, String> = self
            .types
            .iter()
            .filter_map(|named| match &named.shape {
                Shape::Newtype(Type::Named(other)) => Some((named.name.clone(), other.clone())),
                _ => None,
            })
            .collect();
        for (component, schema) in &self.spec.schemas {
            let rust = self.components.get(component);
            let Some(named) = self
                .types
                .iter_mut()
                .find(|named| Some(&named.name) == rust)
            else {
                continue;
            };
            let mut next = names.get(&named.name);
            let mut seen = HashSet::new();
            while let Some(name) = next.filter(|name| seen.insert(name.as_str())) {
                next = names.get(name);
            }
            if next.is_some() {
                self.problems.report(
                    schema.at(),
                    "the schema is only a name for itself",
                    "give it a type",
                );
                named.shape = Shape::Newtype(Type::Any);
            }
        }
    }

    pub(super) fn finish(self) -> Vec<NamedType> {
        self.types
    }

    pub(super) fn find(&mut self, name: &str) -> Option<&mut NamedType> {
        self.types.iter_mut().find(|named| named.name == name)
    }

    /// The type of a schema where it is used. `hint` is its name if it needs one and has none.
    pub(super) fn resolve_type(&mut self, schema: &SchemaRef, hint: &str) -> Type {
        match schema {
            SchemaRef::Ref { name, .. } => {
                let ty = Type::Named(self.components.get(name).cloned().unwrap_or_default());
                let nullable = self.spec.schema(name).is_some_and(|schema| schema.nullable);
                if nullable { ty.optional() } else { ty }
            }
            SchemaRef::Inline(schema) => {
                let ty = self.resolve_inline_type(schema, hint);
                if schema.nullable || holds_null(schema) {
                    ty.optional()
                } else {
                    ty
                }
            }
        }
    }

    fn resolve_inline_type(&mut self, schema: &Schema, hint: &str) -> Type {
        if let Some(name) = self.hoisted.get(&schema.at.pointer) {
            return Type::Named(name.clone());
        }
        // Types inside need the name before it is known whether this type needs one, so that the name may be given back.
        let name = names::type_name(hint).unwrap_or_else(|| "Inline".to_owned());
        let index = self.types.len();
        let before = self.taken.clone();
        let name = names::make_unique(name, &mut self.taken);
        let docs = docs::or_name(docs::describe(schema), &name);
        self.push(
            name.clone(),
            schema.at.pointer.clone(),
            docs,
            Origin::Hoisted,
        );
        match self.plan_type(schema, &name) {
            PlannedType::Shape(shape) => {
                self.types[index].shape = shape;
                self.hoisted.insert(schema.at.pointer.clone(), name.clone());
                Type::Named(name)
            }
            PlannedType::Type(ty) => {
                self.types.remove(index);
                if self.types.len() == index {
                    self.taken = before;
                }
                ty
            }
        }
    }

    fn push(&mut self, name: String, pointer: String, docs: String, origin: Origin) -> usize {
        self.types.push(NamedType {
            name,
            pointer,
            docs,
            shape: Shape::Newtype(Type::Any),
            origin,
            error: None,
        });
        self.types.len() - 1
    }

    /// Plans the type of a schema, except for its `nullable`. `name` is for the type, if it needs one.
    pub(super) fn plan_type(&mut self, schema: &Schema, name: &str) -> PlannedType {
        if !schema.all_of.is_empty() {
            return self.plan_all_of(schema, name);
        }
        let variants = if schema.one_of.is_empty() {
            &schema.any_of
        } else {
            &schema.one_of
        };
        if !variants.is_empty() {
            return self.plan_union(schema, variants, name);
        }
        if let Some(values) = &schema.enumeration {
            return self.plan_enumeration(schema, values);
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
        let rest = match &schema.additional_properties {
            Some(AdditionalProperties::Schema(rest)) => {
                Some(self.resolve_type(rest, &format!("{name}Value")))
            }
            _ => None,
        };
        let closed = schema.additional_properties == Some(AdditionalProperties::Forbidden);
        if schema.properties.is_empty() && !closed {
            let value = rest.unwrap_or(Type::Any);
            return PlannedType::Type(Type::Map(Box::new(value)));
        }
        let fields = self.plan_fields(&schema.properties, name, |property| {
            schema.requires(property)
        });
        PlannedType::Shape(Shape::Struct(Struct {
            fields,
            rest,
            closed,
        }))
    }

    fn plan_enumeration(&mut self, schema: &Schema, values: &[spec_model::Node]) -> PlannedType {
        let strings: Option<Vec<&str>> = values
            .iter()
            .filter(|value| value.value != Value::Null)
            .map(spec_model::Node::as_str)
            .collect();
        match (strings, schema.schema_type) {
            (Some(strings), None | Some(SchemaType::String)) if !strings.is_empty() => {
                let with_docs = strings.into_iter().map(|text| (text, String::new()));
                PlannedType::Shape(Shape::Enum(self.plan_variants(&schema.at, with_docs)))
            }
            // The values of a number or a list are checked against the document's schema; the type stays plain.
            (_, Some(SchemaType::Array)) => self.plan_array(schema, "Inline"),
            (_, Some(SchemaType::Object)) => PlannedType::Type(Type::Map(Box::new(Type::Any))),
            (_, Some(scalar)) => PlannedType::Type(scalars::scalar(scalar, schema)),
            (_, None) => PlannedType::Type(Type::Any),
        }
    }

    /// Marks the type of a body, so that its JSON schema is generated even if the document does not name it.
    pub(super) fn mark_body_type(&mut self, ty: &Type) {
        let Some(name) = ty.named().map(str::to_owned) else {
            return;
        };
        if let Some(named) = self.find(&name)
            && named.origin == Origin::Hoisted
        {
            named.origin = Origin::Body;
        }
    }
}

/// Whether `enum` lists null.
fn holds_null(schema: &Schema) -> bool {
    let values = schema.enumeration.as_deref().unwrap_or_default();
    values.iter().any(|value| value.value == Value::Null)
}
