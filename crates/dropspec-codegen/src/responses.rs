//! `responses.rs`: the enums of the responses of operations, and how each variant is written.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::model::{Api, ResponseContent, ResponseEnum, ResponseVariant, StatusSet};
use crate::source::{docs, ident};
use crate::spelling;

pub(crate) fn render(api: &Api) -> TokenStream {
    let enums = api.responses().map(write_enum);
    quote! {
        //! What operations respond with, where that is more than one type and status.

        #(#enums)*
    }
}

/// Writes the name of an enum of responses as a full path.
pub(crate) fn spell(name: &str) -> TokenStream {
    let name = ident(name);
    quote!(crate::responses::#name)
}

fn write_enum(of: &ResponseEnum) -> TokenStream {
    let (docs, name) = (docs(&of.docs), ident(&of.name));
    let variants = of
        .variants
        .iter()
        .map(|variant| write_variant(variant, of.is_error));
    let (statuses, responses) = write_arms(of);
    // An error has another variant.
    let when_error = |tokens: TokenStream| of.is_error.then_some(tokens);
    let variant = when_error(quote! {
        /// An error of dropshot itself, which the server writes.
        Dropshot(dropshot::HttpError),
    });
    let status = when_error(quote!(Self::Dropshot(error) => error.status_code.as_u16(),));
    let response = when_error(quote!(Self::Dropshot(error) => Err(error),));
    let implement = ident(if of.is_error {
        "error_response"
    } else {
        "success_response"
    });
    quote! {
        #docs
        #[derive(Debug)]
        pub enum #name {
            #(#variants,)*
            #variant
        }

        impl dropspec_runtime::respond::EnumResponse for #name {
            fn status(&self) -> u16 {
                match self {
                    #(#statuses,)*
                    #status
                }
            }

            fn respond(self) -> dropspec_runtime::respond::ResponseResult {
                match self {
                    #(#responses,)*
                    #response
                }
            }
        }

        dropspec_runtime::#implement!(#name);
    }
}

/// A field of a variant: its name, its documentation and its type.
pub type VariantField = (&'static str, &'static str, TokenStream);

/// The fields of a variant. One that has a body alone is a tuple.
pub fn fields(variant: &ResponseVariant, is_error: bool) -> Vec<VariantField> {
    let mut fields = Vec::new();
    if !matches!(variant.form.status, StatusSet::Exact(_)) {
        let status = if is_error {
            quote!(dropshot::ErrorStatusCode)
        } else {
            quote!(http::StatusCode)
        };
        fields.push(("status", "The status.", status));
    }
    if has_range(variant) {
        let media_type = quote!(String);
        fields.push(("media_type", "The media type of the body.", media_type));
    }
    if let Some(headers) = &variant.headers {
        let headers = ident(headers);
        let headers = quote!(crate::parameters::#headers);
        fields.push(("headers", "The headers.", headers));
    }
    let body = match &variant.form.content {
        ResponseContent::Empty => return fields,
        ResponseContent::Json(ty) => spelling::spell(ty),
        ResponseContent::Text => quote!(String),
        ResponseContent::Bytes => quote!(dropshot::Body),
        ResponseContent::Items(ty) => {
            let item = spelling::spell(ty);
            quote!(dropspec_runtime::ItemStream<#item>)
        }
    };
    fields.push(("body", "The body.", body));
    fields
}

/// Whether the variant must name the media type of its body.
fn has_range(variant: &ResponseVariant) -> bool {
    let media_type = variant.form.media_type.as_deref().unwrap_or_default();
    let is_json = matches!(variant.form.content, ResponseContent::Json(_));
    media_type.contains('*') && !is_json
}

fn write_variant(variant: &ResponseVariant, is_error: bool) -> TokenStream {
    let (docs, name) = (docs(&variant.docs), ident(&variant.name));
    match fields(variant, is_error).as_slice() {
        [] => quote!(#docs #name),
        [("body", _, body)] => quote!(#docs #name(#body)),
        fields => {
            let fields = fields.iter().map(|(field, docs, ty)| {
                let (field, docs) = (ident(field), crate::source::docs(docs));
                quote!(#docs #field: #ty)
            });
            quote!(#docs #name { #(#fields,)* })
        }
    }
}

/// The arms of a `match` over the enum: the status of each variant, and how it is written.
fn write_arms(of: &ResponseEnum) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let arms = of.variants.iter().map(|variant| {
        let name = ident(&variant.name);
        let fields = fields(variant, of.is_error);
        let names = fields.iter().map(|(name, ..)| ident(name));
        let (all, rest) = match fields.as_slice() {
            [] => (TokenStream::new(), TokenStream::new()),
            [("body", ..)] => (quote!((body)), quote!((_))),
            _ => (quote!({ #(#names),* }), quote!({ .. })),
        };
        let (rest, status) = match variant.form.status {
            StatusSet::Exact(status) => (rest, Literal::u16_unsuffixed(status).into_token_stream()),
            _ => (quote!({ status, .. }), quote!(status.as_u16())),
        };
        let response = write_response(variant);
        (
            quote!(Self::#name #rest => #status),
            quote!(Self::#name #all => #response),
        )
    });
    arms.unzip()
}

/// Writes the expression of a variant's response.
fn write_response(variant: &ResponseVariant) -> TokenStream {
    let status = match variant.form.status {
        StatusSet::Exact(status) => Literal::u16_unsuffixed(status).into_token_stream(),
        _ => quote!(status.as_u16()),
    };
    let media_type = variant.form.media_type.as_deref().unwrap_or_default();
    let media_type = if has_range(variant) {
        quote!(&media_type)
    } else {
        quote!(#media_type)
    };
    let is_plain = ["application/json", "*/*", "application/*"];
    let is_plain = is_plain.contains(&variant.form.media_type.as_deref().unwrap_or_default());
    let response = match &variant.form.content {
        ResponseContent::Empty => quote!(dropspec_runtime::respond::empty(#status)),
        ResponseContent::Json(_) if is_plain => {
            quote!(dropspec_runtime::respond::json(#status, &body))
        }
        ResponseContent::Json(_) => {
            quote!(dropspec_runtime::respond::json_as(#status, #media_type, &body))
        }
        ResponseContent::Text => {
            quote!(dropspec_runtime::respond::text(#status, #media_type, body))
        }
        ResponseContent::Bytes => {
            quote!(dropspec_runtime::respond::bytes(#status, #media_type, body))
        }
        ResponseContent::Items(_) => {
            quote!(dropspec_runtime::respond::items(#status, #media_type, body))
        }
    };
    match variant.headers {
        Some(_) => quote!(dropspec_runtime::respond::with_headers(#response?, &headers)),
        None => response,
    }
}
