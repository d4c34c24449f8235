//! Defaults of properties and parameters: checks each against its schema, and writes it for its type.

use std::collections::HashMap;

use serde_json::{Map, Value};
use spec_model::Spec;
use spec_schema::Direction;

use crate::model::{
    Field, Literal, NamedType, PendingDefault, Presence, Shape, Struct, Tagging, Type,
    TypedLiteral, Union, UnionVariant, VariantBody,
};
use crate::plan::problems::Problems;
use crate::plan::scalars;

/// Decides the defaults that are pending. One that does not fit its schema or its type becomes a warning, and the field
/// optional.
pub(super) struct Defaults<'s> {
    problems: &'s Problems<'s>,
    document: Value,
    /// The types, as they were before any default was decided.
    types: HashMap<String, NamedType>,
}

impl<'s> Defaults<'s> {
    pub(super) fn new(spec: &Spec, problems: &'s Problems<'s>, types: &[NamedType]) -> Self {
        Defaults {
            problems,
            document: spec.document.root().to_json(),
            types: types
                .iter()
                .map(|named| (named.name.clone(), named.clone()))
                .collect(),
        }
    }

    pub(super) fn decide_types(&self, types: &mut [NamedType]) {
        for named in types {
            match &mut named.shape {
                Shape::Struct(shape) => self.decide(&mut shape.fields),
                Shape::Union(union) => {
                    for variant in &mut union.variants {
                        if let VariantBody::Fields(fields) = &mut variant.body {
                            self.decide(fields);
                        }
                    }
                }
                Shape::Enum(_) | Shape::Newtype(_) => {}
            }
        }
    }

    pub(super) fn decide<'f>(&self, fields: impl IntoIterator<Item = &'f mut Field>) {
        for field in fields {
            let Presence::Default(Literal::Pending(pending)) = &field.presence else {
                continue;
            };
            match self.convert_pending(&field.ty, pending) {
                Ok(literal) => field.presence = Presence::Default(literal),
                Err(message) => {
                    let help = "correct the default or the schema; without one, an absent value stays absent";
                    self.problems.warn(&pending.at, message, help);
                    field.presence = Presence::Optional;
                    field.ty = field.ty.clone().optional();
                }
            }
        }
    }

    fn convert_pending(&self, ty: &Type, pending: &PendingDefault) -> Result<Literal, String> {
        let validator = spec_schema::compile(&self.document, &pending.schema, Direction::Request);
        if let Ok(validator) = validator
            && let Err(error) = validator.validate(&pending.value)
        {
            return Err(format!("the default does not fit its schema: {error}"));
        }
        self.convert(ty, &pending.value)
            .ok_or_else(|| "the default does not fit the type of its schema".to_owned())
    }

    /// The value as a literal of the type; `None` if the type does not hold it.
    fn convert(&self, ty: &Type, value: &Value) -> Option<Literal> {
        Some(match (ty, value) {
            (Type::Any, _) => Literal::Json(value.clone()),
            (Type::Option(_), Value::Null) => Literal::Null,
            (Type::Option(inner) | Type::Box(inner), _) => self.convert(inner, value)?,
            (Type::Bool, Value::Bool(value)) => Literal::Bool(*value),
            (Type::Integer(width), Value::Number(number)) if scalars::holds(width, number) => {
                Literal::Number(number.to_string())
            }
            (Type::Float(_), Value::Number(number)) => {
                let digits = number.to_string();
                let dotted = digits.contains(['.', 'e', 'E']);
                Literal::Number(if dotted { digits } else { digits + ".0" })
            }
            (Type::String, Value::String(text)) => Literal::String(text.clone()),
            (Type::Parsed(path), Value::String(text)) if scalars::parses(path, text) => {
                Literal::Parsed(text.clone())
            }
            (Type::Vec(_), Value::Array(items)) if items.is_empty() => Literal::Empty,
            (Type::Map(_), Value::Object(members)) if members.is_empty() => Literal::Empty,
            (Type::Vec(item), Value::Array(items)) => {
                let items = items.iter().map(|value| self.typed(item, value));
                Literal::List(items.collect::<Option<_>>()?)
            }
            (Type::Map(item), Value::Object(members)) => {
                let members = members.iter();
                let members =
                    members.map(|(key, value)| Some((key.clone(), self.typed(item, value)?)));
                Literal::Map(members.collect::<Option<_>>()?)
            }
            (Type::Named(name), _) => self.convert_named(self.types.get(name)?, value)?,
            _ => return None,
        })
    }

    fn typed(&self, ty: &Type, value: &Value) -> Option<TypedLiteral> {
        Some(TypedLiteral {
            ty: ty.clone(),
            value: self.convert(ty, value)?,
        })
    }

    fn convert_named(&self, named: &NamedType, value: &Value) -> Option<Literal> {
        let ty = named.name.clone();
        match &named.shape {
            Shape::Enum(variants) => {
                let text = value.as_str()?;
                let variant = variants.iter().find(|variant| variant.wire == text)?;
                Some(Literal::Variant {
                    ty,
                    variant: variant.name.clone(),
                })
            }
            Shape::Newtype(inner) => Some(Literal::Newtype {
                ty,
                variant: None,
                content: Box::new(self.typed(inner, value)?),
            }),
            Shape::Struct(shape) => self.convert_struct(ty, shape, value),
            Shape::Union(union) => self.convert_union(ty, union, value),
        }
    }

    /// The variant that the type reads from a value.
    fn convert_union(&self, ty: String, union: &Union, value: &Value) -> Option<Literal> {
        let by_wire = |wire: &str| union.variants.iter().find(|variant| variant.wire == wire);
        match &union.tagging {
            Tagging::External => match value {
                Value::String(wire) => self.convert_variant(ty, by_wire(wire)?, None),
                Value::Object(members) => {
                    let mut members = members.iter();
                    let ((wire, content), None) = (members.next()?, members.next()) else {
                        return None;
                    };
                    self.convert_variant(ty, by_wire(wire)?, Some(content))
                }
                _ => None,
            },
            Tagging::Internal { tag } => {
                let mut members = value.as_object()?.clone();
                let wire = members.shift_remove(tag)?;
                let content = (!members.is_empty()).then_some(Value::Object(members));
                self.convert_variant(ty, by_wire(wire.as_str()?)?, content.as_ref())
            }
            Tagging::Adjacent { tag, content } => {
                let wire = value.get(tag)?.as_str()?;
                self.convert_variant(ty, by_wire(wire)?, value.get(content))
            }
            Tagging::Untagged => {
                let mut variants = union.variants.iter();
                variants.find_map(|variant| self.convert_variant(ty.clone(), variant, Some(value)))
            }
            Tagging::Chosen(choice) => {
                let tag = choice
                    .property
                    .as_ref()
                    .and_then(|property| value.get(property)?.as_str());
                let is_tagged = |variant: &&UnionVariant| {
                    tag.is_some_and(|tag| variant.tags.iter().any(|own| own == tag))
                };
                let is_valid = |variant: &&UnionVariant| self.accepts(&variant.pointer, value);
                let variants = || union.variants.iter();
                let valid = variants().filter(is_valid);
                let mut order = variants().filter(is_tagged).chain(valid).chain(variants());
                order.find_map(|variant| self.convert_variant(ty.clone(), variant, Some(value)))
            }
        }
    }

    /// A variant with its content; an internally tagged one without members has none.
    fn convert_variant(
        &self,
        ty: String,
        variant: &UnionVariant,
        content: Option<&Value>,
    ) -> Option<Literal> {
        let nothing = Value::Object(Map::new());
        let name = variant.name.clone();
        match &variant.body {
            VariantBody::Unit => content
                .is_none()
                .then_some(Literal::Variant { ty, variant: name }),
            VariantBody::Newtype(inner) => Some(Literal::Newtype {
                ty,
                variant: Some(name),
                content: Box::new(self.typed(inner, content.unwrap_or(&nothing))?),
            }),
            VariantBody::Fields(fields) => {
                let members = content.unwrap_or(&nothing).as_object()?;
                let known = |name: &String| fields.iter().any(|field| field.wire == *name);
                if !members.keys().all(known) {
                    return None;
                }
                Some(Literal::Struct {
                    ty,
                    variant: Some(name),
                    fields: self.convert_fields(fields, members)?,
                })
            }
        }
    }

    /// Whether the schema at a pointer of the document accepts a value.
    fn accepts(&self, pointer: &str, value: &Value) -> bool {
        let schema = spec_schema::find(&self.document, pointer);
        let compile = |schema| spec_schema::compile(&self.document, schema, Direction::Request);
        let validator = schema.and_then(|schema| compile(schema).ok());
        validator.is_some_and(|validator| validator.is_valid(value))
    }

    /// A struct with all its fields. Members that the type does not name are not held, except by its rest.
    fn convert_struct(&self, ty: String, shape: &Struct, value: &Value) -> Option<Literal> {
        let members = value.as_object()?;
        let known = |name: &String| shape.fields.iter().any(|field| field.wire == *name);
        if shape.rest.is_none() && !members.keys().all(known) {
            return None;
        }
        let mut fields = self.convert_fields(&shape.fields, members)?;
        if let (Some(rest), Some(name)) = (&shape.rest, shape.rest_name()) {
            let others = members.iter().filter(|(key, _)| !known(key));
            let others = others.map(|(key, value)| Some((key.clone(), self.typed(rest, value)?)));
            let others: Vec<(String, TypedLiteral)> = others.collect::<Option<_>>()?;
            let ty = Type::Map(Box::new(rest.clone()));
            let value = Literal::Map(others);
            fields.push((name, TypedLiteral { ty, value }));
        }
        Some(Literal::Struct {
            ty,
            variant: None,
            fields,
        })
    }

    /// A value for each field: the member of its name, or what an absent one means.
    fn convert_fields(
        &self,
        fields: &[Field],
        members: &Map<String, Value>,
    ) -> Option<Vec<(String, TypedLiteral)>> {
        let mut converted = Vec::new();
        for field in fields {
            let value = match (members.get(&field.wire), &field.presence) {
                (Some(value), _) => self.typed(&field.ty, value)?,
                (None, Presence::Default(Literal::Pending(pending))) => {
                    // A default that does not fit makes its field optional.
                    match self.convert_pending(&field.ty, pending) {
                        Ok(literal) => TypedLiteral {
                            ty: field.ty.clone(),
                            value: literal,
                        },
                        Err(_) => TypedLiteral {
                            ty: field.ty.clone().optional(),
                            value: Literal::Null,
                        },
                    }
                }
                (None, Presence::Required) => self.typed(&field.ty, &Value::Null)?,
                (None, _) => TypedLiteral {
                    ty: field.ty.clone(),
                    value: Literal::Null,
                },
            };
            converted.push((field.name.clone(), value));
        }
        Some(converted)
    }
}
