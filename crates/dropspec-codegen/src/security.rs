//! The security schemes of the interface, and what each operation requires of them, as tables.

use dropspec_model::{ApiKeyLocation, SecurityScheme, SecuritySchemeKind};
use indexmap::IndexMap;
use proc_macro2::TokenStream;
use quote::quote;

use crate::model::SchemeUse;
use crate::source::length;

/// The items of the table of schemes.
pub(crate) fn write_schemes(schemes: &IndexMap<String, SecurityScheme>) -> TokenStream {
    let count = length(schemes.len());
    let rows = schemes.iter().map(|(name, scheme)| {
        let kind = write_kind(&scheme.kind);
        quote!(dropspec_runtime::SecuritySchemeInfo { name: #name, kind: #kind })
    });
    quote! {
        /// The security schemes of the document.
        pub static SECURITY_SCHEMES: [dropspec_runtime::SecuritySchemeInfo; #count] = [#(#rows),*];
    }
}

fn write_kind(kind: &SecuritySchemeKind) -> TokenStream {
    let variant = match kind {
        SecuritySchemeKind::ApiKey { location, name } => {
            let location = match location {
                ApiKeyLocation::Header => quote!(Header),
                ApiKeyLocation::Query => quote!(Query),
                ApiKeyLocation::Cookie => quote!(Cookie),
            };
            quote!(ApiKey { location: dropspec_runtime::ApiKeyLocation::#location, name: #name })
        }
        SecuritySchemeKind::Http { scheme, .. } if scheme.eq_ignore_ascii_case("basic") => {
            quote!(Basic)
        }
        SecuritySchemeKind::Http { scheme, .. } if scheme.eq_ignore_ascii_case("bearer") => {
            quote!(Bearer)
        }
        SecuritySchemeKind::Http { scheme, .. } => quote!(Http { scheme: #scheme }),
        SecuritySchemeKind::OAuth2 { .. } => quote!(OAuth2),
        SecuritySchemeKind::OpenIdConnect { .. } => quote!(OpenIdConnect),
    };
    quote!(dropspec_runtime::SecuritySchemeKind::#variant)
}

/// The alternatives of an operation.
pub(crate) fn write_alternatives(alternatives: &[Vec<SchemeUse>]) -> TokenStream {
    let alternatives = alternatives.iter().map(|uses| {
        let uses = uses.iter().map(|SchemeUse { scheme, scopes }| {
            let scheme = length(*scheme);
            quote!(dropspec_runtime::SchemeUse::new(#scheme, &[#(#scopes),*]))
        });
        quote!(&[#(#uses),*])
    });
    quote!(&[#(#alternatives),*])
}
