//! Writes the implementation of a generated trait that records what arrives and answers as planned.

mod answers;
mod arrivals;

use std::collections::BTreeMap;

use anyhow::Context;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{FnArg, ItemTrait, Pat, ReturnType, TraitItem, TraitItemFn, Type};

use super::source::{self, Source};

/// The implementation, and what the calls must know of it.
pub struct Server {
    /// The module with the implementation.
    pub code: TokenStream,
    /// The type that implements `spec_runtime::Interface`.
    pub interface: TokenStream,
    /// By the name of a method: its variants.
    pub methods: BTreeMap<String, TokenStream>,
}

/// Writes the implementation of the traits of an interface.
pub fn render(source: &Source) -> anyhow::Result<Server> {
    let mut methods = BTreeMap::new();
    let mut impls = Vec::new();
    for of in &source.traits {
        let mut bodies = Vec::new();
        for item in &of.items {
            if let TraitItem::Fn(function) = item
                && is_operation(function)
            {
                let (code, variants) = render_method(source, function)?;
                bodies.push(code);
                let name = function.sig.ident.to_string();
                methods.insert(name.trim_start_matches("r#").to_owned(), variants);
            }
        }
        let path = trait_path(of)?;
        let has_context = of
            .items
            .iter()
            .any(|item| matches!(item, TraitItem::Type(of) if of.ident == "Context"));
        let context = has_context.then(|| {
            quote!(
                type Context = std::sync::Arc<test_echo::Echo>;
            )
        });
        impls.push(quote!(impl #path for Service { #context #(#bodies)* }));
    }
    let interface = source.impls.iter().find(|of| {
        let name = of
            .trait_
            .as_ref()
            .and_then(|(path, _)| path.segments.last());
        name.is_some_and(|segment| segment.ident == "Interface")
    });
    let interface = interface.context("there is no implementation of `Interface`")?;
    let mut interface = source::path_text(&interface.self_ty);
    interface.push_str("::<echo::Service>");
    Ok(Server {
        code: quote! {
            //! Records what arrives, and answers as planned.

            /// The service.
            pub struct Service;

            #(#impls)*
        },
        interface: interface
            .parse()
            .ok()
            .context("the name of the interface is no path")?,
        methods,
    })
}

fn trait_path(of: &ItemTrait) -> anyhow::Result<syn::Path> {
    let module = of
        .attrs
        .first()
        .map(|attribute| source::strings(&quote!(#attribute)));
    let module = module
        .and_then(|texts| texts.into_iter().next())
        .unwrap_or_default();
    Ok(syn::parse_str(&format!("{module}::{}", of.ident))?)
}

fn is_operation(function: &TraitItemFn) -> bool {
    function
        .sig
        .inputs
        .first()
        .is_some_and(|input| match input {
            FnArg::Typed(input) => {
                source::last_name(&input.ty).as_deref() == Some("RequestContext")
            }
            FnArg::Receiver(_) => false,
        })
}

/// The code of a method, and its variants.
fn render_method(
    source: &Source,
    function: &TraitItemFn,
) -> anyhow::Result<(TokenStream, TokenStream)> {
    let name = &function.sig.ident;
    let result =
        result_type(function).with_context(|| format!("the method {name} returns no type"))?;
    let mut arguments: Vec<(Ident, Type)> = Vec::new();
    for input in function.sig.inputs.iter().skip(1) {
        if let FnArg::Typed(input) = input
            && let Pat::Ident(pattern) = &*input.pat
        {
            arguments.push((pattern.ident.clone(), (*input.ty).clone()));
        }
    }
    let arrived = arguments
        .iter()
        .map(|(name, ty)| arrivals::record(source, name, ty));
    let inputs = arguments.iter().map(|(name, ty)| quote!(#name: #ty));
    let context: Type = match function.sig.inputs.first() {
        Some(FnArg::Typed(input)) => (*input.ty).clone(),
        _ => syn::parse_quote!(()),
    };
    if source::last_name(&result).as_deref() == Some("WebsocketChannelResult") {
        let unused = arguments.iter().map(|(name, _)| name);
        let code = quote! {
            async fn #name(rqctx: #context, #(#inputs),*) -> #result {
                drop((rqctx, #(#unused),*));
                Ok(())
            }
        };
        return Ok((code, answers::channel()));
    }
    let answers = answers::render(source, &result)?;
    let (variants, arms) = (answers.variants, answers.arms);
    let positions = 0..arms.len();
    let code = quote! {
        async fn #name(rqctx: #context, #(#inputs),*) -> #result {
            let echo = std::sync::Arc::clone(rqctx.context());
            #[allow(unused_mut)]
            let mut arrived = test_echo::Arrived::default();
            #(#arrived)*
            echo.answer(arrived, |answer| Ok(match answer.variant {
                #(#positions => #arms,)*
                _ => return Err(answer.unknown_variant()),
            }))
        }
    };
    Ok((code, quote!(&[#(#variants),*])))
}

/// What the future of a method gives.
fn result_type(function: &TraitItemFn) -> Option<Type> {
    let ReturnType::Type(_, ty) = &function.sig.output else {
        return None;
    };
    match &**ty {
        Type::ImplTrait(_) => source::arguments(&source::bound(ty)?).into_iter().next(),
        ty => Some(ty.clone()),
    }
}

/// The field of a struct or variant, as an identifier.
fn field_ident(field: &syn::Field) -> Ident {
    field.ident.clone().unwrap_or_else(|| format_ident!("body"))
}
