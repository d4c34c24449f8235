//! `interface.rs`: the `Interface` that servers are generic over, with the tables of plans and error codes.

mod calls;

use calls::write_function;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::{Api, ErrorCode, RateLimitPlan};
use crate::source::{ident, length, optional};
use crate::{security, tags};

/// Writes `interface.rs`. `by_tag` tells that there is a trait for each tag.
pub(crate) fn render(api: &Api, by_tag: bool, has_written: bool) -> TokenStream {
    // A trait that consists of others has a context of its own beside theirs.
    let context = if by_tag {
        let name = ident(&api.trait_name);
        quote!(<A as crate::api::#name>::Context)
    } else {
        quote!(A::Context)
    };
    let interface = write_interface(api, &context, &write_dispatch(api, &context), has_written);
    let functions: Vec<TokenStream> = if by_tag {
        let tags = tags::group(api).into_iter();
        let functions = tags.flat_map(|tag| {
            let operations = tag.operations.into_iter();
            operations.map(move |operation| write_function(operation, &tag.trait_name))
        });
        functions.collect()
    } else {
        let operations = api.generated();
        let functions = operations.map(|operation| write_function(operation, &api.trait_name));
        functions.collect()
    };
    quote! {
        //! The interface as data, and the dispatch of requests to its implementation.

        #interface
        #(#functions)*
    }
}

/// Writes a dispatch that calls a function for each operation. A `match` that calls the methods itself would hold the futures
/// of all arms on the stack in a build without optimization.
fn write_dispatch(api: &Api, context: &TokenStream) -> TokenStream {
    if api.generated().next().is_none() {
        return quote! {
            let _ = (permit, rqctx, request);
            Err(dropspec_runtime::DispatchError::NotImplemented)
        };
    }
    // `self::`, because an argument may have the name of an operation.
    let arms = api.operations.iter().map(|operation| {
        let (variant, function) = (ident(&operation.variant), ident(&operation.method_name));
        if operation.is_generated() {
            quote!(crate::operations::Operation::#variant => self::#function::<A>)
        } else {
            quote! {
                crate::operations::Operation::#variant => {
                    return Err(dropspec_runtime::DispatchError::NotImplemented);
                }
            }
        }
    });
    quote! {
        let call: fn(
            dropshot::RequestContext<#context>,
            dropspec_runtime::DecodedRequest,
        ) -> dropspec_runtime::Dispatched = match crate::operations::Operation::ALL[permit.operation()] {
            #(#arms,)*
        };
        call(rqctx, request).await
    }
}

/// Writes the implementation of `Interface` with this body of `dispatch`.
fn write_interface(
    api: &Api,
    context: &TokenStream,
    dispatch: &TokenStream,
    has_written: bool,
) -> TokenStream {
    let interface = ident(&api.interface_name);
    let api_trait = ident(&api.trait_name);
    let codes = api.error_codes.as_deref().unwrap_or_default();
    let (plan_count, plans) = (
        length(api.plans.len()),
        api.plans.iter().map(write_rate_limit_plan),
    );
    let (code_count, codes) = (length(codes.len()), codes.iter().map(write_code));
    let schemes = security::write_schemes(&api.security_schemes);
    let written = has_written.then(|| {
        quote! {
            fn document_json() -> &'static str {
                crate::document::DOCUMENT_JSON
            }
        }
    });
    quote! {
        /// The interface, implemented by `A`.
        #[derive(Debug)]
        pub struct #interface<A>(std::marker::PhantomData<fn() -> A>);

        impl<A: crate::api::#api_trait> dropspec_runtime::Interface for #interface<A> {
            type Context = #context;

            fn operations() -> &'static [dropspec_runtime::OperationInfo] {
                &crate::operations::OPERATIONS
            }

            fn security_schemes() -> &'static [dropspec_runtime::SecuritySchemeInfo] {
                &SECURITY_SCHEMES
            }

            fn document() -> &'static dropspec_runtime::Document {
                &crate::document::DOCUMENT
            }

            #written

            fn document_source() -> &'static str {
                crate::document::DOCUMENT_SOURCE
            }

            fn plans() -> &'static [dropspec_runtime::PlanInfo] {
                &PLANS
            }

            fn error_codes() -> &'static [dropspec_runtime::ErrorCodeInfo] {
                &ERROR_CODES
            }

            async fn dispatch(
                permit: dropspec_runtime::Permit<Self>,
                rqctx: dropshot::RequestContext<#context>,
                request: dropspec_runtime::DecodedRequest,
            ) -> Result<http::Response<dropshot::Body>, dropspec_runtime::DispatchError> {
                #dispatch
            }
        }

        #schemes

        /// The plans of the document's `x-rate-limits`.
        pub static PLANS: [dropspec_runtime::PlanInfo; #plan_count] = [#(#plans),*];

        /// The codes of the document's `x-error-codes`.
        pub static ERROR_CODES: [dropspec_runtime::ErrorCodeInfo; #code_count] = [#(#codes),*];
    }
}

fn write_rate_limit_plan(plan: &RateLimitPlan) -> TokenStream {
    let name = &plan.name;
    let limits = optional(plan.limits.map(|(minute, day)| {
        let (minute, day) = (
            Literal::u64_unsuffixed(minute),
            Literal::u64_unsuffixed(day),
        );
        quote!(dropspec_runtime::RateLimits { per_minute: #minute, per_day: #day })
    }));
    quote!(dropspec_runtime::PlanInfo { name: #name, limits: #limits })
}

fn write_code(code: &ErrorCode) -> TokenStream {
    let (name, status) = (&code.name, Literal::u16_unsuffixed(code.status));
    quote!(dropspec_runtime::ErrorCodeInfo { name: #name, status: #status })
}
