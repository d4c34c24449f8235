//! The security schemes of the interface, and what each operation requires of them, as tables.

use dropspec_schema::SecurityScheme;
use indexmap::IndexMap;
use proc_macro2::TokenStream;
use quote::quote;

use crate::model::SchemeUse;
use crate::source::{ident, length};

/// The items of the table of schemes.
pub(crate) fn write_schemes(
    schemes: &IndexMap<String, dropspec_model::SecurityScheme>,
) -> TokenStream {
    let count = length(schemes.len());
    let rows = schemes.iter().map(|(name, scheme)| {
        let kind = write_scheme("dropspec_runtime", scheme.kind.sent());
        quote!(dropspec_runtime::SecuritySchemeInfo { name: #name, kind: #kind })
    });
    quote! {
        /// The security schemes of the document.
        pub static SECURITY_SCHEMES: [dropspec_runtime::SecuritySchemeInfo; #count] = [#(#rows),*];
    }
}

/// How a scheme sends its credentials, in the words of a crate that has the type.
pub(crate) fn write_scheme(package: &str, scheme: SecurityScheme<'_>) -> TokenStream {
    let (variant, name) = match scheme {
        SecurityScheme::Header(name) => ("Header", name),
        SecurityScheme::Query(name) => ("Query", name),
        SecurityScheme::Cookie(name) => ("Cookie", name),
        SecurityScheme::Authorization(name) => ("Authorization", name),
    };
    let (package, variant) = (ident(package), ident(variant));
    quote!(#package::SecurityScheme::#variant(#name))
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
