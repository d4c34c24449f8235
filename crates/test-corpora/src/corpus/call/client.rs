//! Writes a function for each operation that calls it through the generated client.

mod body;
mod result;

use std::collections::BTreeMap;

use anyhow::Context;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, Ident as Name, ImplItemFn, ReturnType, Type};

use super::source::{Source, arguments, bound, flatten, string_literal, strings};

/// Writes the calls of all operations. `methods` has the variants of each method of the trait.
pub fn render(
    source: &Source,
    methods: &BTreeMap<String, TokenStream>,
) -> anyhow::Result<TokenStream> {
    let mut functions = Vec::new();
    let mut rows = Vec::new();
    let client = client_type(source)?;
    for (method, builder) in client_methods(source, &client) {
        let function = |name: &str| source.find_method(&builder, name);
        let (Some(new), Some(send)) = (function("new"), function("send")) else {
            continue;
        };
        let table = new.block.to_token_stream();
        let texts = strings(&table);
        let [id, http_method, path, ..] = texts.as_slice() else {
            continue;
        };
        // A keyword has an underscore in the trait.
        let method_of_trait = methods.get(id).or_else(|| methods.get(&format!("{id}_")));
        let Some(variants) = method_of_trait else {
            anyhow::bail!("the trait has no method `{id}`, which the client has");
        };
        let setters = setters(source, &builder);
        let names = parameters(&table);
        let parameters = setters
            .iter()
            .zip(&names)
            .map(|((setter, ty), (location, name))| {
                quote! {
                    if let Some(value) = given.parameter::<#ty>(#location, #name)? {
                        request = request.#setter(value);
                    }
                }
            });
        let body = function("body")
            .map(|method| body::give_body(source, method))
            .transpose()?;
        let shown = result::show_result(source, send)?;
        let call = format_ident!("call_{}", id);
        functions.push(quote! {
            #[allow(deprecated, unused_mut, unused_variables)]
            fn #call<'a>(client: &'a #client, given: &'a test_echo::Given) -> test_echo::Calling<'a> {
                Box::pin(async move {
                    let mut request = client.#method();
                    #(#parameters)*
                    #body
                    #shown
                })
            }
        });
        rows.push(quote! {
            test_echo::Operation {
                method: #http_method,
                path: #path,
                variants: #variants,
                call: #call,
            }
        });
    }
    let count = rows.len();
    let credentials = credentials(source, &client);
    Ok(quote! {
        //! Calls every operation through the client.

        /// The client with samples of all credentials.
        pub fn connect(base_url: &str) -> #client {
            connect_anonymously(base_url) #(#credentials)*
        }

        /// The client without credentials. It sends each request once, whatever the sampled response says.
        pub fn connect_anonymously(base_url: &str) -> #client {
            <#client>::new(base_url).with_retries(spec_client::RetryPolicy::off())
        }

        /// The operations.
        pub static OPERATIONS: [test_echo::Operation<#client>; #count] = [#(#rows),*];

        #(#functions)*
    })
}

/// The calls that give the client credentials: `.with_key("sample")` for each security scheme.
fn credentials(source: &Source, client: &Type) -> Vec<TokenStream> {
    let by_value = |function: &&ImplItemFn| {
        let receiver = function.sig.receiver();
        receiver.is_some_and(|own| matches!(own.kind, syn::ReceiverKind::Value))
    };
    let methods = source.own_methods(client).filter(by_value);
    let calls = methods.map(|function| {
        let name = &function.sig.ident;
        let samples = value_types(function).into_iter().map(|_| "sample");
        quote!(.#name(#(#samples),*))
    });
    calls.collect()
}

/// The type of the client.
fn client_type(source: &Source) -> anyhow::Result<Type> {
    let client = source
        .structs
        .keys()
        .find(|path| path.ends_with("::client::Client"));
    let client = client.context("there is no `Client`")?;
    syn::parse_str(client).context("the client's name is a path")
}

/// The methods of the client that begin a request, each with its builder.
fn client_methods(source: &Source, client: &Type) -> Vec<(Name, Type)> {
    let methods = source.own_methods(client).filter_map(|function| {
        let ReturnType::Type(_, ty) = &function.sig.output else {
            return None;
        };
        source.find_method(ty, "send")?;
        Some((function.sig.ident.clone(), (**ty).clone()))
    });
    methods.collect()
}

/// The setters of a builder, in the order of the parameters, with the types that they take.
fn setters(source: &Source, builder: &Type) -> Vec<(Ident, Type)> {
    const OTHERS: [&str; 3] = ["new", "send", "body"];
    let methods = source.own_methods(builder);
    let setters = methods.filter(|function| !OTHERS.iter().any(|it| function.sig.ident == it));
    let setters = setters.filter_map(|function| {
        let value = value_types(function).pop()?;
        Some((
            function.sig.ident.clone(),
            arguments(&bound(&value)?).pop()?,
        ))
    });
    setters.collect()
}

/// The types of a method's arguments.
fn value_types(function: &ImplItemFn) -> Vec<Type> {
    let inputs = function.sig.inputs.iter();
    let types = inputs.filter_map(|input| match input {
        FnArg::Typed(input) => Some((*input.ty).clone()),
        FnArg::Receiver(_) => None,
    });
    types.collect()
}

/// The locations and names of the parameters in the table of an operation: `Parameter::query("limit")`.
fn parameters(table: &TokenStream) -> Vec<(String, String)> {
    let tokens = flatten(table.clone());
    let words: Vec<String> = tokens.iter().map(ToString::to_string).collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let location = words.get(index + 3).filter(|_| word == "Parameter");
        if let (Some(location), Some(name)) = (location, tokens.get(index + 4))
            && let Some(name) = string_literal(name.clone())
        {
            found.push((location.clone(), name));
        }
    }
    found
}
