//! `types.rs`: the types of the plan, as a client wants them.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Api, NamedType, Shape, Type};
use crate::source::ident;
use crate::spelling::spell;
use crate::type_definitions;

pub(super) fn render(api: &Api) -> TokenStream {
    let definitions = type_definitions::write_all(&api.types, Some(&find_variants(api)));
    let conversions = api.types.iter().map(write_conversions);
    quote! {
        //! The types of the document.

        #definitions
        #(#conversions)*
    }
}

/// The names of the types that are variants of unions which are told apart by their properties.
fn find_variants(api: &Api) -> HashSet<&str> {
    let unions = api.types.iter().filter_map(|named| match &named.shape {
        Shape::Union(union) if !union.tagging.is_tagged() => Some(&union.variants),
        _ => None,
    });
    let contents = unions
        .flatten()
        .filter_map(|variant| variant.body.content());
    contents.filter_map(Type::named).collect()
}

/// Conversions with which setters take text for enums, and the content of a type in place of the type.
fn write_conversions(named: &NamedType) -> TokenStream {
    let name = ident(&named.name);
    match &named.shape {
        Shape::Enum(_) => {
            let conversions = [quote!(&str), quote!(String)].map(|text| {
                quote! {
                    impl TryFrom<#text> for #name {
                        type Error = dropspec_client::UnknownValue;

                        fn try_from(text: #text) -> Result<Self, dropspec_client::UnknownValue> {
                            text.parse()
                        }
                    }
                }
            });
            quote!(#(#conversions)*)
        }
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
