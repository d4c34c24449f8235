//! Writes how a call of the client gets its body.

use anyhow::Context;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{ImplItemFn, Type};

use super::value_types;
use crate::corpus::call::source::{
    Source, arguments, bound, flatten, last_name, path_text, strings, variant_arms,
};

/// Writes the statement that gives a request its body; `body` is the method of the builder.
pub fn give_body(source: &Source, body: &ImplItemFn) -> anyhow::Result<TokenStream> {
    let types = value_types(body);
    let media_type = (types.len() > 1).then(|| quote!(&body.media_type,));
    let value = types.last().and_then(bound).context("a body has a value")?;
    let ty = arguments(&value)
        .into_iter()
        .next()
        .context("a body has a type")?;
    let kind = last_name(&value).unwrap_or_default();
    let given = match (kind.as_str(), path_text(&ty).as_str()) {
        ("TryInto", _) => quote!(body.content.json::<#ty>()?),
        ("IntoIterator", _) => give_parts(source, &ty),
        ("Into", "String") => quote!(body.content.text()?),
        ("Into", "spec_client::reqwest::Body") => quote!(body.content.bytes()?),
        _ => give_choice(source, &ty)?,
    };
    Ok(quote! {
        if let Some(body) = &given.body {
            request = request.body(#media_type #given);
        }
    })
}

fn give_parts(source: &Source, part: &Type) -> TokenStream {
    let arms = source
        .find_method(part, "into_part")
        .map(variant_arms)
        .unwrap_or_default();
    let arms = arms.iter().map(|(variant, arm)| {
        let variant = format_ident!("{variant}");
        let is_file = flatten(arm.clone())
            .iter()
            .any(|token| token.to_string() == "file_part");
        match (strings(arm).into_iter().next(), is_file) {
            (Some(wire), true) => quote!(#wire => #part::#variant(part.file())),
            (Some(wire), false) => quote!(#wire => #part::#variant(part.value()?)),
            (None, _) => quote!(other => #part::#variant(other.to_owned(), part.file())),
        }
    });
    quote! {
        body.content.parts(|name, part| {
            #[allow(unreachable_patterns)]
            Ok(match name {
                #(#arms,)*
                other => return Err(format!("the client has no part `{other}`")),
            })
        })?
    }
}

fn give_choice(source: &Source, ty: &Type) -> anyhow::Result<TokenStream> {
    let choice = source
        .find_enum(ty, "bodies")
        .context("an enum of bodies")?;
    let arms = source
        .find_method(ty, "into_body")
        .map(variant_arms)
        .unwrap_or_default();
    let mut made = Vec::new();
    for (position, variant) in choice.variants.iter().enumerate() {
        let ident = &variant.ident;
        let (_, arm) = arms
            .iter()
            .find(|(of, _)| ident == of)
            .context("an arm for each body")?;
        let calls = |name: &str| {
            flatten(arm.clone())
                .iter()
                .any(|token| token.to_string() == name)
        };
        let media_type = (variant.fields.len() > 1).then(|| quote!(body.media_type.clone(),));
        let content = match () {
            () if calls("text_body") => quote!(body.content.text()?),
            () if calls("bytes_body") => quote!(body.content.bytes()?.into()),
            () if calls("json_body") || calls("form_body") => quote!(body.content.json()?),
            () => {
                let parts = variant
                    .fields
                    .iter()
                    .last()
                    .map(|field| arguments(&field.ty));
                let part = parts
                    .and_then(|types| types.into_iter().next())
                    .context("parts have a type")?;
                give_parts(source, &part)
            }
        };
        made.push(quote!(#position => #ty::#ident(#media_type #content)));
    }
    Ok(quote! {
        match body.form {
            #(#made,)*
            other => return Err(format!("the client has no body {other}")),
        }
    })
}
