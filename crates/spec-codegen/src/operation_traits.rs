//! `operation_traits.rs`: properties of operations that the hand-written part of a client needs, by the names that
//! progenitor's hooks get.

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::{Operation, ParameterLocation, Spec};

use crate::model::Api;
use crate::names;
use crate::source::{docs, ident};

/// The functions that tell which operations have the idempotency header and which cost nothing.
pub(crate) fn render(spec: &Spec, api: &Api, idempotency_header: &str) -> TokenStream {
    let docs = docs(&format!(
        "Whether the operation has the header `{idempotency_header}`."
    ));
    let keyed: Vec<String> = spec
        .operations
        .iter()
        .filter(|operation| has_header(operation, idempotency_header))
        .filter_map(method_name)
        .collect();
    let takes_idempotency_key = write_predicate("takes_idempotency_key", &keyed);
    let free: Vec<String> = api
        .operations
        .iter()
        .filter(|operation| operation.extensions.rate_limit_cost == 0)
        .filter_map(|operation| names::field_name(&operation.id))
        .collect();
    let is_free = write_predicate("is_free", &free);
    quote! {
        //! Properties of operations that requests are sent by.

        #docs
        #takes_idempotency_key

        /// Whether the operation costs nothing, so that it also succeeds when a rate limit is used up.
        #is_free
    }
}

/// Writes a function that tells whether an operation id is one of `operations`.
fn write_predicate(function: &str, operations: &[String]) -> TokenStream {
    let function = ident(function);
    let (argument, test) = match operations {
        [] => (quote!(_), quote!(false)),
        names => (
            quote!(operation_id),
            quote!(matches!(operation_id, #(#names)|*)),
        ),
    };
    quote! {
        pub(crate) fn #function(#argument: &str) -> bool {
            #test
        }
    }
}

fn has_header(operation: &Operation, header: &str) -> bool {
    operation.parameters.iter().any(|parameter| {
        parameter.location == ParameterLocation::Header
            && parameter.name.eq_ignore_ascii_case(header)
    })
}

/// The name of the client's method for an operation.
pub(crate) fn method_name(operation: &Operation) -> Option<String> {
    names::field_name(&operation.id.as_ref()?.value)
}
