//! How an untagged union is read: by its discriminator, or else by the schemas of the variants.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{UnionVariant, VariantBody};
use crate::source::{ident, optional};
use crate::spelling::spell_named;

/// Writes `Deserialize` of the union, by a property of the variants if there is one, and the variant of its other values. With
/// `by_schema` the schemas of the variants decide next, otherwise their order.
pub(crate) fn render(
    name: &str,
    (property, default): (Option<&str>, Option<usize>),
    variants: &[UnionVariant],
    by_schema: bool,
) -> TokenStream {
    let rows = variants.iter().map(|variant| {
        let tags = &variant.tags;
        let read = write_read(name, variant);
        quote! {
            dropspec_runtime::UnionVariant { tags: &[#(#tags),*], read: #read }
        }
    });
    let read = if by_schema {
        let pointers = variants.iter().map(|variant| &variant.pointer);
        quote! {
            static SCHEMAS: dropspec_runtime::UnionSchemas =
                dropspec_runtime::UnionSchemas::new(&crate::document::DOCUMENT, &[#(#pointers),*]);
            UNION.read_where(deserializer, |variant, value| SCHEMAS.accept(variant, value))
        }
    } else {
        quote!(UNION.read(deserializer))
    };
    let property = optional(property);
    let default = default.map(|index| quote!(.with_default(#index)));
    let text = name;
    // A union may be called as the type parameter.
    let (name, path) = (ident(name), spell_named(name));
    quote! {
        impl<'de> serde::Deserialize<'de> for #name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                static UNION: dropspec_runtime::Union<#path> = dropspec_runtime::Union::new(
                    #text,
                    #property,
                    &[#(#rows),*],
                )#default;
                #read
            }
        }
    }
}

/// Writes the function that reads a JSON value as the variant.
fn write_read(name: &str, variant: &UnionVariant) -> TokenStream {
    let (name, ident) = (spell_named(name), ident(&variant.name));
    match &variant.body {
        VariantBody::Newtype(_) => {
            quote!(|value| serde::Deserialize::deserialize(value).map(#name::#ident))
        }
        // Only types stand in such a union.
        VariantBody::Unit | VariantBody::Fields(_) => quote!(|_| Ok(#name::#ident)),
    }
}
