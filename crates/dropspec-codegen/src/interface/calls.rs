//! The calls of the trait's methods: what each takes out of a request.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::bodies;
use crate::model::{BodyContent, BodyForm, Operation, RequestBody};
use crate::source::{docs, ident, length};

/// Writes the function that calls the method of an operation. Its future is in a box, so that the dispatch needs no room
/// for it on the stack.
pub(super) fn write_function(operation: &Operation, bound: &str) -> TokenStream {
    let docs = docs(&format!("`{}`", operation.method_and_path()));
    let (name, bound) = (ident(&operation.method_name), ident(bound));
    let call = write_call(operation);
    let takes_request =
        !operation.parameters.is_empty() || operation.body.is_some() || operation.channel;
    let request = ident(if takes_request { "request" } else { "_request" });
    quote! {
        #docs
        pub(crate) fn #name<A: crate::api::#bound>(
            rqctx: dropshot::RequestContext<A::Context>,
            #request: dropspec_runtime::DecodedRequest,
        ) -> dropspec_runtime::Dispatched {
            Box::pin(async move { #call })
        }
    }
}

/// Writes the call of the method of an operation with what a request contains.
fn write_call(operation: &Operation) -> TokenStream {
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
        write_body(body)
    });
    let call = if operation.channel {
        quote! {
            let channel = request.channel(&rqctx).await?;
            channel.run(move |connection| A::#method(rqctx, #(#arguments,)* connection))
        }
    } else {
        quote!(dropspec_runtime::to_response(A::#method(rqctx, #(#arguments),*).await))
    };
    quote!(#(#parameters)* #body #call)
}

/// Takes the body of an operation out of the request.
fn write_body(body: &RequestBody) -> TokenStream {
    let content = bodies::spell_content(body);
    let Some(form) = body.only() else {
        let last = body.forms.len().saturating_sub(1);
        let arms = body.forms.iter().enumerate().map(|(index, form)| {
            let (variant, take) = (ident(&form.variant), take_form(form));
            let index = match index {
                index if index == last => quote!(_),
                index => length(index).into_token_stream(),
            };
            quote!(#index => #content::#variant(#take))
        });
        let take = quote!(match request.media_type() { #(#arms,)* });
        return if body.required {
            quote!(let body = #take;)
        } else {
            take_optional(&take)
        };
    };
    let take = take_form(form);
    match form.content {
        _ if body.required => quote!(let body: #content = #take;),
        // An absent value is deserialized to `None`.
        BodyContent::Json(_) | BodyContent::Form(_) => {
            quote!(let body: Option<#content> = #take;)
        }
        _ => take_optional(&take),
    }
}

fn take_optional(take: &TokenStream) -> TokenStream {
    quote! {
        let body = match request.has_body() {
            true => Some(#take),
            false => None,
        };
    }
}

/// The expression that takes a body in one media type out of the request.
fn take_form(form: &BodyForm) -> TokenStream {
    match &form.content {
        BodyContent::Json(_) | BodyContent::Form(_) => quote!(request.body()?),
        BodyContent::Multipart(of) if of.parts.is_empty() => quote!(request.extract(&rqctx).await?),
        BodyContent::Multipart(_) => quote!(request.multipart()?),
        BodyContent::Text => quote!(dropspec_runtime::Text(request.text())),
        BodyContent::Bytes => quote!(request.raw()),
    }
}
