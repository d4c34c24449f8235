//! `error_codes.rs` of the interface and `error_code.rs` of the client: the codes of the document's `x-error-codes`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::ErrorCode;
use crate::source::{docs, ident};
use crate::text_enum;

/// The enum of the codes, each with its HTTP status.
pub(crate) fn render(codes: &[ErrorCode]) -> TokenStream {
    let docs = codes.iter().map(|code| docs(&code.docs()));
    let variants: Vec<_> = codes.iter().map(|code| ident(&code.variant)).collect();
    let statuses = codes
        .iter()
        .map(|code| Literal::u16_unsuffixed(code.status));
    let values: Vec<_> = codes
        .iter()
        .map(|c| (c.variant.as_str(), c.name.as_str()))
        .collect();
    let impls = text_enum::write_impls("ErrorCode", &values, "The code in the body of an error.");
    quote! {
        //! The codes that an error can carry, each with its HTTP status.

        /// A code of the document's `x-error-codes`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            #(#docs #variants,)*
        }

        #impls

        impl ErrorCode {
            /// The HTTP status of responses with the code.
            pub const fn status(self) -> u16 {
                match self {
                    #(Self::#variants => #statuses,)*
                }
            }
        }
    }
}

/// The enum of the codes for the client, which may meet codes of newer servers.
pub(crate) fn render_for_client(codes: &[ErrorCode]) -> TokenStream {
    let taken = codes.iter().any(|code| code.variant == "Unknown");
    let unknown = ident(if taken { "Unlisted" } else { "Unknown" });
    let type_docs = docs(&format!(
        "The code of an error. Codes that this client does not know are `{unknown}`."
    ));
    let docs = codes.iter().map(|code| docs(&code.docs()));
    let variants: Vec<_> = codes.iter().map(|code| ident(&code.variant)).collect();
    let names: Vec<_> = codes.iter().map(|code| &code.name).collect();
    quote! {
        //! The codes that an error can carry.

        #type_docs
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            #(#docs #variants,)*
            /// A code that this client does not know.
            #unknown(String),
        }

        impl ErrorCode {
            /// The code in the body of an error.
            pub fn as_str(&self) -> &str {
                match self {
                    #(Self::#variants => #names,)*
                    Self::#unknown(code) => code,
                }
            }
        }

        impl From<&str> for ErrorCode {
            fn from(code: &str) -> Self {
                match code {
                    #(#names => Self::#variants,)*
                    _ => Self::#unknown(code.to_owned()),
                }
            }
        }

        impl std::fmt::Display for ErrorCode {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    }
}
