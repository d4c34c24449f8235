//! Writes how an implementation records its arguments.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Fields, Type};

use super::field_ident;
use crate::corpus::call::source::{Source, arguments, path_text, strings, variant_arms, wire_name};

/// Writes the statements that record an argument.
pub fn record(source: &Source, name: &Ident, ty: &Type) -> TokenStream {
    let location = match path_text(ty).as_str() {
        "dropshot::Path" => "path",
        "dropshot::Query" => "query",
        "dropshot::Header" => "header",
        "spec_runtime::Cookies" => "cookie",
        _ => return record_body(source, &quote!(#name), ty),
    };
    let parameters = arguments(ty);
    let found = parameters.first().and_then(|ty| source.find_struct(ty));
    let fields = found.into_iter().flat_map(|of| &of.fields).map(|field| {
        let (wire, field) = (wire_name(field), field_ident(field));
        quote!(arrived.parameter(#location, #wire, &#name.#field);)
    });
    quote! {
        let #name = #name.into_inner();
        #(#fields)*
    }
}

fn record_body(source: &Source, value: &TokenStream, ty: &Type) -> TokenStream {
    let inner = arguments(ty).into_iter().next();
    match (path_text(ty).as_str(), &inner) {
        ("dropshot::TypedBody" | "spec_runtime::Body", Some(inner)) => {
            record_body(source, &quote!(#value.into_inner()), inner)
        }
        ("Option", Some(inner)) => {
            let recorded = record_body(source, &quote!(body), inner);
            quote!(if let Some(body) = #value { #recorded })
        }
        ("spec_runtime::Text", _) => {
            quote!(arrived.body = test_echo::Body::Text(#value.into_inner());)
        }
        ("spec_runtime::RawBody", _) => quote!(arrived.raw(#value).await;),
        ("dropshot::MultipartBody", _) => quote! {
            if let Err(rejection) = arrived.multipart(#value).await {
                return echo.refuse(arrived, rejection);
            }
        },
        ("spec_runtime::Multipart", Some(part)) => record_parts(source, value, part),
        _ => match source.find_enum(ty, "bodies") {
            Some(choice) => {
                let arms = choice.variants.iter().map(|variant| {
                    let (name, content) = (&variant.ident, first_type(&variant.fields));
                    let recorded = content.map(|ty| record_body(source, &quote!(body), ty));
                    quote!(#ty::#name(body) => { #recorded })
                });
                quote!(match #value { #(#arms)* })
            }
            None => quote!(arrived.json(&#value);),
        },
    }
}

fn record_parts(source: &Source, value: &TokenStream, part: &Type) -> TokenStream {
    let wires = source
        .find_method(part, "from_part")
        .map(variant_arms)
        .unwrap_or_default();
    let variants = source
        .find_enum(part, "bodies")
        .into_iter()
        .flat_map(|of| &of.variants);
    let arms = variants.map(|variant| {
        let name = &variant.ident;
        let of_variant = |(found, _): &&(String, TokenStream)| name == found;
        let wire = wires
            .iter()
            .find(of_variant)
            .and_then(|(_, arm)| strings(arm).into_iter().next());
        let is_file =
            first_type(&variant.fields).is_some_and(|ty| path_text(ty) == "spec_runtime::File");
        if is_file {
            quote!(#part::#name(file) => arrived.file(#wire, file).await,)
        } else {
            quote!(#part::#name(value) => arrived.part(#wire, &value),)
        }
    });
    quote! {
        let mut parts = #value;
        arrived.body = test_echo::Body::Parts(Vec::new());
        loop {
            match parts.next().await {
                Ok(Some(part)) => match part { #(#arms)* },
                Ok(None) => break,
                Err(rejection) => return echo.refuse(arrived, rejection),
            }
        }
    }
}

fn first_type(fields: &Fields) -> Option<&Type> {
    fields.iter().next().map(|field| &field.ty)
}
