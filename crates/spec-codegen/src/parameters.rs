//! `parameters.rs`: the structs that hold the parameters of operations and the headers of responses.

use proc_macro2::TokenStream;
use quote::quote;

use crate::Part;
use crate::constructors::{self, Constructor};
use crate::model::{Api, Encoding, Field, ParameterKind, ParameterStruct, Presence};
use crate::sections::Sections;
use crate::source::{docs, ident};
use crate::spelling::{Defaults, write_fields};
use crate::split::{Items, Layout};
use crate::uses::Item;

pub(crate) fn items<'a>(api: &'a Api, sections: &'a Sections) -> Items<'a, &'a ParameterStruct> {
    Items {
        part: Part::Api,
        module: "parameters",
        docs: "The parameters of operations, and the response headers that their implementations set.",
        what: "Parameters and response headers",
        items: api.parameters.iter().collect(),
        name: |of| &of.name,
        section: Box::new(|of| sections.of_item(&Item::Parameters(of.name.clone()))),
        write: Box::new(|structs, _| write_all(structs)),
        layout: Layout::default(),
    }
}

fn write_all(structs: &[&ParameterStruct]) -> TokenStream {
    let mut defaults = Defaults::default();
    let schemas = write_schemas(structs);
    let structs: Vec<TokenStream> = structs
        .iter()
        .map(|parameters| write_struct(&mut defaults, parameters))
        .collect();
    let defaults = defaults.into_module();
    quote!(#(#structs)* #defaults #schemas)
}

fn write_struct(defaults: &mut Defaults, parameters: &ParameterStruct) -> TokenStream {
    let fields = parameters.fields.iter().map(|parameter| &parameter.field);
    let is_response = parameters.kind == ParameterKind::ResponseHeader;
    let direction = if is_response {
        quote!(serde::Serialize)
    } else {
        quote!(serde::Deserialize)
    };
    let optional = |field: &Field| field.presence == Presence::Optional;
    let default = fields.clone().all(optional).then(|| quote!(Default,));
    let mut all: Vec<Field> = fields.cloned().collect();
    if !is_response {
        // Only serialized fields need `skip_serializing_if`.
        for field in all.iter_mut().filter(|field| optional(field)) {
            field.presence = Presence::Required;
        }
    }
    let encoding = |field: &Field| {
        let mut declared = parameters.fields.iter();
        declared.find_map(|it| (it.field.wire == field.wire).then_some(it.encoding))
    };
    let serialize_with = |field: &Field| {
        if is_response {
            write_header(field, encoding(field)?)
        } else {
            None
        }
    };
    let fields = write_fields(
        defaults,
        &parameters.name,
        &all,
        &serialize_with,
        quote!(pub),
    );
    // Implementations make response headers; requests are read.
    let Constructor { derive, impls } = if is_response {
        constructors::render(&parameters.name, &all, &fields.absent, None)
    } else {
        Constructor {
            derive: quote!(#default),
            ..Constructor::default()
        }
    };
    let fields = fields.definitions;
    let (docs, name) = (docs(&parameters.docs), ident(&parameters.name));
    quote! {
        #docs
        #[derive(Clone, Debug, #derive PartialEq, #direction)]
        pub struct #name { #fields }

        #impls
    }
}

/// The function that writes a field as the text of a header: servers accept only text. `None` if it is text already, or
/// a list of cookies, of which each becomes a header.
fn write_header(field: &Field, encoding: Encoding) -> Option<&'static str> {
    match encoding {
        Encoding::Json => Some("spec_runtime::as_json_text"),
        _ if field.ty.is_text() => None,
        _ if field.wire.eq_ignore_ascii_case("set-cookie") && field.ty.is_list() => None,
        Encoding::Style { explode: true, .. } => Some("spec_runtime::as_exploded_text"),
        Encoding::Style { .. } => Some("spec_runtime::as_text"),
    }
}

fn write_schemas(structs: &[&ParameterStruct]) -> TokenStream {
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
