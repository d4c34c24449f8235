//! `responses.rs`: the enums of responses that have several contents.

use proc_macro2::TokenStream;
use quote::quote;

use crate::Part;
use crate::client::own::paths;
use crate::model::{ResponseContent, ResponseEnum, ResponseVariant, StatusSet};
use crate::sections::Sections;
use crate::source::{docs, ident, length};
use crate::spelling::spell;
use crate::split::{Items, Layout};
use crate::uses::Item;

pub(super) fn items<'a>(
    enums: &[&'a ResponseEnum],
    sections: &'a Sections,
) -> Items<'a, &'a ResponseEnum> {
    Items {
        part: Part::Client,
        module: "client/responses",
        docs: "The responses of operations that have several: a variant for each status and media type.",
        what: "Responses",
        items: enums.to_vec(),
        name: |of| &of.name,
        section: Box::new(|of| sections.of_item(&Item::Responses(of.name.clone()))),
        write: Box::new(|enums, _| {
            let enums = enums.iter().copied().map(write_enum);
            paths::relocate(enums.collect())
        }),
        layout: Layout::default(),
    }
}

fn write_enum(of: &ResponseEnum) -> TokenStream {
    let (name, docs) = (ident(&of.name), docs(&of.docs));
    let streams = !of.is_error
        && of
            .variants
            .iter()
            .any(|variant| matches!(variant.content, ResponseContent::Bytes));
    // A stream cannot be shown.
    let debug = if streams {
        write_debug(of)
    } else {
        TokenStream::new()
    };
    let derive = (!streams).then(|| quote!(#[derive(Debug)]));
    let variants = of.variants.iter().map(|variant| write_variant(of, variant));
    let last = of.variants.len().saturating_sub(1);
    let arms = of.variants.iter().enumerate().map(|(position, variant)| {
        let value = write_value(of, variant);
        let pattern = if position == last {
            quote!(_)
        } else {
            let position = length(position);
            quote!(#position)
        };
        quote!(#pattern => #value)
    });
    quote! {
        #docs
        #derive
        pub enum #name { #(#variants),* }

        impl #name {
            /// Reads the body of a response.
            pub(crate) fn read(payload: spec_client::Payload) -> Result<Self, spec_client::PayloadError> {
                Ok(match payload.form() { #(#arms),* })
            }
        }
        #debug
    }
}

fn carries_status(variant: &ResponseVariant) -> bool {
    !matches!(variant.status, StatusSet::Exact(_))
}

fn write_variant(of: &ResponseEnum, variant: &ResponseVariant) -> TokenStream {
    let (name, docs) = (ident(&variant.name), docs(&variant.docs));
    let status = carries_status(variant).then(|| quote!(spec_client::reqwest::StatusCode));
    let content = match &variant.content {
        ResponseContent::Empty => None,
        ResponseContent::Json(ty) => Some(spell(ty)),
        ResponseContent::Text => Some(quote!(String)),
        ResponseContent::Bytes if of.is_error => Some(quote!(spec_client::Bytes)),
        ResponseContent::Bytes => Some(quote!(spec_client::ByteStream)),
    };
    let fields: Vec<_> = status.into_iter().chain(content).collect();
    if fields.is_empty() {
        quote!(#docs #name)
    } else {
        quote!(#docs #name(#(#fields),*))
    }
}

fn write_value(of: &ResponseEnum, variant: &ResponseVariant) -> TokenStream {
    let name = ident(&variant.name);
    let status = carries_status(variant).then(|| quote!(payload.status()));
    let content = match &variant.content {
        ResponseContent::Empty => None,
        ResponseContent::Json(_) => Some(quote!(spec_client::json(payload)?)),
        ResponseContent::Text => Some(quote!(spec_client::text(payload)?)),
        ResponseContent::Bytes if of.is_error => Some(quote!(spec_client::bytes(payload)?)),
        ResponseContent::Bytes => Some(quote!(spec_client::stream(payload)?)),
    };
    let fields: Vec<_> = status.into_iter().chain(content).collect();
    if fields.is_empty() {
        quote!(Self::#name)
    } else {
        quote!(Self::#name(#(#fields),*))
    }
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
