//! `operations.rs`: the operations as an enum and as a table.

use chrono::{Datelike, NaiveDate};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use spec_model::Stability;

use crate::model::{Api, Deprecation, OperationExtensions};
use crate::source::{docs, ident, length};

/// A row of the operation table.
struct Row<'a> {
    index: usize,
    id: &'a str,
    variant: &'a str,
    method: &'a str,
    path: &'a str,
    tags: &'a [String],
    extensions: &'a OperationExtensions,
    /// Whether the trait has a method for it.
    generated: bool,
}

/// All operations, in the order of the document.
fn rows(api: &Api) -> Vec<Row<'_>> {
    let generated = api.operations.iter().map(|operation| Row {
        index: operation.index,
        id: &operation.id,
        variant: &operation.variant,
        method: operation.method,
        path: &operation.path,
        tags: &operation.tags,
        extensions: &operation.extensions,
        generated: true,
    });
    let left_out = api.unsupported.iter().map(|operation| Row {
        index: operation.index,
        id: &operation.id,
        variant: &operation.variant,
        method: operation.method,
        path: &operation.path,
        tags: &operation.tags,
        extensions: &operation.extensions,
        generated: false,
    });
    let mut rows: Vec<Row<'_>> = generated.chain(left_out).collect();
    rows.sort_by_key(|row| row.index);
    rows
}

pub(crate) fn render(api: &Api) -> TokenStream {
    let rows = rows(api);
    let count = length(rows.len());
    let variants: Vec<_> = rows.iter().map(|row| ident(row.variant)).collect();
    let docs = rows
        .iter()
        .map(|row| docs(&format!("`{} {}`", row.method, row.path)));
    let rows = rows.iter().map(write_row);
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
            pub fn info(self) -> &'static spec_runtime::OperationInfo {
                &OPERATIONS[self as usize]
            }
        }

        /// What the document says about each operation.
        pub static OPERATIONS: [spec_runtime::OperationInfo; #count] = [#(#rows),*];
    }
}

fn write_row(operation: &Row<'_>) -> TokenStream {
    let extensions = operation.extensions;
    let (id, path) = (operation.id, operation.path);
    let (first, rest) = operation.method.split_at(1);
    let method = ident(&(first.to_owned() + &rest.to_ascii_lowercase()));
    let tag = optional(operation.tags.first());
    let stability = match extensions.stability {
        Stability::Beta => quote!(Beta),
        Stability::Draft | Stability::Experimental => quote!(Experimental),
        Stability::Stable => quote!(Stable),
    };
    let deprecation = match &extensions.deprecation {
        None => quote!(None),
        Some(deprecation) => write_deprecation(deprecation),
    };
    let access = optional(extensions.required_access.as_ref());
    let cost = Literal::u32_unsuffixed(extensions.rate_limit_cost);
    let public = extensions.public;
    let generated = operation.generated;
    quote! {
        spec_runtime::OperationInfo {
            operation_id: #id,
            method: spec_runtime::Method::#method,
            path: #path,
            tag: #tag,
            stability: spec_runtime::Stability::#stability,
            deprecation: #deprecation,
            required_access: #access,
            rate_limit_cost: #cost,
            public: #public,
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
        Some(spec_runtime::Deprecation {
            since: #since,
            sunset: #sunset,
            successor: #successor,
        })
    }
}

fn optional(text: Option<&String>) -> TokenStream {
    match text {
        None => quote!(None),
        Some(text) => quote!(Some(#text)),
    }
}
