//! Defaults of properties and parameters: checks each against its schema, and writes it for its type.

use std::collections::HashMap;

use serde_json::Value;
use spec_model::Spec;
use spec_schema::Direction;

use crate::model::{
    Field, Literal, NamedType, PendingDefault, Presence, Shape, Struct, Tagging, Type,
    TypedLiteral, VariantBody,
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
            Shape::Union(union) if union.tagging.is_untagged() => {
                union.variants.iter().find_map(|variant| {
                    let inner = variant.body.content()?;
                    Some(Literal::Newtype {
                        ty: ty.clone(),
                        variant: Some(variant.name.clone()),
                        content: Box::new(self.typed(inner, value)?),
                    })
                })
            }
            Shape::Union(union) if union.tagging == Tagging::External => {
                let text = value.as_str()?;
                let is_named = |v: &&crate::model::UnionVariant| {
                    v.wire == text && matches!(v.body, VariantBody::Unit)
                };
                let variant = union.variants.iter().find(is_named)?;
                Some(Literal::Variant {
                    ty,
                    variant: variant.name.clone(),
                })
            }
            Shape::Union(_) => None,
        }
    }

    /// A struct with all its fields. Members that the type does not name are not held, except by its rest.
    fn convert_struct(&self, ty: String, shape: &Struct, value: &Value) -> Option<Literal> {
        let members = value.as_object()?;
        let known = |name: &String| shape.fields.iter().any(|field| field.wire == *name);
        if shape.rest.is_none() && !members.keys().all(known) {
            return None;
        }
        let mut fields = Vec::new();
        for field in &shape.fields {
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
            fields.push((field.name.clone(), value));
        }
        if let (Some(rest), Some(name)) = (&shape.rest, shape.rest_name()) {
            let others = members.iter().filter(|(key, _)| !known(key));
            let others = others.map(|(key, value)| Some((key.clone(), self.typed(rest, value)?)));
            let others: Vec<(String, TypedLiteral)> = others.collect::<Option<_>>()?;
            let ty = Type::Map(Box::new(rest.clone()));
            let value = Literal::Map(others);
            fields.push((name, TypedLiteral { ty, value }));
        }
        Some(Literal::Struct { ty, fields })
    }
}
