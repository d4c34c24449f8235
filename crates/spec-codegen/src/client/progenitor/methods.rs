//! Adapts the methods of the client that begin a request: path parameters are their arguments, and those of deprecated
//! operations say so.

use quote::ToTokens;
use syn::{
    Attribute, File, GenericArgument, Ident, ImplItem, ImplItemFn, Item, ItemStruct, PathArguments,
    Type, parse_quote,
};

use crate::client::deprecation;
use crate::model::{Api, Operation};
use crate::source::{doc_text, ident};

/// Adapts the methods of `Client`.
pub(super) fn adapt_methods(file: &mut File, api: &Api) {
    let builders = find_builders(file);
    for item in &mut file.items {
        let Item::Impl(of) = item else {
            continue;
        };
        if of.trait_.is_some() || of.self_ty.to_token_stream().to_string() != "Client" {
            continue;
        }
        for member in &mut of.items {
            let ImplItem::Fn(method) = member else {
                continue;
            };
            let Some(operation) = find_operation(api, &method.sig.ident) else {
                continue;
            };
            if let Some(builder) = builders.iter().find(|of| of.ident == operation.variant) {
                take_path_parameters(method, builder, &path_parameters(api, operation));
            }
            if let Some(note) = deprecation::note(operation) {
                method.attrs.push(parse_quote!(#[deprecated(note = #note)]));
            }
        }
    }
}

/// The fields of an operation's path parameters, in the order of the path.
pub(super) fn path_parameters<'a>(api: &'a Api, operation: &Operation) -> Vec<&'a str> {
    let fields = api.path_fields(operation);
    fields.map(|of| of.field.name.as_str()).collect()
}

/// The operation that a method of the client begins.
pub(super) fn find_operation<'a>(api: &'a Api, method: &Ident) -> Option<&'a Operation> {
    let mut operations = api.operations.iter();
    operations.find(|of| method == of.method_name.as_str())
}

/// The structs of the module `builder`.
fn find_builders(file: &File) -> Vec<ItemStruct> {
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.ident == "builder" => module.content.as_ref(),
        _ => None,
    });
    let items = modules.flat_map(|(_, items)| items);
    let structs = items.filter_map(|item| match item {
        Item::Struct(builder) => Some(builder.clone()),
        _ => None,
    });
    structs.collect()
}

/// Makes `get_pet()` take the path parameters, which every request has: `get_pet(7)`.
fn take_path_parameters(method: &mut ImplItemFn, builder: &ItemStruct, names: &[&str]) {
    let mut setters = Vec::new();
    for name in names {
        let name = ident(name);
        let mut fields = builder.fields.iter();
        let field = fields.find(|field| field.ident.as_ref() == Some(&name));
        let Some(ty) = field.and_then(|field| success_of(&field.ty)) else {
            return;
        };
        method
            .sig
            .inputs
            .push(parse_quote!(#name: impl std::convert::TryInto<#ty>));
        setters.push(name);
    }
    if setters.is_empty() {
        return;
    }
    let builder = &builder.ident;
    method.block = parse_quote!({ builder::#builder::new(self)#(.#setters(#setters))* });
    rewrite_example(&mut method.attrs, &setters);
}

/// Writes the path parameters of the example in the documentation between the parentheses of the method.
fn rewrite_example(attributes: &mut Vec<Attribute>, names: &[Ident]) {
    let setters: Vec<String> = names
        .iter()
        .map(|name| format!(".{name}({name})"))
        .collect();
    attributes.retain(|attribute| {
        let text = doc_text(attribute).unwrap_or_default();
        !setters.iter().any(|setter| text.trim() == setter)
    });
    let arguments: Vec<String> = names.iter().map(Ident::to_string).collect();
    for attribute in attributes {
        let Some(text) = doc_text(attribute) else {
            continue;
        };
        if text.trim_start().starts_with("let response = client.") {
            let text = text.replace("()", &format!("({})", arguments.join(", ")));
            *attribute = parse_quote!(#[doc = #text]);
        }
    }
}

/// The first argument of `Result<…, …>`.
fn success_of(ty: &Type) -> Option<&GenericArgument> {
    let Type::Path(ty) = ty else {
        return None;
    };
    let result = ty.path.segments.last().filter(|it| it.ident == "Result")?;
    match &result.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.first(),
        _ => None,
    }
}
