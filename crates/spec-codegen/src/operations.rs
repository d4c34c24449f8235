//! `operations.rs`: the operations as an enum and as a table.

use std::collections::HashSet;

use chrono::{Datelike, NaiveDate};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use spec_model::Stability;

use crate::Part;
use crate::model::{Api, Deprecation, OperationExtensions};
use crate::names::{constant_name, make_unique};
use crate::sections::Sections;
use crate::security;
use crate::source::{docs, ident, length};
use crate::split::{Items, Layout};

/// A row of the operation table.
#[derive(Clone)]
pub(crate) struct Row<'a> {
    index: usize,
    id: &'a str,
    variant: &'a str,
    /// The constant with the row, if the table is divided.
    constant: String,
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
        constant: String::new(),
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
        constant: String::new(),
        method: operation.method,
        path: &operation.path,
        tags: &operation.tags,
        extensions: &operation.extensions,
        generated: false,
    });
    let mut rows: Vec<Row<'_>> = generated.chain(left_out).collect();
    rows.sort_by_key(|row| row.index);
    let mut taken = HashSet::new();
    for row in &mut rows {
        row.constant = make_unique(constant_name(row.variant), &mut taken);
    }
    rows
}

pub(crate) fn items<'a>(api: &'a Api, sections: &'a Sections) -> Items<'a, Row<'a>> {
    let rows = rows(api);
    let values: Vec<TokenStream> = rows.iter().map(write_row).collect();
    let constants: Vec<_> = rows.iter().map(|row| ident(&row.constant)).collect();
    Items {
        part: Part::Api,
        module: "operations",
        docs: "The operations of the interface.",
        what: "The table",
        name: |row| row.variant,
        section: Box::new(|row| sections.of_operation(row.tags, row.path)),
        write: Box::new(|rows, _| rows.iter().map(write_constant).collect()),
        layout: Layout {
            whole: Some(write_table(&rows, &values)),
            rest: write_table(&rows, &constants),
            import: quote!(pub(crate) use),
            ..Layout::default()
        },
        items: rows,
    }
}

/// Writes the operations as an enum, and the table of what the document says about them.
fn write_table(rows: &[Row<'_>], values: &[impl ToTokens]) -> TokenStream {
    let count = length(rows.len());
    let variants: Vec<_> = rows.iter().map(|row| ident(row.variant)).collect();
    let docs = rows
        .iter()
        .map(|row| docs(&format!("`{} {}`", row.method, row.path)));
    quote! {
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
        pub static OPERATIONS: [spec_runtime::OperationInfo; #count] = [#(#values),*];
    }
}

/// Writes a row as a constant, for a table that is divided.
fn write_constant(row: &Row<'_>) -> TokenStream {
    let (name, value) = (ident(&row.constant), write_row(row));
    quote! {
        pub(crate) const #name: spec_runtime::OperationInfo = #value;
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
    let security = security::write_alternatives(&extensions.security);
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
