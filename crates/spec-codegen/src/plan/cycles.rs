//! Types that contain themselves: a `Box` breaks the cycle.

use std::collections::HashMap;

use petgraph::algo::has_path_connecting;
use petgraph::graphmap::DiGraphMap;

use crate::model::{Field, NamedType, Shape, Type, VariantBody};

/// Puts a `Box` around uses of types by value, so that no type contains itself.
pub(super) fn break_cycles(types: &mut [NamedType]) {
    let numbers: HashMap<String, usize> = types
        .iter()
        .enumerate()
        .map(|(number, named)| (named.name.clone(), number))
        .collect();
    let mut uses: DiGraphMap<usize, ()> = DiGraphMap::new();
    for (number, named) in types.iter_mut().enumerate() {
        for_each_type(&mut named.shape, |ty| {
            if let Some(used) = by_value(ty).and_then(|name| numbers.get(name)) {
                uses.add_edge(number, *used, ());
            }
        });
    }
    for (number, named) in types.iter_mut().enumerate() {
        for_each_type(&mut named.shape, |ty| {
            let Some(used) = by_value(ty).and_then(|name| numbers.get(name)) else {
                return;
            };
            if has_path_connecting(&uses, *used, number, None) {
                box_inner(ty);
                // A boxed type is not held by value, so that one box in a cycle is enough.
                uses.remove_edge(number, *used);
            }
        });
    }
}

/// The name of the type that a value contains without indirection; `None` behind `Vec`, `Map` and `Box`.
fn by_value(ty: &Type) -> Option<&str> {
    match ty {
        Type::Named(name) => Some(name),
        Type::Option(inner) => by_value(inner),
        _ => None,
    }
}

fn box_inner(ty: &mut Type) {
    match ty {
        Type::Option(inner) => box_inner(inner),
        other => *other = Type::Box(Box::new(other.clone())),
    }
}

fn for_each_type(shape: &mut Shape, mut visit: impl FnMut(&mut Type)) {
    fn of_fields(fields: &mut [Field], visit: &mut impl FnMut(&mut Type)) {
        for field in fields {
            visit(&mut field.ty);
        }
    }
    match shape {
        Shape::Struct(shape) => of_fields(&mut shape.fields, &mut visit),
        Shape::Enum(_) => {}
        Shape::Newtype(inner) => visit(inner),
        Shape::Union(union) => {
            for variant in &mut union.variants {
                match &mut variant.body {
                    VariantBody::Unit => {}
                    VariantBody::Newtype(ty) => visit(ty),
                    VariantBody::Fields(fields) => of_fields(fields, &mut visit),
                }
            }
        }
    }
}
