//! `api.rs`: the dropshot trait, a method per operation.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Api, ErrorType, Operation, ParameterKind, SuccessBody, SuccessKind};
use crate::source::{docs, docs_verbatim, ident};
use crate::spelling::{spell, spell_named};

pub(crate) fn render(api: &Api) -> TokenStream {
    let docs = docs(if api.description.is_empty() {
        &api.title
    } else {
        &api.description
    });
    let attribute = write_attribute(api);
    let name = ident(&api.trait_name);
    let methods = api.operations.iter().map(write_method);
    quote! {
        //! The trait that a server of this interface implements.
        #![allow(
            rustdoc::bare_urls,
            rustdoc::broken_intra_doc_links,
            rustdoc::invalid_html_tags,
            reason = "dropshot emits the comments as descriptions, so they are not escaped"
        )]

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

fn write_method(operation: &Operation) -> TokenStream {
    let docs = match (&operation.summary, &operation.description) {
        (summary, description) if description.is_empty() => docs_verbatim(summary),
        (summary, description) => docs_verbatim(&format!("{summary}\n\n{description}")),
    };
    let endpoint = write_endpoint(operation);
    let parameters = operation.parameters.iter().map(|(kind, name)| {
        let extractor = match kind {
            ParameterKind::Path => quote!(Path),
            ParameterKind::Query => quote!(Query),
            ParameterKind::RequestHeader | ParameterKind::ResponseHeader => quote!(Header),
        };
        let (argument, name) = (ident(kind.argument()), ident(name));
        quote!(#argument: dropshot::#extractor<crate::parameters::#name>)
    });
    let body = operation.body.iter().map(|body| {
        let body = spell(body);
        quote!(body: dropshot::TypedBody<#body>)
    });
    let arguments = parameters.chain(body);
    let name = ident(&operation.method_name);
    let (success, error) = (spell_success(operation), spell_error(&operation.error));
    quote! {
        #docs
        #endpoint
        async fn #name(
            rqctx: dropshot::RequestContext<Self::Context>,
            #(#arguments),*
        ) -> Result<#success, #error>;
    }
}

fn write_endpoint(operation: &Operation) -> TokenStream {
    let method = ident(operation.method);
    let (path, id, tags) = (&operation.path, &operation.id, &operation.tags);
    let tags = (!tags.is_empty()).then(|| quote!(tags = [#(#tags),*],));
    let deprecated = operation.deprecated.then(|| quote!(deprecated = true,));
    quote! {
        #[endpoint { method = #method, path = #path, operation_id = #id, #tags #deprecated }]
    }
}

fn spell_success(operation: &Operation) -> TokenStream {
    let success = match &operation.success.kind {
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
        SuccessKind::Freeform => quote!(http::Response<dropshot::Body>),
    };
    match &operation.success.headers {
        None => success,
        Some(headers) => {
            let headers = ident(headers);
            quote!(dropshot::HttpResponseHeaders<#success, crate::parameters::#headers>)
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
    }
}
