//! `parameters.rs`: the structs that hold the parameters of operations and the headers of responses.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Api, Field, ParameterKind, ParameterStruct, Presence};
use crate::source::{docs, ident};
use crate::spelling::{Defaults, Written, write_fields};
use crate::split::Items;

pub(crate) fn items(api: &Api) -> Items<'_, ParameterStruct> {
    Items {
        docs: "The parameters of operations, and the response headers that their implementations set.",
        items: &api.parameters,
        write: write_all,
        tables: write_schemas(&api.parameters),
    }
}

fn write_all(structs: &[ParameterStruct]) -> TokenStream {
    let mut defaults = Defaults::default();
    let structs: Vec<TokenStream> = structs
        .iter()
        .map(|parameters| write_struct(&mut defaults, parameters))
        .collect();
    let defaults = defaults.into_module();
    quote!(#(#structs)* #defaults)
}

fn write_struct(defaults: &mut Defaults, parameters: &ParameterStruct) -> TokenStream {
    let fields = parameters.fields.iter().map(|parameter| &parameter.field);
    let is_response = parameters.kind == ParameterKind::ResponseHeader;
    let (direction, written) = if is_response {
        (quote!(serde::Serialize), Written::Text)
    } else {
        (quote!(serde::Deserialize), Written::Json)
    };
    let optional = |field: &Field| field.presence == Presence::Optional;
    let default = fields.clone().all(optional).then(|| quote!(Default,));
    let mut fields: Vec<Field> = fields.cloned().collect();
    if !is_response {
        // Only serialized fields need `skip_serializing_if`.
        for field in fields.iter_mut().filter(|field| optional(field)) {
            field.presence = Presence::Required;
        }
    }
    let fields = write_fields(defaults, &parameters.name, &fields, written, quote!(pub));
    let (docs, name) = (docs(&parameters.docs), ident(&parameters.name));
    quote! {
        #docs
        #[derive(Clone, Debug, #default PartialEq, #direction)]
        pub struct #name { #fields }
    }
}

fn write_schemas(structs: &[ParameterStruct]) -> TokenStream {
    let mut requests = Vec::new();
    let mut responses = Vec::new();
    for parameters in structs {
        let (name, pointer) = (ident(&parameters.name), &parameters.pointer);
        let names = parameters
            .fields
            .iter()
            .map(|parameter| &parameter.field.wire);
        let location = match parameters.kind {
            ParameterKind::ResponseHeader => {
                responses.push(quote!(#name => #pointer #(, #names)*;));
                continue;
            }
            ParameterKind::Path => quote!(path),
            ParameterKind::Query => quote!(query),
            ParameterKind::RequestHeader => quote!(header),
            // dropshot knows no cookies.
            ParameterKind::Cookie => continue,
        };
        requests.push(quote!(#name => #pointer, #location #(, #names)*;));
    }
    let table = |name: TokenStream, rows: &[TokenStream]| {
        (!rows.is_empty()).then(|| quote!(spec_runtime::#name! { DOCUMENT; #(#rows)* }))
    };
    let import = (!requests.is_empty() || !responses.is_empty()).then(|| {
        quote!(
            use crate::document::DOCUMENT;
        )
    });
    let requests = table(quote!(parameter_schemas), &requests);
    let responses = table(quote!(response_header_schemas), &responses);
    quote!(#import #requests #responses)
}
