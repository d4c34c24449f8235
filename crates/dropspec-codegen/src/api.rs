//! `api.rs`: the dropshot trait, a method per operation. Where it would be too long, there is a trait for each tag, so that
//! a person can implement each in a file of its own, and one that consists of them all.

use std::collections::HashMap;

use dropspec_model::Tag;
use indexmap::IndexSet;
use proc_macro2::TokenStream;
use quote::quote;

use crate::bodies;
use crate::files::{GeneratedFile, Part};
use crate::model::{
    Api, ErrorType, Operation, ParameterKind, ResponseContent, Success, SuccessResponse,
};
use crate::names;
use crate::responses;
use crate::settings::{Settings, Traits};
use crate::source::{docs, docs_verbatim, ident};
use crate::spelling::{spell, spell_named};
use crate::tags;

/// The most tags that each trait declares. With more of them, it declares only those of its operations.
const MOST_DECLARED: usize = 100;

/// The tags of the document.
struct DeclaredTags<'a> {
    all: &'a [Tag],
    by_name: HashMap<&'a String, &'a Tag>,
}

/// The lines of a file beyond which there is a trait for each tag.
const MAX_LINES: usize = 4_000;

/// The file of the trait, or also those of the traits of tags.
pub(crate) fn files(api: &Api, settings: &Settings) -> Vec<GeneratedFile> {
    let rust = |name: &str, tokens| settings.rust_file(Part::Api, name, tokens);
    let all: Vec<&Operation> = api.generated().collect();
    let declared = DeclaredTags {
        all: &api.tags,
        by_name: api.tags.iter().map(|tag| (&tag.name, tag)).collect(),
    };
    let one_trait = write_trait(&declared, &api.trait_name, docs(about(api)), &all);
    let whole = rust(
        "api.rs",
        quote! {
            //! The trait that a server of this interface implements.

            #one_trait
        },
    );
    let tags = tags::group(api);
    let is_divided = match settings.traits {
        Traits::One => false,
        Traits::ByTag => true,
        Traits::BySize => whole.content.lines().count() > MAX_LINES,
    };
    if !is_divided || tags.len() < 2 {
        return vec![whole];
    }
    let parts = tags.iter().map(|tag| {
        let what = match tag.name {
            Some(name) => format!("operations with the tag `{name}`"),
            None => "operations without a tag".to_owned(),
        };
        let about = format!(" The methods of {what}.");
        let docs = docs(&format!(
            "The part of [`{0}`](crate::api::{0}) with the {what}.",
            api.trait_name
        ));
        let of_tag = write_trait(&declared, &tag.trait_name, docs, &tag.operations);
        let name = format!("api/{}.rs", tag.module.trim_start_matches("r#"));
        rust(&name, quote!(#![doc = #about] #of_tag))
    });
    let sum = rust("api.rs", write_sum(api, &tags));
    std::iter::once(sum).chain(parts).collect()
}

fn about(api: &Api) -> &str {
    match api.description.as_str() {
        "" => &api.title,
        description => description,
    }
}

/// Writes a trait of dropshot's with the methods of these operations.
fn write_trait(
    declared: &DeclaredTags<'_>,
    name: &str,
    docs: TokenStream,
    operations: &[&Operation],
) -> TokenStream {
    let attribute = write_attribute(declared, name, operations);
    let name = ident(name);
    let methods = operations.iter().map(|operation| write_method(operation));
    let is_undescribed =
        |operation: &&Operation| operation.summary.is_empty() && operation.description.is_empty();
    let undescribed = operations.iter().any(is_undescribed);
    let undescribed = undescribed.then(|| {
        let reason = "dropshot would emit comments that the document does not have";
        quote!(#![allow(missing_docs, reason = #reason)])
    });
    quote! {
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
fn write_sum(api: &Api, tags: &[tags::Tag<'_>]) -> TokenStream {
    let docs = docs(&format!(
        "{}\n\nA server implements the trait of each tag, all with the same context, and this one.",
        about(api)
    ));
    let name = ident(&api.trait_name);
    let modules = tags.iter().map(|tag| ident(&tag.module));
    let exports = modules.clone();
    let parts = tags.iter().map(|tag| {
        let part = ident(&tag.trait_name);
        quote!(#part<Context = <Self as #name>::Context>)
    });
    quote! {
        //! The trait that a server of this interface implements.

        #(mod #modules;)*
        #(pub use #exports::*;)*

        #docs
        pub trait #name: #(#parts)+* {
            /// The state that every handler can reach.
            type Context: dropshot::ServerContext;
        }
    }
}

fn write_attribute(declared: &DeclaredTags<'_>, name: &str, of: &[&Operation]) -> TokenStream {
    let module = names::support_module(name).map(|module| quote!(module = #module,));
    if declared.all.is_empty() {
        let module = module.map(|module| quote!({ #module }));
        return quote!(#[dropshot::api_description #module]);
    }
    let used = of.iter().flat_map(|operation| &operation.tags);
    let used: IndexSet<&String> = used.collect();
    let others = used.iter().any(|tag| !declared.by_name.contains_key(*tag));
    let tags: Vec<&Tag> = if declared.all.len() > MOST_DECLARED {
        used.iter()
            .filter_map(|tag| declared.by_name.get(*tag).copied())
            .collect()
    } else {
        declared.all.iter().collect()
    };
    let tags = tags.into_iter().map(|tag| {
        let (name, description) = (&tag.name, tag.description.as_deref());
        let description = description.map(str::trim);
        let description = description.map(|text| quote!(description = #text));
        quote!(#name = { #description })
    });
    quote! {
        #[dropshot::api_description {
            #module
            tag_config = {
                allow_other_tags = #others,
                tags = { #(#tags,)* },
            },
        }]
    }
}

fn write_method(operation: &Operation) -> TokenStream {
    let docs = match (&operation.summary, &operation.description) {
        (text, empty) | (empty, text) if empty.is_empty() => docs_verbatim(text),
        (summary, description) => docs_verbatim(&format!("{summary}\n\n{description}")),
    };
    let endpoint = write_endpoint(operation);
    let name = ident(&operation.method_name);
    let (arguments, result) = write_signature(operation);
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

/// Writes the arguments of the method of an operation, and what it returns.
pub fn write_signature(operation: &Operation) -> (TokenStream, TokenStream) {
    let parameters = operation.parameters.iter().map(|(kind, name)| {
        let extractor = match kind {
            ParameterKind::Path => quote!(dropshot::Path),
            ParameterKind::Query => quote!(dropshot::Query),
            ParameterKind::RequestHeader | ParameterKind::ResponseHeader => {
                quote!(dropshot::Header)
            }
            ParameterKind::Cookie => quote!(dropspec_runtime::Cookies),
        };
        let (argument, name) = (ident(kind.argument()), ident(name));
        quote!(#argument: #extractor<crate::parameters::#name>)
    });
    let body = operation.body.iter().map(|body| {
        let body = bodies::spell(body);
        quote!(body: #body)
    });
    let connection = operation
        .channel
        .then(|| quote!(connection: dropshot::WebsocketConnection));
    let arguments = parameters.chain(body).chain(connection);
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
    (arguments, result)
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
    let SuccessResponse {
        wrapper,
        form,
        headers,
    } = match &operation.success {
        Success::Dropshot(success) => success,
        Success::Responses(of) => return responses::spell(&of.name),
        Success::Freeform => return quote!(http::Response<dropshot::Body>),
    };
    let wrapper = ident(wrapper);
    let response = match &form.content {
        ResponseContent::Empty => quote!(dropshot::#wrapper),
        ResponseContent::Json(ty) => {
            let body = spell(ty);
            quote!(dropshot::#wrapper<#body>)
        }
        ResponseContent::Text | ResponseContent::Bytes | ResponseContent::Items(_) => {
            quote!(dropshot::#wrapper<dropshot::FreeformBody>)
        }
    };
    match headers {
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
            quote!(dropspec_runtime::OperationError<#body>)
        }
        ErrorType::Responses(of) => responses::spell(&of.name),
    }
}
