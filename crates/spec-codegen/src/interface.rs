//! `interface.rs`: the `Interface` that servers are generic over, with the tables of plans and error codes.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use crate::model::{Api, ErrorCode, Operation, Plan};
use crate::source::{ident, length};
use crate::spelling::spell;

pub(crate) fn render(api: &Api) -> TokenStream {
    let interface = ident(&api.interface_name);
    let api_trait = ident(&api.trait_name);
    let codes = api.error_codes.as_deref().unwrap_or_default();
    let (plan_count, plans) = (length(api.plans.len()), api.plans.iter().map(write_plan));
    let (code_count, codes) = (length(codes.len()), codes.iter().map(write_code));
    let arms = api.operations.iter().map(write_arm);
    let takes_arguments = |operation: &Operation| !arguments(operation).is_empty();
    let rqctx = if api.operations.is_empty() {
        quote!(_rqctx)
    } else {
        quote!(rqctx)
    };
    let request = if api.operations.iter().any(takes_arguments) {
        quote!(request)
    } else {
        quote!(_request)
    };
    quote! {
        //! The interface as data, and the dispatch of requests to its implementation.

        /// The interface, implemented by `A`.
        #[derive(Debug)]
        pub struct #interface<A>(std::marker::PhantomData<fn() -> A>);

        impl<A: crate::api::#api_trait> spec_runtime::Interface for #interface<A> {
            type Context = A::Context;

            fn operations() -> &'static [spec_runtime::OperationInfo] {
                &crate::operations::OPERATIONS
            }

            fn document() -> &'static spec_runtime::Document {
                &crate::document::DOCUMENT
            }

            fn document_source() -> &'static str {
                crate::document::DOCUMENT_SOURCE
            }

            fn plans() -> &'static [spec_runtime::PlanInfo] {
                &PLANS
            }

            fn error_codes() -> &'static [spec_runtime::ErrorCodeInfo] {
                &ERROR_CODES
            }

            async fn dispatch(
                operation: usize,
                #rqctx: dropshot::RequestContext<A::Context>,
                #request: spec_runtime::DecodedRequest,
            ) -> Result<http::Response<dropshot::Body>, spec_runtime::DispatchError> {
                match crate::operations::Operation::ALL[operation] {
                    #(#arms)*
                }
            }
        }

        /// The plans of the document's `x-rate-limits`.
        pub static PLANS: [spec_runtime::PlanInfo; #plan_count] = [#(#plans),*];

        /// The codes of the document's `x-error-codes`.
        pub static ERROR_CODES: [spec_runtime::ErrorCodeInfo; #code_count] = [#(#codes),*];
    }
}

fn write_plan(plan: &Plan) -> TokenStream {
    let name = &plan.name;
    let limits = match plan.limits {
        None => quote!(None),
        Some((per_minute, per_day)) => {
            let (per_minute, per_day) = (
                Literal::u64_unsuffixed(per_minute),
                Literal::u64_unsuffixed(per_day),
            );
            quote! {
                Some(spec_runtime::RateLimits { per_minute: #per_minute, per_day: #per_day })
            }
        }
    };
    quote!(spec_runtime::PlanInfo { name: #name, limits: #limits })
}

fn write_code(code: &ErrorCode) -> TokenStream {
    let (name, status) = (&code.name, Literal::u16_unsuffixed(code.status));
    quote!(spec_runtime::ErrorCodeInfo { name: #name, status: #status })
}

fn write_arm(operation: &Operation) -> TokenStream {
    let variant = ident(&operation.variant);
    let method = ident(&operation.method_name);
    let (names, types): (Vec<_>, Vec<_>) = arguments(operation).into_iter().unzip();
    quote! {
        crate::operations::Operation::#variant => {
            #(let #names: #types = request.#names()?;)*
            spec_runtime::to_response(A::#method(rqctx, #(#names.into()),*).await)
        }
    }
}

/// The arguments of an operation's trait method after `rqctx`, each with name and type.
fn arguments(operation: &Operation) -> Vec<(Ident, TokenStream)> {
    let parameters = operation.parameters.iter().map(|(kind, name)| {
        let name = ident(name);
        (ident(kind.argument()), quote!(crate::parameters::#name))
    });
    let body = operation.body.iter();
    parameters
        .chain(body.map(|body| (ident("body"), spell(body))))
        .collect()
}
