//! `operations.rs`: the operations as an enum and as a table.

use chrono::{Datelike, NaiveDate};
use heck::ToUpperCamelCase;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::{Api, Deprecation, Operation};
use crate::security;
use crate::source::{docs, ident, length, optional};

pub(crate) fn render(api: &Api) -> TokenStream {
    let operations = &api.operations;
    let count = length(operations.len());
    let variants: Vec<_> = operations.iter().map(|of| ident(&of.variant)).collect();
    let docs = operations
        .iter()
        .map(|of| docs(&format!("`{}`", of.method_and_path())));
    let rows = operations.iter().map(write_row);
    quote! {
        //! The operations of the interface.

        /// An operation, in the order of the document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            #(#docs #variants,)*
        }

        impl Operation {
            /// Every operation, in the order of `OPERATIONS`.
            pub const ALL: [Self; #count] = [#(Self::#variants),*];

            /// The entry of the operation in `OPERATIONS`.
            pub fn info(self) -> &'static dropspec_runtime::OperationInfo {
                &OPERATIONS[self as usize]
            }
        }

        /// What the document says about each operation.
        pub static OPERATIONS: [dropspec_runtime::OperationInfo; #count] = [#(#rows),*];
    }
}

fn write_row(operation: &Operation) -> TokenStream {
    let extensions = &operation.extensions;
    let (id, path) = (&operation.id, &operation.path);
    let method = ident(&operation.method.to_upper_camel_case());
    let tag = optional(operation.tags.first());
    let stability = ident(&extensions.stability.to_string().to_upper_camel_case());
    let deprecation = optional(extensions.deprecation.as_ref().map(write_deprecation));
    let access = optional(extensions.required_access.as_ref());
    let cost = Literal::u32_unsuffixed(extensions.rate_limit_cost);
    let security = security::write_alternatives(&extensions.security);
    let generated = operation.is_generated();
    quote! {
        dropspec_runtime::OperationInfo {
            operation_id: #id,
            method: dropspec_runtime::Method::#method,
            path: #path,
            tag: #tag,
            stability: dropspec_runtime::Stability::#stability,
            deprecation: #deprecation,
            required_access: #access,
            rate_limit_cost: #cost,
            security: #security,
            generated: #generated,
        }
    }
}

fn write_deprecation(deprecation: &Deprecation) -> TokenStream {
    let date = |date: Option<NaiveDate>| match date {
        None => quote!(None),
        Some(date) => {
            let year = Literal::i32_unsuffixed(date.year());
            let (month, day) = (date.month(), date.day());
            let (month, day) = (Literal::u32_unsuffixed(month), Literal::u32_unsuffixed(day));
            quote!(chrono::NaiveDate::from_ymd_opt(#year, #month, #day))
        }
    };
    let (since, sunset) = (date(deprecation.since), date(deprecation.sunset));
    let successor = optional(deprecation.successor.as_ref());
    quote! {
        dropspec_runtime::Deprecation {
            since: #since,
            sunset: #sunset,
            successor: #successor,
        }
    }
}
