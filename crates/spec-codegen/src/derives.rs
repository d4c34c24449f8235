//! Which standard traits a generated type can derive, followed through the types it is made of.

use std::collections::{HashMap, HashSet};

use crate::model::{Field, NamedType, Presence, Shape, Type, VariantBody};

/// What the types of a document can derive.
#[derive(Debug)]
pub(crate) struct Derivable<'t> {
    types: HashMap<&'t str, &'t NamedType>,
}

impl<'t> Derivable<'t> {
    pub(crate) fn of(types: &'t [NamedType]) -> Derivable<'t> {
        let types = types
            .iter()
            .map(|named| (named.name.as_str(), named))
            .collect();
        Derivable { types }
    }

    /// `Eq`: no float anywhere inside.
    pub(crate) fn eq(&self, name: &str) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![name];
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            let Some(named) = self.types.get(name) else {
                continue;
            };
            for ty in inner_types(&named.shape) {
                if has_float(ty) {
                    return false;
                }
                open.extend(ty.named());
            }
        }
        true
    }

    /// [`Derivable::eq`] of a type as it is used.
    pub(crate) fn type_eq(&self, ty: &Type) -> bool {
        !has_float(ty) && ty.named().is_none_or(|name| self.eq(name))
    }

    /// `Default`: nothing is required, so that an empty value means something.
    pub(crate) fn default(&self, name: &str) -> bool {
        match self.types.get(name).map(|named| &named.shape) {
            Some(Shape::Struct(shape)) => {
                !shape.fields.is_empty()
                    && shape
                        .fields
                        .iter()
                        .all(|f| f.presence == Presence::Optional)
            }
            Some(Shape::Newtype(inner)) => matches!(inner, Type::Vec(_) | Type::Map(_)),
            _ => false,
        }
    }
}

/// The types that a shape is made of.
pub(crate) fn inner_types(shape: &Shape) -> Vec<&Type> {
    fn of_fields(fields: &[Field]) -> impl Iterator<Item = &Type> {
        fields.iter().map(|field| &field.ty)
    }
    match shape {
        Shape::Struct(shape) => of_fields(&shape.fields).chain(&shape.rest).collect(),
        Shape::Enum(_) => Vec::new(),
        Shape::Newtype(inner) => vec![inner],
        Shape::Union(union) => {
            let mut types = Vec::new();
            for variant in &union.variants {
                match &variant.body {
                    VariantBody::Unit => {}
                    VariantBody::Newtype(ty) => types.push(ty),
                    VariantBody::Fields(fields) => types.extend(of_fields(fields)),
                }
            }
            types
        }
    }
}

fn has_float(ty: &Type) -> bool {
    match ty {
        Type::F32 | Type::F64 => true,
        Type::Vec(inner) | Type::Map(inner) | Type::Option(inner) | Type::Box(inner) => {
            has_float(inner)
        }
        _ => false,
    }
}
