//! Types, fields and their serde attributes as Rust code.

use std::collections::HashSet;

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Field, Literal, Presence, Type, TypedLiteral};
use crate::names::make_unique;
use crate::source::{docs, ident};

/// Chooses the function that a field is serialized with; `None` is serde's own way.
pub(crate) type SerializeWith<'a> = &'a dyn Fn(&Field) -> Option<&'static str>;

/// The functions for `#[serde(default = …)]` of a generated file, gathered while its fields are written.
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    names: HashSet<String>,
    functions: Vec<TokenStream>,
}

/// Writes a type as Rust tokens, by its full path.
pub(crate) fn spell(ty: &Type) -> TokenStream {
    match ty {
        Type::Bool => quote!(bool),
        Type::Integer(name) | Type::Float(name) => {
            let name = ident(name);
            quote!(#name)
        }
        Type::String => quote!(String),
        Type::Parsed(path) => path.parse().expect("the path of a type"),
        Type::Any => quote!(serde_json::Value),
        Type::Named(name) => spell_named(name),
        Type::Vec(inner) => generic(quote!(Vec), inner),
        Type::Option(inner) => generic(quote!(Option), inner),
        Type::Box(inner) => generic(quote!(Box), inner),
        Type::Map(inner) => {
            let inner = spell(inner);
            quote!(std::collections::BTreeMap<String, #inner>)
        }
    }
}

/// Writes the name of a generated type as a full path: `crate::types::Pet`.
pub(crate) fn spell_named(name: &str) -> TokenStream {
    let name = ident(name);
    quote!(crate::types::#name)
}

fn generic(outer: TokenStream, inner: &Type) -> TokenStream {
    let inner = spell(inner);
    quote!(#outer<#inner>)
}

/// The fields of a struct as Rust tokens.
pub(crate) struct WrittenFields {
    /// Their definitions.
    pub(crate) definitions: TokenStream,
    /// What each field is if nobody gives it a value; `None` if it is required.
    pub(crate) absent: Vec<Option<Absent>>,
}

/// The value of a field that is absent.
pub(crate) enum Absent {
    /// That of the type's own `Default`.
    Default(TokenStream),
    /// The default of the document.
    Declared(TokenStream),
}

/// Writes the fields of the struct `owner`, with their documentation and serde attributes.
pub(crate) fn write_fields(
    defaults: &mut Defaults,
    owner: &str,
    fields: &[Field],
    serialize_with: SerializeWith<'_>,
    visibility: TokenStream,
) -> WrittenFields {
    let mut absent = Vec::new();
    let fields = fields.iter().map(|field| {
        let mut attributes = Vec::new();
        attributes.extend(rename(&field.name, &field.wire));
        absent.push(match &field.presence {
            Presence::Required => None,
            Presence::Optional => {
                attributes.push(quote!(skip_serializing_if = "Option::is_none"));
                Some(Absent::Default(quote!(None)))
            }
            Presence::Default(value @ (Literal::Empty | Literal::Bool(false))) => {
                attributes.push(quote!(default));
                let value = write_literal(&field.ty, value);
                Some(Absent::Default(value))
            }
            Presence::Default(value) => {
                let name = defaults.add(owner, field, value);
                let function = format!("defaults::{name}");
                attributes.push(quote!(default = #function));
                let name = ident(&name);
                Some(Absent::Declared(quote!(defaults::#name())))
            }
        });
        if let Some(function) = serialize_with(field) {
            attributes.push(quote!(serialize_with = #function));
        }
        let (docs, serde) = (docs(&field.docs), serde(&attributes));
        let (name, ty) = (ident(&field.name), spell(&field.ty));
        quote!(#docs #serde #visibility #name: #ty)
    });
    let fields: Vec<TokenStream> = fields.collect();
    WrittenFields {
        definitions: quote!(#(#fields),*),
        absent,
    }
}

impl Defaults {
    /// Adds the function that gives the default of a field, and returns its name.
    fn add(&mut self, owner: &str, field: &Field, value: &Literal) -> String {
        let field_name = field.name.trim_start_matches("r#");
        let wanted = format!("{}_{field_name}", owner.to_snake_case());
        let name = make_unique(wanted, &mut self.names);
        let (ty, value) = (spell(&field.ty), write_literal(&field.ty, value));
        let function = ident(&name);
        self.functions
            .push(quote!(pub(super) fn #function() -> #ty { #value }));
        name
    }

    /// Writes the module `defaults` with the gathered functions; nothing if there are none.
    pub(crate) fn into_module(self) -> TokenStream {
        let functions = self.functions;
        if functions.is_empty() {
            return TokenStream::new();
        }
        quote! {
            /// Default values of properties and parameters that are absent.
            mod defaults {
                #(#functions)*
            }
        }
    }
}

/// Writes a value for a type, by full paths.
fn write_literal(ty: &Type, value: &Literal) -> TokenStream {
    match (ty, value) {
        (_, Literal::Empty) => return quote!(Default::default()),
        (Type::Option(_), Literal::Null) => return quote!(None),
        (Type::Option(inner), value) => {
            let value = write_literal(inner, value);
            return quote!(Some(#value));
        }
        (Type::Box(inner), value) => {
            let value = write_literal(inner, value);
            return quote!(Box::new(#value));
        }
        _ => {}
    }
    let typed = |literal: &TypedLiteral| write_literal(&literal.ty, &literal.value);
    match value {
        Literal::Pending(_) | Literal::Empty | Literal::Null => quote!(Default::default()),
        Literal::Bool(value) => quote!(#value),
        Literal::Number(digits) => digits.parse().expect("a number of the document"),
        Literal::String(text) => quote!(#text.to_owned()),
        Literal::Parsed(text) => quote!(#text.parse().expect("the generator checked this text")),
        Literal::Variant { ty, variant } => {
            let (ty, variant) = (spell_named(ty), ident(variant));
            quote!(#ty::#variant)
        }
        Literal::List(items) => {
            let items = items.iter().map(typed);
            quote!(vec![#(#items),*])
        }
        Literal::Map(members) => {
            let keys = members.iter().map(|(key, _)| key);
            let values = members.iter().map(|(_, value)| typed(value));
            quote!(std::collections::BTreeMap::from([#((#keys.to_owned(), #values)),*]))
        }
        Literal::Json(value) => write_json(value),
        Literal::Struct {
            ty,
            variant,
            fields,
        } => {
            let ty = spell_named(ty);
            let variant = variant.as_ref().map(|variant| ident(variant));
            let variant = variant.map(|variant| quote!(::#variant));
            let names = fields.iter().map(|(name, _)| ident(name));
            let values = fields.iter().map(|(_, value)| typed(value));
            quote!(#ty #variant { #(#names: #values),* })
        }
        Literal::Newtype {
            ty,
            variant,
            content,
        } => {
            let (ty, content) = (spell_named(ty), typed(content));
            match variant.as_ref().map(|variant| ident(variant)) {
                Some(variant) => quote!(#ty::#variant(#content)),
                None => quote!(#ty(#content)),
            }
        }
    }
}

/// Writes a JSON value as `serde_json::json!(…)`.
fn write_json(value: &serde_json::Value) -> TokenStream {
    let tokens: TokenStream = value.to_string().parse().expect("JSON is made of tokens");
    quote!(serde_json::json!(#tokens))
}

/// Writes `#[serde(…)]` around the attributes; nothing if there are none.
pub(crate) fn serde(attributes: &[TokenStream]) -> TokenStream {
    match attributes {
        [] => TokenStream::new(),
        _ => quote!(#[serde(#(#attributes),*)]),
    }
}

/// Writes serde's `rename = "…"` for a Rust name that differs from the name in JSON.
pub(crate) fn rename(rust: &str, wire: &str) -> Option<TokenStream> {
    (rust.trim_start_matches("r#") != wire).then(|| quote!(rename = #wire))
}
