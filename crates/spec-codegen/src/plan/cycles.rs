//! Types that hold themselves: a `Box` breaks the circle.

use std::collections::{HashMap, HashSet};

use crate::model::{Field, NamedType, Shape, Type, VariantBody};
use crate::traits::inner_types;

/// Boxes every use by value that leads back to the type it stands in.
pub(super) fn break_cycles(types: &mut [NamedType]) {
    let mut uses: HashMap<String, Vec<String>> = types
        .iter()
        .map(|named| {
            let inner = inner_types(&named.shape).into_iter().filter_map(by_value);
            (named.name.clone(), inner.map(str::to_owned).collect())
        })
        .collect();
    for named in types {
        let name = named.name.clone();
        for_each_type(&mut named.shape, |ty| {
            let Some(used) = by_value(ty).map(str::to_owned) else {
                return;
            };
            if reaches(&uses, &used, &name) {
                box_inner(ty);
                // What is boxed is no longer held by value, so that one box in a circle is enough.
                if let Some(held) = uses.get_mut(&name) {
                    held.retain(|other| *other != used);
                }
            }
        });
    }
}

/// The named type that a value of this one holds inside itself.
fn by_value(ty: &Type) -> Option<&str> {
    match ty {
        Type::Named(name) => Some(name),
        Type::Option(inner) => by_value(inner),
        _ => None,
    }
}

fn reaches(uses: &HashMap<String, Vec<String>>, from: &str, to: &str) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        if seen.insert(name) {
            open.extend(uses.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    false
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
