//! Types that contain themselves: a `Box` breaks the cycle. Types that are only names for each other have no meaning.

use std::collections::HashMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::model::{NamedType, Shape, Type, VariantBody};

/// Makes types [`Type::Any`] whose values would be read as a value of the same type without end: a name for itself, or a
/// union with itself as a variant. Returns the pointers of their schemas.
pub(super) fn break_endless_names<'t>(
    types: impl Iterator<Item = &'t mut NamedType>,
) -> Vec<String> {
    let mut types: Vec<&mut NamedType> = types.collect();
    let numbers = number_types(types.iter().map(|named| &**named));
    let mut names: DiGraphMap<usize, ()> = DiGraphMap::new();
    for (number, named) in types.iter().enumerate() {
        for ty in same_value(&named.shape) {
            if let Some(other) = by_value(ty).and_then(|name| numbers.get(name)) {
                names.add_edge(number, *other, ());
            }
        }
    }
    let circles = kosaraju_scc(&names).into_iter();
    let circles = circles.filter(|circle| {
        let names_itself = |number: &usize| names.contains_edge(*number, *number);
        circle.len() > 1 || circle.iter().any(names_itself)
    });
    let mut endless: Vec<usize> = circles.flatten().collect();
    endless.sort_unstable();
    let make_any = |number: usize| {
        types[number].shape = Shape::Newtype(Type::Any);
        types[number].pointer.clone()
    };
    endless.into_iter().map(make_any).collect()
}

/// The types that a value of a type is read as, if it is not read as anything of its own.
fn same_value(shape: &Shape) -> Vec<&Type> {
    match shape {
        Shape::Newtype(ty) => vec![ty],
        Shape::Union(union) if !union.tagging.is_tagged() => {
            let bodies = union.variants.iter().map(|variant| &variant.body);
            bodies.filter_map(VariantBody::content).collect()
        }
        Shape::Struct(_) | Shape::Enum(_) | Shape::Union(_) => Vec::new(),
    }
}

/// Puts a `Box` around uses of types by value, so that no type contains itself.
pub(super) fn break_cycles(types: &mut [NamedType]) {
    let numbers = number_types(types.iter());
    let mut uses: DiGraphMap<usize, ()> = DiGraphMap::new();
    for (number, named) in types.iter_mut().enumerate() {
        for_each_type(&mut named.shape, |ty| {
            if let Some(used) = by_value(ty).and_then(|name| numbers.get(name)) {
                uses.add_edge(number, *used, ());
            }
        });
    }
    // Only types of the same component of the graph can be in a cycle.
    let mut component: HashMap<usize, usize> = HashMap::new();
    for (index, members) in kosaraju_scc(&uses).into_iter().enumerate() {
        component.extend(members.into_iter().map(|number| (number, index)));
    }
    for (number, named) in types.iter_mut().enumerate() {
        for_each_type(&mut named.shape, |ty| {
            let used = by_value(ty).and_then(|name| numbers.get(name));
            if used.is_some_and(|used| component.get(used) == component.get(&number)) {
                box_inner(ty);
            }
        });
    }
}

fn number_types<'t>(types: impl IntoIterator<Item = &'t NamedType>) -> HashMap<String, usize> {
    types
        .into_iter()
        .enumerate()
        .map(|(number, named)| (named.name.clone(), number))
        .collect()
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
    for field in shape.fields_mut() {
        visit(&mut field.ty);
    }
    match shape {
        Shape::Newtype(inner) => visit(inner),
        Shape::Union(union) => {
            for variant in &mut union.variants {
                if let VariantBody::Newtype(ty) = &mut variant.body {
                    visit(ty);
                }
            }
        }
        Shape::Struct(_) | Shape::Enum(_) => {}
    }
}
