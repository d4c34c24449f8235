//! `types.rs`: one Rust type per schema that has a name.

use proc_macro2::TokenStream;
use quote::quote;

use crate::derives::Derivable;
use crate::error_impls;
use crate::markdown::code;
use crate::model::{
    Api, NamedType, Origin, Shape, Struct, Tagging, Type, Union, UnionVariant, Variant, VariantBody,
};
use crate::rename_rule::RenameRule;
use crate::source::{docs, ident};
use crate::spelling::{Defaults, Written, field_rule, rename_all, serde, spell, write_fields};
use crate::text_enum;

pub(crate) fn render(api: &Api) -> TokenStream {
    let mut defaults = Defaults::default();
    let derivable = Derivable::of(&api.types);
    let types: Vec<TokenStream> = api
        .types
        .iter()
        .map(|named| write_type(&mut defaults, &derivable, named))
        .collect();
    let defaults = defaults.into_module();
    let components = write_schemas(quote!(document_schemas), &api.types, Origin::Component);
    let bodies = write_schemas(quote!(inline_schemas), &api.types, Origin::Body);
    quote! {
        //! The types of the interface, one for each schema of the document, which also gives their JSON schemas.

        #(#types)*
        #defaults
        #components
        #bodies
    }
}

fn write_type(defaults: &mut Defaults, derivable: &Derivable, named: &NamedType) -> TokenStream {
    let (name, docs) = (ident(&named.name), docs(&named.docs));
    let default = derivable.default(&named.name).then(|| quote!(Default,));
    let eq = derivable.eq(&named.name).then(|| quote!(Eq,));
    let (copy, hash) = match named.shape {
        Shape::Enum(_) => (Some(quote!(Copy,)), Some(quote!(Hash,))),
        _ => (None, None),
    };
    let derives = quote! {
        #docs
        #[derive(Clone, #copy Debug, #default PartialEq, #eq #hash serde::Serialize, serde::Deserialize)]
    };
    let ty = match &named.shape {
        Shape::Struct(shape) => write_struct(defaults, &named.name, shape),
        Shape::Enum(variants) => write_enum(&named.name, variants),
        Shape::Newtype(inner) => {
            let inner = spell(inner);
            quote!(pub struct #name(pub #inner);)
        }
        Shape::Union(union) => write_union(defaults, &named.name, union),
    };
    let error = named.error.as_ref();
    let error = error.map(|error| error_impls::render(named, error));
    quote!(#derives #ty #error)
}

fn write_struct(defaults: &mut Defaults, name: &str, shape: &Struct) -> TokenStream {
    let rule = field_rule(&shape.fields);
    let mut attributes: Vec<TokenStream> = rename_all(rule).into_iter().collect();
    if shape.closed {
        attributes.push(quote!(deny_unknown_fields));
    }
    let serde = serde(&attributes);
    let fields = write_fields(
        defaults,
        name,
        &shape.fields,
        rule,
        Written::Json,
        quote!(pub),
    );
    let comma = (!shape.fields.is_empty()).then(|| quote!(,));
    let rest = shape.rest.as_ref().map(|rest| {
        let taken = |candidate: &str| shape.fields.iter().any(|f| f.name == candidate);
        let field = ident(if taken("rest") {
            "additional_properties"
        } else {
            "rest"
        });
        let map = spell(&Type::Map(Box::new(rest.clone())));
        quote! {
            #comma
            /// Properties that the schema does not name.
            #[serde(flatten)]
            pub #field: #map
        }
    });
    let name = ident(name);
    quote!(#serde pub struct #name { #fields #rest })
}

fn write_enum(name: &str, variants: &[Variant]) -> TokenStream {
    let values: Vec<(&str, &str)> = variants
        .iter()
        .map(|v| (v.name.as_str(), v.wire.as_str()))
        .collect();
    let rule = RenameRule::of_variants(values.iter().copied());
    let attributes: Vec<_> = rename_all(changing(rule)).into_iter().collect();
    let rename = serde(&attributes);
    let variants = variants.iter().map(|variant| {
        let docs = docs(&variant.docs());
        let rename = rename_variant(rule, &variant.name, &variant.wire);
        let variant = ident(&variant.name);
        quote!(#docs #rename #variant)
    });
    let impls = text_enum::write_impls(name, &values, "The value in JSON.");
    let name = ident(name);
    quote! {
        #rename
        pub enum #name { #(#variants),* }

        #impls
    }
}

fn write_union(defaults: &mut Defaults, name: &str, union: &Union) -> TokenStream {
    let names = union.variants.iter();
    let names = names.map(|v| (v.name.as_str(), v.wire.as_str()));
    let tagged = union.tagging != Tagging::Untagged;
    let rule = RenameRule::of_variants(names).filter(|_| tagged);
    let mut attributes = match &union.tagging {
        Tagging::Untagged => vec![quote!(untagged)],
        Tagging::Internal { tag } => vec![quote!(tag = #tag)],
        Tagging::Adjacent { tag, content } => vec![quote!(tag = #tag), quote!(content = #content)],
        Tagging::External => Vec::new(),
    };
    attributes.extend(rename_all(changing(rule)));
    let serde = serde(&attributes);
    let variants = union.variants.iter().map(|variant| {
        let docs = docs(&variant_docs(variant));
        let rename = rename_variant(rule, &variant.name, &variant.wire).filter(|_| tagged);
        let body = write_variant(defaults, name, variant);
        quote!(#docs #rename #body)
    });
    let variants: Vec<_> = variants.collect();
    let name = ident(name);
    quote!(#serde pub enum #name { #(#variants),* })
}

/// The rule, unless it leaves the names of variants as they are.
fn changing(rule: Option<RenameRule>) -> Option<RenameRule> {
    rule.filter(|rule| *rule != RenameRule::Pascal)
}

/// `#[serde(rename = …)]` of a variant that no rule spells.
fn rename_variant(rule: Option<RenameRule>, name: &str, wire: &str) -> Option<TokenStream> {
    (rule.is_none() && name != wire).then(|| quote!(#[serde(rename = #wire)]))
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

fn write_variant(defaults: &mut Defaults, owner: &str, variant: &UnionVariant) -> TokenStream {
    let name = ident(&variant.name);
    match &variant.body {
        VariantBody::Unit => quote!(#name),
        VariantBody::Newtype(ty) => {
            let ty = spell(ty);
            quote!(#name(#ty))
        }
        VariantBody::Fields(fields) => {
            let rule = field_rule(fields);
            let attributes: Vec<_> = rename_all(rule).into_iter().collect();
            let serde = serde(&attributes);
            let owner = format!("{owner}{}", variant.name);
            let fields = write_fields(defaults, &owner, fields, rule, Written::Json, quote!());
            quote!(#serde #name { #fields })
        }
    }
}

/// The JSON schemas of types, by their places in the document.
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
        use crate::document::DOCUMENT;
        spec_runtime::#table! {
            DOCUMENT;
            #(#rows)*
        }
    }
}
