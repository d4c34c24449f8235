//! The impls that make a type of the document an error of dropshot's: its status, its text, and the conversion of
//! dropshot's own errors.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{ErrorShape, NamedType, Presence, Shape};
use crate::source::ident;

pub(crate) fn render(named: &NamedType, error: &ErrorShape) -> TokenStream {
    let name = ident(&named.name);
    let status = ident(&error.status);
    let display = match &error.message {
        Some(message) => {
            let message = ident(message);
            quote!(f.write_str(&self.#message))
        }
        None => quote!(write!(f, "status {}", self.#status)),
    };
    let fields = write_fields(named, error);
    quote! {
        impl std::fmt::Display for #name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                #display
            }
        }

        impl ::std::error::Error for #name {}

        impl From<dropshot::HttpError> for #name {
            fn from(error: dropshot::HttpError) -> Self {
                Self { #(#fields),* }
            }
        }

        impl dropshot::HttpResponseError for #name {
            fn status_code(&self) -> dropshot::ErrorStatusCode {
                u16::try_from(self.#status)
                    .ok()
                    .and_then(|status| dropshot::ErrorStatusCode::from_u16(status).ok())
                    .unwrap_or(dropshot::ErrorStatusCode::INTERNAL_SERVER_ERROR)
            }
        }

        impl dropspec_runtime::respond::ErrorResponse for #name {}
    }
}

fn write_fields(named: &NamedType, error: &ErrorShape) -> Vec<TokenStream> {
    let Shape::Struct(shape) = &named.shape else {
        return Vec::new();
    };
    let fields = shape.fields.iter().map(|field| {
        let value = if field.name == error.status {
            quote!(error.status_code.as_u16().into())
        } else if error.message.as_ref() == Some(&field.name) {
            quote!(error.external_message)
        } else if error.code.as_ref() == Some(&field.name) {
            match field.presence {
                Presence::Optional => quote!(error.error_code),
                _ => {
                    quote!(
                        error
                            .error_code
                            .unwrap_or_else(|| error.status_code.to_string())
                    )
                }
            }
        } else if field.presence == Presence::Optional {
            quote!(None)
        } else {
            quote!(Default::default())
        };
        let name = ident(&field.name);
        quote!(#name: #value)
    });
    fields.collect()
}
