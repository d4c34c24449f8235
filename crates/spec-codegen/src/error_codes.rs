//! `error_codes.rs`: the codes of the document's `x-error-codes`, each with its HTTP status.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::ErrorCode;
use crate::source::{docs, ident};
use crate::text_enum;

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
