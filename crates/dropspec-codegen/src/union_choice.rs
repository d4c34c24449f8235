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
        let (tags, pointer) = (&variant.tags, &variant.pointer);
        let read = write_read(name, variant);
        let schema = by_schema.then(|| quote!(schema: #pointer,));
        quote! {
            dropspec_runtime::UnionVariant { tags: &[#(#tags),*], #schema read: #read }
        }
    });
    let document = by_schema.then(|| quote!(&crate::document::DOCUMENT,));
    let property = optional(property);
    let default = default.map(|index| quote!(.with_default(#index)));
    let text = name;
    // A union may be called as the type parameter.
    let (name, path) = (ident(name), spell_named(name));
    quote! {
        impl<'de> serde::Deserialize<'de> for #name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                static UNION: dropspec_runtime::Union<#path> = dropspec_runtime::Union::new(
                    #document
                    #text,
                    #property,
                    &[#(#rows),*],
                )#default;
                UNION.read(deserializer)
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
