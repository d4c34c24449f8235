//! Defaults of properties and parameters: checks that each fits its schema and its type.

use std::collections::HashMap;

use serde_json::{Map, Value};
use spec_model::Spec;
use spec_schema::Direction;

use crate::model::{
    DefaultValue, Field, NamedType, Presence, Shape, Tagging, Type, Union, VariantBody,
};
use crate::plan::problems::Problems;
use crate::plan::scalars;

/// Checks defaults. One that does not fit its schema or its type becomes a warning, and the field optional.
pub(super) struct Defaults<'s> {
    problems: &'s Problems<'s>,
    document: Value,
    /// The types, as they were before any default was checked.
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

    pub(super) fn check_types(&self, types: &mut [NamedType]) {
        for named in types {
            match &mut named.shape {
                Shape::Struct(shape) => self.check(&mut shape.fields),
                Shape::Union(union) => {
                    for variant in &mut union.variants {
                        if let VariantBody::Fields(fields) = &mut variant.body {
                            self.check(fields);
                        }
                    }
                }
                Shape::Enum(_) | Shape::Newtype(_) => {}
            }
        }
    }

    pub(super) fn check<'f>(&self, fields: impl IntoIterator<Item = &'f mut Field>) {
        for field in fields {
            let Presence::Default(default) = &field.presence else {
                continue;
            };
            if let Err(message) = self.check_value(&field.ty, default) {
                let help =
                    "correct the default or the schema; without one, an absent value stays absent";
                self.problems.warn(&default.at, message, help);
                field.presence = Presence::Optional;
                field.ty = field.ty.clone().optional();
            }
        }
    }

    fn check_value(&self, ty: &Type, default: &DefaultValue) -> Result<(), String> {
        let validator = spec_schema::compile(&self.document, &default.schema, Direction::Request);
        if let Ok(validator) = validator
            && let Err(error) = validator.validate(&default.value)
        {
            return Err(format!("the default does not fit its schema: {error}"));
        }
        if self.fits(ty, &default.value) {
            Ok(())
        } else {
            Err("the default does not fit the type of its schema".to_owned())
        }
    }

    /// Whether a type holds all of a value.
    fn fits(&self, ty: &Type, value: &Value) -> bool {
        match (ty, value) {
            (Type::Any, _) | (Type::Option(_), Value::Null) => true,
            (Type::Option(inner) | Type::Box(inner), _) => self.fits(inner, value),
            (Type::Bool, Value::Bool(_))
            | (Type::Float(_), Value::Number(_))
            | (Type::String, Value::String(_)) => true,
            (Type::Integer(width), Value::Number(number)) => scalars::holds(width, number),
            (Type::Parsed(path), Value::String(text)) => scalars::parses(path, text),
            (Type::Vec(item), Value::Array(items)) => items.iter().all(|it| self.fits(item, it)),
            (Type::Map(item), Value::Object(members)) => {
                members.values().all(|member| self.fits(item, member))
            }
            (Type::Named(name), _) => match self.types.get(name).map(|named| &named.shape) {
                Some(Shape::Enum(variants)) => {
                    variants.iter().any(|variant| *value == *variant.wire)
                }
                Some(Shape::Newtype(inner)) => self.fits(inner, value),
                Some(Shape::Struct(shape)) => {
                    let members = value.as_object();
                    let rest = shape.rest.as_ref();
                    members.is_some_and(|members| self.fits_members(&shape.fields, rest, members))
                }
                Some(Shape::Union(union)) => self.fits_union(union, value),
                None => false,
            },
            _ => false,
        }
    }

    /// Whether a variant that the type may read from a value holds it.
    fn fits_union(&self, union: &Union, value: &Value) -> bool {
        let variants = union.variants.iter();
        let by_wire = |wire: Option<&str>| {
            let named = variants
                .clone()
                .find(|variant| Some(&*variant.wire) == wire);
            named.map(|variant| &variant.body)
        };
        match (&union.tagging, value) {
            (Tagging::External, Value::Object(members)) => {
                let mut fitting = members.iter().map(|(wire, content)| {
                    let body = by_wire(Some(wire.as_str()));
                    body.is_some_and(|body| self.fits_body(body, content))
                });
                members.len() == 1 && fitting.all(|fits| fits)
            }
            (Tagging::External, _) => matches!(by_wire(value.as_str()), Some(VariantBody::Unit)),
            (Tagging::Internal { tag }, Value::Object(members)) => {
                let mut members = members.clone();
                let wire = members.shift_remove(tag);
                let body = by_wire(wire.as_ref().and_then(Value::as_str));
                body.is_some_and(|body| self.fits_body(body, &Value::Object(members)))
            }
            (Tagging::Internal { .. }, _) => false,
            (Tagging::Untagged | Tagging::Chosen { .. }, _) => variants
                .clone()
                .any(|variant| self.fits_body(&variant.body, value)),
        }
    }

    fn fits_body(&self, body: &VariantBody, content: &Value) -> bool {
        match (body, content) {
            (VariantBody::Newtype(inner), _) => self.fits(inner, content),
            (VariantBody::Unit, Value::Object(members)) => members.is_empty(),
            (VariantBody::Fields(fields), Value::Object(members)) => {
                self.fits_members(fields, None, members)
            }
            _ => false,
        }
    }

    /// Members that no field names are not held, except by the rest of a struct.
    fn fits_members(
        &self,
        fields: &[Field],
        rest: Option<&Type>,
        members: &Map<String, Value>,
    ) -> bool {
        let is_other = |name: &str| fields.iter().all(|field| field.wire != name);
        let mut others = members.iter().filter(|(name, _)| is_other(name));
        let others_fit = match rest {
            Some(rest) => others.all(|(_, value)| self.fits(rest, value)),
            None => others.next().is_none(),
        };
        let mut fields = fields.iter();
        let fields_fit = fields.all(|field| match members.get(&field.wire) {
            Some(value) => self.fits(&field.ty, value),
            None => field.presence != Presence::Required || self.fits(&field.ty, &Value::Null),
        });
        others_fit && fields_fit
    }
}
