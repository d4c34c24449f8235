//! What every enum of names can do: list its values, be written as text and be parsed from it.

use proc_macro2::TokenStream;
use quote::quote;

use crate::source::{docs, ident, length};

/// Writes `ALL`, `as_str`, `Display` and `FromStr` of an enum. `values` are its variants, each with its text.
pub(crate) fn write_impls(name: &str, values: &[(&str, &str)], as_str_docs: &str) -> TokenStream {
    let name = ident(name);
    let count = length(values.len());
    let variants: Vec<_> = values.iter().map(|(variant, _)| ident(variant)).collect();
    let texts = values.iter().map(|(_, text)| text);
    let as_str_docs = docs(as_str_docs);
    quote! {
        impl #name {
            /// Every value, in the order of the document.
            pub const ALL: [Self; #count] = [#(Self::#variants),*];

            #as_str_docs
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #texts,)*
                }
            }
        }

        impl std::fmt::Display for #name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for #name {
            type Err = dropspec_runtime::UnknownValue;

            fn from_str(text: &str) -> Result<Self, dropspec_runtime::UnknownValue> {
                let mut all = Self::ALL.into_iter();
                all.find(|value| value.as_str() == text)
                    .ok_or_else(|| dropspec_runtime::UnknownValue::new(text))
            }
        }
    }
}
