//! Types, fields and their serde attributes as Rust code.

use std::collections::HashSet;

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value as Json;

use crate::model::{Field, Presence, Type};
use crate::names::{make_unique, to_identifier};
use crate::source::{docs, ident};

/// The functions for `#[serde(default = …)]` of a generated file, gathered while its fields are written.
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    names: HashSet<String>,
    functions: Vec<TokenStream>,
}

/// Writes a type as Rust tokens, by its full path.
pub fn spell(ty: &Type) -> TokenStream {
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

/// Writes the fields of the struct `owner`, with their documentation and serde attributes. `functions` are those that they are
/// serialized with, if that is not serde's own way.
pub(crate) fn write_fields(
    defaults: &mut Defaults,
    owner: &str,
    fields: &[Field],
    functions: Vec<Option<&'static str>>,
    visibility: TokenStream,
) -> WrittenFields {
    let mut absent = Vec::new();
    let functions = functions.into_iter().chain(std::iter::repeat(None));
    let fields = fields.iter().zip(functions).map(|(field, function)| {
        let mut attributes = Vec::new();
        attributes.extend(rename(&field.name, &field.wire));
        absent.push(match &field.presence {
            Presence::Required => None,
            Presence::Optional => {
                attributes.push(quote!(skip_serializing_if = "Option::is_none"));
                Some(Absent::Default(quote!(None)))
            }
            Presence::Default(default) if is_own_default(&field.ty, &default.value) => {
                attributes.push(quote!(default));
                Some(Absent::Default(write_value(&field.ty, &default.value)))
            }
            Presence::Default(default) => {
                let name = defaults.add(owner, field, &default.value);
                let function = format!("defaults::{name}");
                attributes.push(quote!(default = #function));
                let name = ident(&name);
                Some(Absent::Declared(quote!(defaults::#name())))
            }
        });
        if let Some(function) = function {
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
    fn add(&mut self, owner: &str, field: &Field, value: &Json) -> String {
        let field_name = field.name.trim_start_matches("r#");
        let wanted = format!("{}_{field_name}", owner.to_snake_case());
        let wanted = to_identifier(&wanted).unwrap_or_default();
        let name = make_unique(wanted, &mut self.names);
        let (ty, value) = (spell(&field.ty), write_value(&field.ty, value));
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

/// Whether a value is what `Default` of its type gives.
fn is_own_default(ty: &Type, value: &Json) -> bool {
    match (ty, value) {
        (Type::Bool, value) => *value == Json::Bool(false),
        (Type::Vec(_), Json::Array(items)) => items.is_empty(),
        (Type::Map(_), Json::Object(members)) => members.is_empty(),
        _ => false,
    }
}

/// Writes a value of a type, by full paths. It fits the type, as the plan has checked.
fn write_value(ty: &Type, value: &Json) -> TokenStream {
    match (ty, value) {
        (Type::Bool, Json::Bool(value)) => quote!(#value),
        (Type::Vec(_) | Type::Map(_), _) if is_own_default(ty, value) => {
            quote!(Default::default())
        }
        (Type::Integer(_), Json::Number(_)) => json_tokens(value),
        (Type::Float(_), Json::Number(number)) => {
            let digits = number.to_string();
            let is_float = digits.contains(['.', 'e', 'E']);
            let digits = if is_float { digits } else { digits + ".0" };
            digits.parse().expect("a number of the document")
        }
        (Type::String, Json::String(text)) => quote!(#text.to_owned()),
        (_, value) => {
            let tokens = json_tokens(value);
            quote! {
                serde_json::from_value(serde_json::json!(#tokens)).expect("the generator checked this value")
            }
        }
    }
}

fn json_tokens(value: &Json) -> TokenStream {
    value.to_string().parse().expect("JSON is made of tokens")
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
