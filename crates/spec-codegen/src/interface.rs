//! `interface.rs`: the `Interface` that servers are generic over, with the tables of plans and error codes.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::bodies;
use crate::model::{
    Api, BodyContent, BodyForm, ErrorCode, ErrorType, Operation, Plan, RequestBody,
    UnsupportedOperation,
};
use crate::source::{ident, length};

pub(crate) fn render(api: &Api) -> TokenStream {
    let interface = ident(&api.interface_name);
    let api_trait = ident(&api.trait_name);
    let codes = api.error_codes.as_deref().unwrap_or_default();
    let (plan_count, plans) = (length(api.plans.len()), api.plans.iter().map(write_plan));
    let (code_count, codes) = (length(codes.len()), codes.iter().map(write_code));
    let arms = api
        .operations
        .iter()
        .map(|operation| write_arm(api, operation));
    let left_out = api.unsupported.iter().map(write_left_out);
    let takes_arguments = |operation: &Operation| {
        !operation.parameters.is_empty() || operation.body.is_some() || operation.channel
    };
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
                    #(#left_out,)*
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

fn write_arm(api: &Api, operation: &Operation) -> TokenStream {
    let variant = ident(&operation.variant);
    let method = ident(&operation.method_name);
    let parameters = operation.parameters.iter().map(|(kind, name)| {
        let (argument, name) = (ident(kind.argument()), ident(name));
        quote!(let #argument: crate::parameters::#name = request.#argument()?;)
    });
    let mut arguments: Vec<TokenStream> = operation
        .parameters
        .iter()
        .map(|(kind, _)| {
            let argument = ident(kind.argument());
            quote!(#argument.into())
        })
        .collect();
    let body = operation.body.as_ref().map(|body| {
        arguments.push(match bodies::is_wrapped(body) {
            true => quote!(body.into()),
            false => quote!(body),
        });
        write_body(api, body)
    });
    let call = if operation.channel {
        quote! {
            let upgrade: dropshot::WebsocketUpgrade = request.extract(&rqctx).await?;
            let handler = move |connection| A::#method(rqctx, #(#arguments,)* connection);
            spec_runtime::to_response(upgrade.handle(handler))
        }
    } else {
        let convert = match operation.error {
            ErrorType::Responses(_) => quote!(spec_runtime::respond::to_enum_response),
            _ => quote!(spec_runtime::to_response),
        };
        quote!(#convert(A::#method(rqctx, #(#arguments),*).await))
    };
    quote! {
        crate::operations::Operation::#variant => {
            #(#parameters)*
            #body
            #call
        }
    }
}

/// Takes the body of an operation out of the request.
fn write_body(api: &Api, body: &RequestBody) -> TokenStream {
    let content = bodies::spell_content(api, body);
    match body.only() {
        // An absent value is deserialized to `None`.
        Some(form) if is_value(&form.content) && !body.required => {
            return quote!(let body: Option<#content> = request.body()?;);
        }
        Some(form) if body.required => {
            let take = take_form(form, bodies::has_parts(api, form));
            return quote!(let body: #content = #take;);
        }
        _ => {}
    }
    let content = match body.only() {
        Some(form) => take_form(form, bodies::has_parts(api, form)),
        None => {
            let arms = body.forms.iter().enumerate().map(|(index, form)| {
                let (variant, take) = (
                    ident(&form.variant),
                    take_form(form, bodies::has_parts(api, form)),
                );
                let index = match index + 1 == body.forms.len() {
                    true => quote!(_),
                    false => length(index).into_token_stream(),
                };
                quote!(#index => #content::#variant(#take))
            });
            quote!(match request.media_type() { #(#arms,)* })
        }
    };
    match body.required {
        true => quote!(let body = #content;),
        false => quote! {
            let body = match request.has_body() {
                true => Some(#content),
                false => None,
            };
        },
    }
}

/// Whether the run time decodes the body to a value.
fn is_value(content: &BodyContent) -> bool {
    matches!(content, BodyContent::Json(_) | BodyContent::Form(_))
}

/// The expression that takes a body in one media type out of the request.
fn take_form(form: &BodyForm, has_parts: bool) -> TokenStream {
    match &form.content {
        BodyContent::Json(_) | BodyContent::Form(_) => quote!(request.body()?),
        BodyContent::Multipart(_) if has_parts => quote!(request.multipart()?),
        BodyContent::Multipart(_) => quote!(request.extract(&rqctx).await?),
        BodyContent::Text => quote!(spec_runtime::Text(request.text())),
        BodyContent::Bytes => quote!(request.raw()),
    }
}

fn write_left_out(operation: &UnsupportedOperation) -> TokenStream {
    let variant = ident(&operation.variant);
    quote! {
        crate::operations::Operation::#variant => Err(spec_runtime::DispatchError::NotImplemented)
    }
}
