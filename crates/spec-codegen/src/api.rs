//! `api.rs`: the dropshot trait, a method per operation.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Api, ErrorType, Operation, ParameterKind, Success, SuccessBody, SuccessKind};
use crate::source::{docs, docs_verbatim, ident};
use crate::spelling::{spell, spell_named};
use crate::{bodies, responses};

pub(crate) fn render(api: &Api) -> TokenStream {
    let docs = docs(if api.description.is_empty() {
        &api.title
    } else {
        &api.description
    });
    let attribute = write_attribute(api);
    let name = ident(&api.trait_name);
    let methods = api
        .operations
        .iter()
        .map(|operation| write_method(api, operation));
    let is_undescribed =
        |operation: &Operation| operation.summary.is_empty() && operation.description.is_empty();
    let undescribed = api.operations.iter().any(is_undescribed);
    let undescribed = undescribed.then(|| {
        let reason = "dropshot would emit comments that the document does not have";
        quote!(#![allow(missing_docs, reason = #reason)])
    });
    quote! {
        //! The trait that a server of this interface implements.
        #![allow(
            rustdoc::bare_urls,
            rustdoc::broken_intra_doc_links,
            rustdoc::invalid_html_tags,
            reason = "dropshot emits the comments as descriptions, so they are not escaped"
        )]
        #undescribed

        #docs
        #attribute
        pub trait #name {
            /// The state that every handler can reach.
            type Context;

            #(#methods)*
        }
    }
}

fn write_attribute(api: &Api) -> TokenStream {
    if api.tags.is_empty() {
        return quote!(#[dropshot::api_description]);
    }
    let declared = |tag: &String| api.tags.iter().any(|known| known.name == *tag);
    let mut used = api.operations.iter().flat_map(|operation| &operation.tags);
    let others = used.any(|tag| !declared(tag));
    let tags = api.tags.iter().map(|tag| {
        let (name, description) = (&tag.name, tag.description.as_deref());
        let description = description.map(str::trim);
        let description = description.map(|text| quote!(description = #text));
        quote!(#name = { #description })
    });
    quote! {
        #[dropshot::api_description {
            tag_config = {
                allow_other_tags = #others,
                tags = { #(#tags,)* },
            },
        }]
    }
}

fn write_method(api: &Api, operation: &Operation) -> TokenStream {
    let docs = match (&operation.summary, &operation.description) {
        (summary, description) if description.is_empty() => docs_verbatim(summary),
        (summary, description) => docs_verbatim(&format!("{summary}\n\n{description}")),
    };
    let endpoint = write_endpoint(operation);
    let parameters = operation.parameters.iter().map(|(kind, name)| {
        let extractor = match kind {
            ParameterKind::Path => quote!(dropshot::Path),
            ParameterKind::Query => quote!(dropshot::Query),
            ParameterKind::RequestHeader | ParameterKind::ResponseHeader => {
                quote!(dropshot::Header)
            }
            ParameterKind::Cookie => quote!(spec_runtime::Cookies),
        };
        let (argument, name) = (ident(kind.argument()), ident(name));
        quote!(#argument: #extractor<crate::parameters::#name>)
    });
    let body = operation.body.iter().map(|body| {
        let body = bodies::spell(api, body);
        quote!(body: #body)
    });
    let connection = operation
        .channel
        .then(|| quote!(connection: dropshot::WebsocketConnection));
    let arguments = parameters.chain(body).chain(connection);
    let name = ident(&operation.method_name);
    let result = match operation.channel {
        true => quote!(dropshot::WebsocketChannelResult),
        false => {
            let (success, error) = (spell_success(operation), spell_error(&operation.error));
            quote!(Result<#success, #error>)
        }
    };
    let arguments = quote! {
        rqctx: dropshot::RequestContext<Self::Context>,
        #(#arguments),*
    };
    match operation.registered {
        true => quote! {
            #docs
            #endpoint
            async fn #name(#arguments) -> #result;
        },
        // dropshot makes the futures of its endpoints `Send`.
        false => quote! {
            #docs
            fn #name(#arguments) -> impl Future<Output = #result> + Send;
        },
    }
}

/// Writes the attribute that makes a method one of dropshot's endpoints, if dropshot can register it.
fn write_endpoint(operation: &Operation) -> TokenStream {
    if !operation.registered {
        return TokenStream::new();
    }
    let method = ident(operation.method);
    let (path, id, tags) = (&operation.path, &operation.id, &operation.tags);
    let tags = (!tags.is_empty()).then(|| quote!(tags = [#(#tags),*],));
    let deprecated = operation.deprecated.then(|| quote!(deprecated = true,));
    if operation.channel {
        return quote! {
            #[channel {
                protocol = WEBSOCKETS, path = #path, operation_id = #id, #tags #deprecated
            }]
        };
    }
    let content_type = operation.body.as_ref().and_then(bodies::content_type);
    let content_type = content_type.filter(|name| *name != "application/json");
    let content_type = content_type.map(|name| quote!(content_type = #name,));
    quote! {
        #[endpoint { method = #method, path = #path, operation_id = #id, #content_type #tags #deprecated }]
    }
}

fn spell_success(operation: &Operation) -> TokenStream {
    let success = match &operation.success {
        Success::Dropshot(success) => success,
        Success::Responses(name) => return responses::spell(name),
        Success::Freeform => return quote!(http::Response<dropshot::Body>),
    };
    let response = match &success.kind {
        SuccessKind::Body { wrapper, body } => {
            let wrapper = ident(wrapper);
            let body = match body {
                SuccessBody::Json(ty) => spell(ty),
                SuccessBody::Bytes => quote!(dropshot::FreeformBody),
            };
            quote!(dropshot::#wrapper<#body>)
        }
        SuccessKind::Empty { wrapper } => {
            let wrapper = ident(wrapper);
            quote!(dropshot::#wrapper)
        }
    };
    match &success.headers {
        None => response,
        Some(headers) => {
            let headers = ident(headers);
            quote!(dropshot::HttpResponseHeaders<#response, crate::parameters::#headers>)
        }
    }
}

fn spell_error(error: &ErrorType) -> TokenStream {
    match error {
        ErrorType::Itself(name) => spell_named(name),
        ErrorType::HttpError => quote!(dropshot::HttpError),
        ErrorType::Failure(body) => {
            let body = spell(body);
            quote!(spec_runtime::OperationError<#body>)
        }
        ErrorType::Responses(name) => responses::spell(name),
    }
}
