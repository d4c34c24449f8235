//! `parameters.rs`: the structs that hold the parameters of operations and the headers of responses.

use proc_macro2::TokenStream;
use quote::quote;

use crate::derives::Derivable;
use crate::model::{Api, Field, ParameterKind, ParameterStruct, Presence};
use crate::source::{docs, ident};
use crate::spelling::{Defaults, Written, field_rule, rename_all, serde, write_fields};

pub(crate) fn render(api: &Api) -> TokenStream {
    let derivable = Derivable::of(&api.types);
    let mut defaults = Defaults::default();
    let structs: Vec<TokenStream> = api
        .parameters
        .iter()
        .map(|parameters| write_struct(&mut defaults, &derivable, parameters))
        .collect();
    let defaults = defaults.into_module();
    let schemas = write_schemas(&api.parameters);
    quote! {
        //! The parameters of operations and the response headers that their implementations set, with their JSON
        //! schemas from the document.

        #(#structs)*
        #defaults
        #schemas
    }
}

fn write_struct(
    defaults: &mut Defaults,
    derivable: &Derivable,
    parameters: &ParameterStruct,
) -> TokenStream {
    let fields = &parameters.fields;
    let is_response = parameters.kind == ParameterKind::ResponseHeader;
    let direction = if is_response {
        quote!(serde::Serialize)
    } else {
        quote!(serde::Deserialize)
    };
    let optional = |field: &Field| field.presence == Presence::Optional;
    let default = fields.iter().all(optional).then(|| quote!(Default,));
    let eq = fields.iter().all(|field| derivable.type_eq(&field.ty));
    let eq = eq.then(|| quote!(Eq,));
    // Headers are renamed one by one: their names follow no rule of Rust's.
    let rule = match parameters.kind {
        ParameterKind::Path | ParameterKind::Query => field_rule(fields),
        ParameterKind::RequestHeader | ParameterKind::ResponseHeader => None,
    };
    let attributes: Vec<_> = rename_all(rule).into_iter().collect();
    let serde = serde(&attributes);
    let written = if is_response {
        Written::Text
    } else {
        Written::Json
    };
    let mut fields = fields.clone();
    if !is_response {
        // Only serialized fields need `skip_serializing_if`.
        for field in fields.iter_mut().filter(|field| optional(field)) {
            field.presence = Presence::Required;
        }
    }
    let fields = write_fields(
        defaults,
        &parameters.name,
        &fields,
        rule,
        written,
        quote!(pub),
    );
    let (docs, name) = (docs(&parameters.docs), ident(&parameters.name));
    quote! {
        #docs
        #[derive(Clone, Debug, #default PartialEq, #eq #direction)]
        #serde
        pub struct #name { #fields }
    }
}

fn write_schemas(structs: &[ParameterStruct]) -> TokenStream {
    let mut requests = Vec::new();
    let mut responses = Vec::new();
    for parameters in structs {
        let (name, pointer) = (ident(&parameters.name), &parameters.pointer);
        let location = match parameters.kind {
            ParameterKind::ResponseHeader => {
                let headers = parameters.fields.iter().map(|field| &field.wire);
                responses.push(quote!(#name => #pointer #(, #headers)*;));
                continue;
            }
            ParameterKind::Path => quote!(path),
            ParameterKind::Query => quote!(query),
            ParameterKind::RequestHeader => quote!(header),
        };
        requests.push(quote!(#name => #pointer, #location;));
    }
    let table = |name: TokenStream, rows: &[TokenStream]| {
        (!rows.is_empty()).then(|| quote!(spec_runtime::#name! { DOCUMENT; #(#rows)* }))
    };
    let import = (!structs.is_empty()).then(|| {
        quote!(
            use crate::document::DOCUMENT;
        )
    });
    let requests = table(quote!(parameter_schemas), &requests);
    let responses = table(quote!(response_header_schemas), &responses);
    quote!(#import #requests #responses)
}
