//! `parameters.rs`: the structs that hold the parameters of operations and the headers of responses.

use proc_macro2::TokenStream;
use quote::quote;

use crate::constructors::{self, Constructor};
use crate::model::{
    Api, Encoding, Field, ParameterField, ParameterKind, ParameterStruct, Presence,
};
use crate::source::{docs, ident};
use crate::spelling::{Defaults, write_fields};

pub(crate) fn render(api: &Api) -> TokenStream {
    let mut defaults = Defaults::default();
    let schemas = write_schemas(&api.parameters);
    let structs = api.parameters.iter();
    let structs: Vec<TokenStream> = structs.map(|of| write_struct(&mut defaults, of)).collect();
    let defaults = defaults.into_module();
    quote! {
        //! The parameters of operations, and the response headers that their implementations set.

        #(#structs)*
        #defaults
        #schemas
    }
}

fn write_struct(defaults: &mut Defaults, parameters: &ParameterStruct) -> TokenStream {
    let name = &parameters.name;
    let mut all: Vec<Field> = parameters
        .fields
        .iter()
        .map(|of| of.field.clone())
        .collect();
    // Implementations make response headers; requests are read.
    let (derives, fields, impls) = if parameters.kind == ParameterKind::ResponseHeader {
        let functions = parameters.fields.iter().map(header_function).collect();
        let fields = write_fields(defaults, name, &all, functions, quote!(pub));
        let Constructor { derive, impls } = constructors::render(name, &all, &fields.absent, None);
        (quote!(#derive PartialEq, serde::Serialize), fields, impls)
    } else {
        let is_optional = |field: &Field| field.presence == Presence::Optional;
        let default = all.iter().all(is_optional).then(|| quote!(Default,));
        // Only serialized fields need `skip_serializing_if`.
        for field in all.iter_mut().filter(|field| is_optional(field)) {
            field.presence = Presence::Required;
        }
        let fields = write_fields(defaults, name, &all, Vec::new(), quote!(pub));
        (
            quote!(#default PartialEq, serde::Deserialize),
            fields,
            TokenStream::new(),
        )
    };
    let (fields, docs, name) = (fields.definitions, docs(&parameters.docs), ident(name));
    quote! {
        #docs
        #[derive(Clone, Debug, #derives)]
        pub struct #name { #fields }

        #impls
    }
}

/// The function that writes a field as the text of a header: servers accept only text. `None` if it is text already, or
/// a list of cookies, of which each becomes a header.
fn header_function(header: &ParameterField) -> Option<&'static str> {
    let field = &header.field;
    match header.encoding {
        Encoding::Json | Encoding::WholeQuery => Some("dropspec_runtime::as_json_text"),
        _ if field.ty.is_text() => None,
        _ if field.wire.eq_ignore_ascii_case("set-cookie") && field.ty.is_list() => None,
        Encoding::Style { explode: true, .. } => Some("dropspec_runtime::as_exploded_text"),
        Encoding::Style { .. } => Some("dropspec_runtime::as_text"),
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
        (!rows.is_empty())
            .then(|| quote!(dropspec_runtime::#name! { crate::document::DOCUMENT; #(#rows)* }))
    };
    let requests = table(quote!(parameter_schemas), &requests);
    let responses = table(quote!(response_header_schemas), &responses);
    quote!(#requests #responses)
}
