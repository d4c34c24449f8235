//! The calls of the trait's methods: what each takes out of a request.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::takes_arguments;
use crate::bodies;
use crate::model::{Api, BodyContent, BodyForm, ErrorType, Operation, RequestBody};
use crate::source::{docs, ident, length};

pub(super) fn write_arm(operation: &Operation, call: &TokenStream) -> TokenStream {
    let variant = ident(&operation.variant);
    quote!(crate::operations::Operation::#variant => { #call })
}

/// Writes the function that calls the method of an operation. Its future is in a box, so that the dispatch needs no room
/// for it on the stack.
pub(super) fn write_function(api: &Api, operation: &Operation, bound: &str) -> TokenStream {
    let docs = docs(&format!("`{} {}`", operation.method, operation.path));
    let (name, bound) = (ident(&operation.method_name), ident(bound));
    let call = write_call(api, operation);
    let request = if takes_arguments(operation) {
        quote!(request)
    } else {
        quote!(_request)
    };
    quote! {
        #docs
        pub(crate) fn #name<A: crate::api::#bound>(
            rqctx: dropshot::RequestContext<A::Context>,
            #request: spec_runtime::DecodedRequest,
        ) -> spec_runtime::Dispatched {
            Box::pin(async move { #call })
        }
    }
}

/// Writes the call of the method of an operation with what a request contains.
pub(super) fn write_call(api: &Api, operation: &Operation) -> TokenStream {
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
        arguments.push(if bodies::is_wrapped(body) {
            quote!(body.into())
        } else {
            quote!(body)
        });
        write_body(api, body)
    });
    let call = if operation.channel {
        quote! {
            let channel = request.channel(&rqctx).await?;
            channel.run(move |connection| A::#method(rqctx, #(#arguments,)* connection))
        }
    } else {
        let convert = match operation.error {
            ErrorType::Responses(_) => quote!(spec_runtime::respond::to_enum_response),
            _ => quote!(spec_runtime::to_response),
        };
        quote!(#convert(A::#method(rqctx, #(#arguments),*).await))
    };
    quote!(#(#parameters)* #body #call)
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
                let index = if index + 1 == body.forms.len() {
                    quote!(_)
                } else {
                    length(index).into_token_stream()
                };
                quote!(#index => #content::#variant(#take))
            });
            quote!(match request.media_type() { #(#arms,)* })
        }
    };
    if body.required {
        quote!(let body = #content;)
    } else {
        quote! {
            let body = match request.has_body() {
                true => Some(#content),
                false => None,
            };
        }
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
