//! `types.rs`: one Rust type per schema that has a name.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;

use crate::constructors::{self, Constructor};
use crate::error_impls;
use crate::markdown::code;
use crate::model::{
    NamedType, Origin, Shape, Struct, Tagging, Type, Union, UnionVariant, Variant, VariantBody,
};
use crate::source::{docs, ident};
use crate::spelling::{Defaults, rename, serde, spell, write_fields};
use crate::{text_enum, union_choice};

/// Writes `types.rs` of the interface.
pub(crate) fn render(types: &[NamedType]) -> TokenStream {
    let definitions = write_all(types, None);
    let components = write_schemas(quote!(document_schemas), types, Origin::Component);
    let bodies = write_schemas(quote!(inline_schemas), types, Origin::Body);
    quote! {
        //! The types of the interface, one for each schema of the document.

        #definitions
        #components
        #bodies
    }
}

/// Writes the types, without the schemas by which they describe themselves.
///
/// A client accepts more than a server: properties that the document does not name are ignored, so that a service can add
/// some. `client` has the names of the types for which it does not.
pub(crate) fn write_all(types: &[NamedType], client: Option<&HashSet<&str>>) -> TokenStream {
    let mut writer = Writer {
        defaults: Defaults::default(),
        client,
    };
    let types: Vec<TokenStream> = types.iter().map(|named| writer.write_type(named)).collect();
    let defaults = writer.defaults.into_module();
    quote!(#(#types)* #defaults)
}

struct Writer<'a> {
    defaults: Defaults,
    client: Option<&'a HashSet<&'a str>>,
}

impl Writer<'_> {
    fn write_type(&mut self, named: &NamedType) -> TokenStream {
        let (name, docs) = (ident(&named.name), docs(&named.docs));
        let without = Constructor::default;
        let (definition, Constructor { derive, impls }) = match &named.shape {
            Shape::Struct(shape) => self.write_struct(&named.name, shape),
            Shape::Enum(variants) => (write_enum(&named.name, variants), without()),
            Shape::Newtype(inner) => {
                let inner = spell(inner);
                (quote!(pub struct #name(pub #inner);), without())
            }
            Shape::Union(union) => (self.write_union(&named.name, union), without()),
        };
        let derives = match &named.shape {
            Shape::Enum(_) => quote!(Clone, Copy, Debug, PartialEq, Eq, Hash),
            _ => quote!(Clone, Debug, #derive PartialEq),
        };
        let read = match &named.shape {
            Shape::Union(union) if !union.tagging.is_tagged() => None,
            _ => Some(quote!(serde::Deserialize)),
        };
        let error = named.error.as_ref().filter(|_| self.client.is_none());
        let error = error.map(|error| error_impls::render(named, error));
        quote! {
            #docs
            #[derive(#derives, serde::Serialize, #read)]
            #definition
            #impls
            #error
        }
    }

    fn write_struct(&mut self, name: &str, shape: &Struct) -> (TokenStream, Constructor) {
        let is_closed = shape.closed && self.client.is_none_or(|closed| closed.contains(name));
        let serde = is_closed.then(|| quote!(#[serde(deny_unknown_fields)]));
        let fields = write_fields(
            &mut self.defaults,
            name,
            &shape.fields,
            Vec::new(),
            quote!(pub),
        );
        let comma = (!shape.fields.is_empty()).then(|| quote!(,));
        let rest_name = shape.rest_name();
        let constructor =
            constructors::render(name, &shape.fields, &fields.absent, rest_name.as_deref());
        let fields = fields.definitions;
        let rest = shape.rest.as_ref().map(|rest| {
            let field = ident(rest_name.as_deref().unwrap_or_default());
            let map = spell(&Type::Map(Box::new(rest.clone())));
            quote! {
                #comma
                /// Properties that the schema does not name.
                #[serde(flatten)]
                pub #field: #map
            }
        });
        let name = ident(name);
        (
            quote!(#serde pub struct #name { #fields #rest }),
            constructor,
        )
    }

    fn write_union(&mut self, name: &str, union: &Union) -> TokenStream {
        let attributes = match &union.tagging {
            Tagging::Untagged { .. } => vec![quote!(untagged)],
            Tagging::Internal { tag } => vec![quote!(tag = #tag)],
            Tagging::External => Vec::new(),
        };
        let tagged = union.tagging.is_tagged();
        let serde = serde(&attributes);
        let variants = union.variants.iter().map(|variant| {
            let docs = docs(&variant_docs(variant));
            let rename = rename_variant(&variant.name, &variant.wire).filter(|_| tagged);
            let ident = ident(&variant.name);
            let body = match &variant.body {
                VariantBody::Unit => quote!(#ident),
                VariantBody::Newtype(ty) => {
                    let ty = spell(ty);
                    quote!(#ident(#ty))
                }
                VariantBody::Fields(fields) => {
                    let owner = format!("{name}{}", variant.name);
                    let written =
                        write_fields(&mut self.defaults, &owner, fields, Vec::new(), quote!());
                    let fields = written.definitions;
                    quote!(#ident { #fields })
                }
            };
            quote!(#docs #rename #body)
        });
        let variants: Vec<_> = variants.collect();
        let choice = match &union.tagging {
            Tagging::Untagged { property, default } => Some(union_choice::render(
                name,
                (property.as_deref(), *default),
                &union.variants,
                self.client.is_none(),
            )),
            _ => None,
        };
        let name = ident(name);
        quote!(#serde pub enum #name { #(#variants),* } #choice)
    }
}

fn write_enum(name: &str, variants: &[Variant]) -> TokenStream {
    let values: Vec<(&str, &str)> = variants
        .iter()
        .map(|v| (v.name.as_str(), v.wire.as_str()))
        .collect();
    let variants = variants.iter().map(|variant| {
        let docs = docs(&variant.docs());
        let rename = rename_variant(&variant.name, &variant.wire);
        let variant = ident(&variant.name);
        quote!(#docs #rename #variant)
    });
    let impls = text_enum::write_impls(name, &values, "The value in JSON.");
    let name = ident(name);
    quote! {
        pub enum #name { #(#variants),* }

        #impls
    }
}

fn rename_variant(name: &str, wire: &str) -> Option<TokenStream> {
    let rename = rename(name, wire)?;
    Some(quote!(#[serde(#rename)]))
}

fn variant_docs(variant: &UnionVariant) -> String {
    match (variant.docs.is_empty(), &variant.body) {
        (false, _) => variant.docs.clone(),
        (true, VariantBody::Newtype(ty)) if ty.named().is_some() => {
            format!("{}.", code(ty.named().unwrap_or_default()))
        }
        (true, _) => code(&variant.wire),
    }
}

/// Writes the macro call that gives each type the JSON schema at its pointer in the document.
fn write_schemas(table: TokenStream, types: &[NamedType], origin: Origin) -> TokenStream {
    let rows: Vec<TokenStream> = types
        .iter()
        .filter(|named| named.origin == origin)
        .map(|named| {
            let (name, pointer) = (ident(&named.name), &named.pointer);
            quote!(#name => #pointer;)
        })
        .collect();
    if rows.is_empty() {
        return TokenStream::new();
    }
    quote! {
        dropspec_runtime::#table! {
            crate::document::DOCUMENT;
            #(#rows)*
        }
    }
}
