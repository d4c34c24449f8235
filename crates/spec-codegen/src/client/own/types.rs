//! `types.rs`: the types of the plan, as a client wants them.
//!
//! A client accepts more than a server: properties that the document does not name are ignored, so that a service can add
//! some, except where they tell the variants of a union apart.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::quote;

use crate::client::own::modules::{count_doc_lines, split_by_lines};
use crate::client::own::paths;
use crate::model::{
    Api, Field, NamedType, Presence, Shape, Tagging, Type, Union, UnionVariant, VariantBody,
};
use crate::source::ident;
use crate::spelling::spell;
use crate::type_definitions;

/// The files of the types, each with its name below `client/` and its items: one file, or one that lists the others.
pub(super) fn render(api: &Api) -> Vec<(String, TokenStream)> {
    let types = adapt_types(api);
    let parts = split_by_lines(&types, count_lines);
    if let [all] = parts.as_slice() {
        let items = write_items(all);
        let items = quote! {
            //! The types of the document.

            #items
        };
        return vec![("types".to_owned(), items)];
    }
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let name = format!("part_{}", index + 1);
        let (Some(first), Some(last)) = (part.first(), part.last()) else {
            continue;
        };
        let docs = format!(
            " The types of the document from `{}` to `{}`.",
            first.name, last.name
        );
        let own = part.iter().map(|named| named.name.as_str()).collect();
        let items = paths::shorten_own(paths::relocate(write_items(part)), &own);
        files.push((format!("types/{name}"), quote!(#![doc = #docs] #items)));
        let name = ident(&name);
        modules.push(quote!(mod #name; pub use #name::*;));
    }
    let list = quote! {
        //! The types of the document, in its order.

        #(#modules)*
    };
    files.push(("types".to_owned(), list));
    files
}

fn write_items(types: &[NamedType]) -> TokenStream {
    let definitions = type_definitions::write_all(types);
    let conversions = types.iter().map(write_conversions);
    quote!(#definitions #(#conversions)*)
}

/// How many lines a type has, about.
fn count_lines(named: &NamedType) -> usize {
    let fields = |fields: &[Field]| {
        fields
            .iter()
            .map(|field| 3 + count_doc_lines(&field.docs))
            .sum::<usize>()
    };
    let members = match &named.shape {
        Shape::Struct(shape) => fields(&shape.fields),
        Shape::Enum(variants) => {
            48 + variants
                .iter()
                .map(|of| 4 + count_doc_lines(&of.docs))
                .sum::<usize>()
        }
        Shape::Newtype(_) => 7,
        Shape::Union(union) => {
            let variants = union.variants.iter().map(|variant| match &variant.body {
                VariantBody::Fields(of) => 8 + fields(of),
                _ => 9,
            });
            20 + variants.sum::<usize>()
        }
    };
    4 + count_doc_lines(&named.docs) + members
}

/// The types of the plan as a client wants them.
fn adapt_types(api: &Api) -> Vec<NamedType> {
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
