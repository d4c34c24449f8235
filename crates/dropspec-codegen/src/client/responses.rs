//! `responses.rs`: the enums of responses that have several contents.

use proc_macro2::TokenStream;
use quote::quote;

use crate::client::answers::Reader;
use crate::model::{ResponseContent, ResponseEnum, ResponseVariant, StatusSet};
use crate::source::{docs, ident, length};

pub(super) fn render(enums: &[&ResponseEnum]) -> TokenStream {
    let enums = enums.iter().copied().map(write_enum);
    quote! {
        //! The responses of operations that have several: a variant for each status and media type.

        #(#enums)*
    }
}

fn write_enum(of: &ResponseEnum) -> TokenStream {
    let (name, about) = (ident(&of.name), docs(&of.docs));
    let is_bytes = |variant: &ResponseVariant| variant.form.content == ResponseContent::Bytes;
    // A stream cannot be shown.
    let (derive, debug) = if !of.is_error && of.variants.iter().any(is_bytes) {
        (None, Some(write_debug(of)))
    } else {
        (Some(quote!(#[derive(Debug)])), None)
    };
    let last = of.variants.len().saturating_sub(1);
    let mut variants = Vec::new();
    let mut arms = Vec::new();
    for (index, variant) in of.variants.iter().enumerate() {
        let (docs, name) = (docs(&variant.docs), ident(&variant.name));
        let (types, reads): (Vec<_>, Vec<_>) = types_and_reads(of, variant).into_iter().unzip();
        let pattern = match index {
            index if index == last => quote!(_),
            index => {
                let index = length(index);
                quote!(#index)
            }
        };
        if types.is_empty() {
            variants.push(quote!(#docs #name));
            arms.push(quote!(#pattern => Self::#name));
        } else {
            variants.push(quote!(#docs #name(#(#types),*)));
            arms.push(quote!(#pattern => Self::#name(#(#reads),*)));
        }
    }
    quote! {
        #about
        #derive
        pub enum #name { #(#variants),* }

        impl #name {
            /// Reads the body of a response.
            pub(crate) fn read(payload: dropspec_client::Payload) -> Result<Self, dropspec_client::PayloadError> {
                Ok(match payload.response_index() { #(#arms),* })
            }
        }
        #debug
    }
}

/// The fields of a tuple variant: the type of each, and the expression that reads it from `payload`.
fn types_and_reads(
    of: &ResponseEnum,
    variant: &ResponseVariant,
) -> Vec<(TokenStream, TokenStream)> {
    let mut fields = Vec::new();
    if !matches!(variant.form.status, StatusSet::Exact(_)) {
        let ty = quote!(dropspec_client::reqwest::StatusCode);
        fields.push((ty, quote!(payload.status())));
    }
    let bytes = if of.is_error {
        Reader::Bytes
    } else {
        Reader::Stream
    };
    let reader = Reader::of(&variant.form.content, bytes);
    if reader != Reader::Empty {
        let (ty, read) = reader.spell();
        fields.push((ty, quote!(#read(payload)?)));
    }
    fields
}

fn write_debug(of: &ResponseEnum) -> TokenStream {
    let name = ident(&of.name);
    let arms = of.variants.iter().map(|variant| {
        let (name, text) = (ident(&variant.name), &variant.name);
        quote!(Self::#name { .. } => #text)
    });
    quote! {
        impl std::fmt::Debug for #name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { #(#arms),* })
            }
        }
    }
}
