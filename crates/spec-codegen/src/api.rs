//! `api.rs`: the dropshot trait, a method per operation. Where it would be too long, there is a trait for each tag, so that
//! a person can implement each in a file of its own, and one that consists of them all.

use proc_macro2::TokenStream;
use quote::quote;

use crate::Part;
use crate::model::{Api, ErrorType, Operation, ParameterKind, Success, SuccessBody, SuccessKind};
use crate::sections::Sections;
use crate::settings::Traits;
use crate::source::{docs, docs_verbatim, ident};
use crate::spelling::{spell, spell_named};
use crate::split::{Items, Layout};
use crate::{bodies, responses};

pub(crate) fn items<'a>(
    api: &'a Api,
    sections: &'a Sections,
    traits: Traits,
) -> Items<'a, &'a Operation> {
    let all: Vec<&Operation> = api.operations.iter().collect();
    let docs = docs(about(api));
    let whole = write_trait(api, &api.trait_name, docs, &all);
    Items {
        part: Part::Api,
        module: "api",
        docs: "The trait that a server of this interface implements.",
        what: "The methods",
        items: all,
        name: |operation| &operation.variant,
        section: Box::new(|operation| sections.of_operation(&operation.tags, &operation.path)),
        write: Box::new(|operations, section| {
            let text = format!(
                "The part of [`{}`](crate::api::{0}) with the {}.",
                api.trait_name,
                sections.describe(section)
            );
            let docs = crate::source::docs(&text);
            write_trait(api, sections.trait_name(section), docs, operations)
        }),
        layout: Layout {
            levels: usize::from(traits != Traits::One),
            by_name: false,
            always: traits == Traits::ByTag,
            whole: Some(whole),
            rest: write_sum(api, sections),
            ..Layout::default()
        },
    }
}

fn about(api: &Api) -> &str {
    match api.description.as_str() {
        "" => &api.title,
        description => description,
    }
}

/// Writes a trait of dropshot's with the methods of these operations.
fn write_trait(api: &Api, name: &str, docs: TokenStream, operations: &[&Operation]) -> TokenStream {
    let attribute = write_attribute(api, operations);
    let name = ident(name);
    let methods = operations
        .iter()
        .map(|operation| write_method(api, operation));
    let is_undescribed =
        |operation: &&Operation| operation.summary.is_empty() && operation.description.is_empty();
    let undescribed = operations.iter().any(is_undescribed);
    let undescribed = undescribed.then(|| {
        let reason = "dropshot would emit comments that the document does not have";
        quote!(#![allow(missing_docs, reason = #reason)])
    });
    quote! {
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

/// Writes the trait that consists of those of all tags.
fn write_sum(api: &Api, sections: &Sections) -> TokenStream {
    let docs = docs(&format!(
        "{}\n\nA server implements the trait of each tag, all with the same context, and this one.",
        about(api)
    ));
    let name = ident(&api.trait_name);
    let mut parts: Vec<&str> = api
        .operations
        .iter()
        .map(|operation| {
            let section = sections.of_operation(&operation.tags, &operation.path);
            sections.trait_name(&section)
        })
        .collect();
    parts.sort_unstable();
    parts.dedup();
    let parts = parts.into_iter().map(|part| {
        let part = ident(part);
        quote!(#part<Context = <Self as #name>::Context>)
    });
    quote! {
        #docs
        pub trait #name: #(#parts)+* {
            /// The state that every handler can reach.
            type Context: dropshot::ServerContext;
        }
    }
}

fn write_attribute(api: &Api, operations: &[&Operation]) -> TokenStream {
    if api.tags.is_empty() {
        return quote!(#[dropshot::api_description]);
    }
    let declared = |tag: &String| api.tags.iter().any(|known| known.name == *tag);
    let mut used = operations.iter().flat_map(|operation| &operation.tags);
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
        (text, empty) | (empty, text) if empty.is_empty() => docs_verbatim(text),
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
    let result = if operation.channel {
        quote!(dropshot::WebsocketChannelResult)
    } else {
        let (success, error) = (spell_success(operation), spell_error(&operation.error));
        quote!(Result<#success, #error>)
    };
    let arguments = quote! {
        rqctx: dropshot::RequestContext<Self::Context>,
        #(#arguments),*
    };
    if operation.registered {
        quote! {
            #docs
            #endpoint
            async fn #name(#arguments) -> #result;
        }
    } else {
        // dropshot makes the futures of its endpoints `Send`.
        quote! {
            #docs
            fn #name(#arguments) -> impl Future<Output = #result> + Send;
        }
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
