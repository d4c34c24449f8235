//! `types.rs`: the types of the plan, as a client wants them.
//!
//! A client accepts more than a server: properties that the document does not name are ignored, so that a service can add
//! some, except where they tell the variants of a union apart.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::quote;

use crate::Part;
use crate::client::own::paths;
use crate::model::{Api, NamedType, Presence, Shape, Tagging, Type, Union, UnionVariant};
use crate::sections::Sections;
use crate::source::ident;
use crate::spelling::spell;
use crate::split::{Items, Layout};
use crate::type_definitions;
use crate::uses::Item;

/// The types of the client, by those of `adapt_types`.
pub(super) fn items<'a>(
    types: &'a [NamedType],
    sections: &'a Sections,
) -> Items<'a, &'a NamedType> {
    Items {
        part: Part::Client,
        module: "client/types",
        docs: "The types of the document.",
        what: "Types",
        items: types.iter().collect(),
        name: |named| &named.name,
        section: Box::new(|named| sections.of_item(&Item::Type(named.name.clone()))),
        write: Box::new(|types, _| {
            let definitions = type_definitions::write_all(types);
            let conversions = types.iter().copied().map(write_conversions);
            paths::relocate(quote!(#definitions #(#conversions)*))
        }),
        layout: Layout::default(),
    }
}

/// The types of the plan as a client wants them.
pub(super) fn adapt_types(api: &Api) -> Vec<NamedType> {
    let by_name = api.types.iter().map(|named| (named.name.as_str(), named));
    let by_name: HashMap<&str, &NamedType> = by_name.collect();
    let told_apart = find_variants(api);
    let adapt = |named: &NamedType| {
        let mut named = named.clone();
        named.error = None;
        match &mut named.shape {
            Shape::Struct(shape) => shape.closed &= told_apart.contains(named.name.as_str()),
            Shape::Union(union) => sort_variants(union, &by_name),
            Shape::Enum(_) | Shape::Newtype(_) => {}
        }
        named
    };
    api.types.iter().map(adapt).collect()
}

/// The names of the types that are variants of unions which are told apart by their properties.
fn find_variants(api: &Api) -> HashSet<&str> {
    let unions = api.types.iter().filter_map(|named| match &named.shape {
        Shape::Union(union) if union.tagging.is_untagged() => Some(&union.variants),
        _ => None,
    });
    let contents = unions
        .flatten()
        .filter_map(|variant| variant.body.content());
    contents.filter_map(Type::named).collect()
}

/// Sorts the variants that are tried in turn, so that the most special one is first.
fn sort_variants(union: &mut Union, types: &HashMap<&str, &NamedType>) {
    if let Tagging::Chosen(choice) = &mut union.tagging {
        choice.by_schema = false;
        union.variants.sort_by_key(|variant: &UnionVariant| {
            let content = variant.body.content();
            content.map_or((0, Reverse((0, 0))), |ty| rank(ty, types, 0))
        });
    }
}

/// How general a type is: first its kind, then how few properties it requires and has. `depth` ends circles.
fn rank(
    ty: &Type,
    types: &HashMap<&str, &NamedType>,
    depth: usize,
) -> (u8, Reverse<(usize, usize)>) {
    let kind = match ty {
        Type::Bool | Type::Integer(_) => 1,
        Type::Float(_) => 2,
        Type::Parsed(_) => 3,
        Type::Vec(_) => 4,
        Type::String => 6,
        Type::Map(_) => 7,
        Type::Any => 9,
        Type::Option(inner) | Type::Box(inner) => return rank(inner, types, depth),
        Type::Named(name) => {
            let shape = types.get(name.as_str()).map(|named| &named.shape);
            match shape {
                Some(Shape::Enum(_)) => 0,
                Some(Shape::Struct(shape)) => {
                    let required = shape.fields.iter();
                    let required = required.filter(|field| field.presence == Presence::Required);
                    return (5, Reverse((required.count(), shape.fields.len())));
                }
                Some(Shape::Newtype(inner)) if depth < 8 => return rank(inner, types, depth + 1),
                _ => 8,
            }
        }
    };
    (kind, Reverse((0, 0)))
}

/// Conversions with which setters take text for enums, and the content of a type in place of the type.
fn write_conversions(named: &NamedType) -> TokenStream {
    let name = ident(&named.name);
    match &named.shape {
        Shape::Enum(_) => quote! {
            impl TryFrom<&str> for #name {
                type Error = spec_client::UnknownValue;

                fn try_from(text: &str) -> Result<Self, spec_client::UnknownValue> {
                    text.parse()
                }
            }

            impl TryFrom<String> for #name {
                type Error = spec_client::UnknownValue;

                fn try_from(text: String) -> Result<Self, spec_client::UnknownValue> {
                    text.parse()
                }
            }
        },
        Shape::Newtype(inner) => {
            let inner = spell(inner);
            quote! {
                impl From<#inner> for #name {
                    fn from(value: #inner) -> Self {
                        Self(value)
                    }
                }
            }
        }
        Shape::Struct(_) | Shape::Union(_) => TokenStream::new(),
    }
}
