//! Writes a function for each operation that calls it through the generated client.

use std::collections::BTreeMap;

use anyhow::Context;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, Ident as Name, ImplItem, ImplItemFn, ItemImpl, ReturnType, Type};

use super::source::{
    Source, arguments, bound, flatten, last_name, path_text, string_literal, strings, variant_arms,
};

/// Writes the calls of all operations. `methods` has for each method of the trait its variants and the function that tries
/// the type of a body.
pub fn render(
    source: &Source,
    methods: &BTreeMap<String, (TokenStream, TokenStream)>,
) -> anyhow::Result<TokenStream> {
    let mut functions = Vec::new();
    let mut rows = Vec::new();
    let client = client_type(source)?;
    for (method, builder) in client_methods(source) {
        let function = |name: &str| source.find_method(&builder, name);
        let (Some(new), Some(send)) = (function("new"), function("send")) else {
            continue;
        };
        let table = new.block.to_token_stream();
        let texts = strings(&table);
        let [id, http_method, path, ..] = texts.as_slice() else {
            continue;
        };
        let Some((variants, takes)) = methods.get(id) else {
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
        let parameters = quote!(#(#parameters)*);
        let body = function("body")
            .map(|body| give_body(source, body))
            .transpose()?;
        let shown = show_result(source, send)?;
        let call = format_ident!("call_{}", id);
        functions.push(quote! {
            #[allow(deprecated, unused_mut, unused_variables)]
            fn #call<'a>(client: &'a #client, given: &'a spec_echo::Given) -> spec_echo::Calling<'a> {
                Box::pin(async move {
                    let mut request = client.#method();
                    #parameters
                    #body
                    #shown
                })
            }
        });
        let pages = function("stream").map(|_| {
            let pages = format_ident!("pages_{}", id);
            functions.push(quote! {
                #[allow(deprecated, unused_mut, unused_variables)]
                fn #pages<'a>(client: &'a #client, given: &'a spec_echo::Given) -> spec_echo::Paging<'a> {
                    use spec_echo::futures::TryStreamExt;
                    Box::pin(async move {
                        let mut request = client.#method();
                        #parameters
                        let items: Vec<_> = request.stream().try_collect().await.map_err(spec_echo::describe)?;
                        let items = items.iter().map(|item| {
                            spec_echo::serde_json::to_value(item).map_err(|error| error.to_string())
                        });
                        items.collect()
                    })
                }
            });
            pages
        });
        let pages = pages.map_or_else(|| quote!(None), |pages| quote!(Some(#pages)));
        rows.push(quote! {
            spec_echo::Operation {
                method: #http_method,
                path: #path,
                variants: #variants,
                call: #call,
                pages: #pages,
                takes: #takes,
            }
        });
    }
    let count = rows.len();
    let credentials = credentials(source);
    Ok(quote! {
        //! Calls every operation through the client.

        /// The client with samples of all credentials.
        pub fn connect(base_url: &str) -> #client {
            <#client>::new(base_url) #(#credentials)*
        }

        /// The client without credentials.
        pub fn connect_anonymously(base_url: &str) -> #client {
            <#client>::new(base_url)
        }

        /// The operations.
        pub static OPERATIONS: [spec_echo::Operation<#client>; #count] = [#(#rows),*];

        #(#functions)*
    })
}

/// The calls that give the client credentials: `.with_key("sample")` for each security scheme.
fn credentials(source: &Source) -> Vec<TokenStream> {
    let of_client =
        |of: &&ItemImpl| of.trait_.is_none() && last_name(&of.self_ty).as_deref() == Some("Client");
    let items = source
        .impls
        .iter()
        .filter(of_client)
        .flat_map(|of| &of.items);
    let calls = items.filter_map(|item| match item {
        ImplItem::Fn(function)
            if function
                .sig
                .receiver()
                .is_some_and(|own| matches!(own.kind, syn::ReceiverKind::Value)) =>
        {
            let name = &function.sig.ident;
            let samples = value_types(function).into_iter().map(|_| "sample");
            Some(quote!(.#name(#(#samples),*)))
        }
        _ => None,
    });
    calls.collect()
}

/// The type of the client.
fn client_type(source: &Source) -> anyhow::Result<TokenStream> {
    let client = source
        .structs
        .keys()
        .find(|path| path.ends_with("::client::Client"));
    let client = client.context("there is no `Client`")?;
    client.parse().ok().context("the client's name is a path")
}

/// The methods of the client that begin a request, each with the name of its builder.
fn client_methods(source: &Source) -> Vec<(Name, String)> {
    let of_client =
        |of: &&ItemImpl| of.trait_.is_none() && last_name(&of.self_ty).as_deref() == Some("Client");
    let items = source
        .impls
        .iter()
        .filter(of_client)
        .flat_map(|of| &of.items);
    let methods = items.filter_map(|item| match item {
        ImplItem::Fn(function) => {
            let ReturnType::Type(_, ty) = &function.sig.output else {
                return None;
            };
            let builder = last_name(ty)?;
            source.find_method(&builder, "send")?;
            Some((function.sig.ident.clone(), builder))
        }
        _ => None,
    });
    methods.collect()
}

/// The setters of a builder, in the order of the parameters, with the types that they take.
fn setters(source: &Source, builder: &str) -> Vec<(Ident, Type)> {
    let of_builder =
        |of: &&ItemImpl| of.trait_.is_none() && last_name(&of.self_ty).as_deref() == Some(builder);
    let items = source
        .impls
        .iter()
        .filter(of_builder)
        .flat_map(|of| &of.items);
    let setters = items.filter_map(|item| match item {
        ImplItem::Fn(function)
            if !["new", "send", "stream", "body"]
                .contains(&function.sig.ident.to_string().as_str()) =>
        {
            let value = value_types(function).pop()?;
            Some((
                function.sig.ident.clone(),
                arguments(&bound(&value)?).pop()?,
            ))
        }
        _ => None,
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

fn give_body(source: &Source, body: &ImplItemFn) -> anyhow::Result<TokenStream> {
    let types = value_types(body);
    let media_type = (types.len() > 1).then(|| quote!(given.media_type(),));
    let value = types.last().and_then(bound).context("a body has a value")?;
    let ty = arguments(&value)
        .into_iter()
        .next()
        .context("a body has a type")?;
    let kind = last_name(&value).unwrap_or_default();
    let given = match (kind.as_str(), path_text(&ty).as_str()) {
        ("TryInto", _) => quote!(given.json::<#ty>()?),
        ("IntoIterator", _) => give_parts(source, &ty),
        ("Into", "String") => quote!(given.text()?),
        ("Into", "spec_client::reqwest::Body") => quote!(given.bytes()?),
        _ => give_choice(source, &ty)?,
    };
    Ok(quote! {
        if given.form().is_some() {
            request = request.body(#media_type #given);
        }
    })
}

fn give_parts(source: &Source, part: &Type) -> TokenStream {
    let name = last_name(part).unwrap_or_default();
    let arms = source
        .find_method(&name, "into_part")
        .map(variant_arms)
        .unwrap_or_default();
    let arms = arms.iter().map(|(variant, arm)| {
        let variant = format_ident!("{variant}");
        let is_file = flatten(arm.clone())
            .iter()
            .any(|token| token.to_string() == "file_part");
        match (strings(arm).into_iter().next(), is_file) {
            (Some(wire), true) => quote!(#wire => #part::#variant(part.file())),
            (Some(wire), false) => quote!(#wire => #part::#variant(part.value()?)),
            (None, _) => quote!(other => #part::#variant(other.to_owned(), part.file())),
        }
    });
    quote! {
        given.parts(|name, part| {
            #[allow(unreachable_patterns)]
            Ok(match name {
                #(#arms,)*
                other => return Err(format!("the client has no part `{other}`")),
            })
        })?
    }
}

fn give_choice(source: &Source, ty: &Type) -> anyhow::Result<TokenStream> {
    let choice = source
        .find_enum(ty, "bodies")
        .context("an enum of bodies")?;
    let name = choice.ident.to_string();
    let arms = source
        .find_method(&name, "into_body")
        .map(variant_arms)
        .unwrap_or_default();
    let mut made = Vec::new();
    for (position, variant) in choice.variants.iter().enumerate() {
        let ident = &variant.ident;
        let (_, arm) = arms
            .iter()
            .find(|(of, _)| ident == of)
            .context("an arm for each body")?;
        let calls = |name: &str| {
            flatten(arm.clone())
                .iter()
                .any(|token| token.to_string() == name)
        };
        let media_type = (variant.fields.len() > 1).then(|| quote!(given.media_type().to_owned(),));
        let content = match () {
            () if calls("text_body") => quote!(given.text()?),
            () if calls("bytes_body") => quote!(given.bytes()?),
            () if calls("json_body") || calls("form_body") => quote!(given.json()?),
            () => {
                let parts = variant
                    .fields
                    .iter()
                    .last()
                    .map(|field| arguments(&field.ty));
                let part = parts
                    .and_then(|types| types.into_iter().next())
                    .context("parts have a type")?;
                give_parts(source, &part)
            }
        };
        made.push(quote!(Some(#position) => #ty::#ident(#media_type #content)));
    }
    Ok(quote! {
        match given.form() {
            #(#made,)*
            other => return Err(format!("the client has no body {other:?}")),
        }
    })
}

/// Writes how a request is sent, and its result is shown.
fn show_result(source: &Source, send: &ImplItemFn) -> anyhow::Result<TokenStream> {
    let ReturnType::Type(_, result) = &send.sig.output else {
        anyhow::bail!("`send` returns nothing");
    };
    let types: Vec<Type> = arguments(result)
        .iter()
        .filter_map(|ty| arguments(ty).into_iter().next())
        .collect();
    let [success, error] = types.as_slice() else {
        anyhow::bail!("`send` returns no result: {}", result.to_token_stream());
    };
    let (success, error) = (show(source, success), show(source, error));
    Ok(quote! {
        match request.send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                let body = response.into_inner();
                Ok(spec_echo::Called { status, is_error: false, body: #success })
            }
            Err(spec_client::Error::ErrorResponse(response)) => {
                let status = response.status().as_u16();
                let body = response.into_inner();
                Ok(spec_echo::Called { status, is_error: true, body: #error })
            }
            Err(error) => Err(spec_echo::describe(error)),
        }
    })
}

/// Writes how `body` of a type is shown.
fn show(source: &Source, ty: &Type) -> TokenStream {
    if let Some(of) = source.find_enum(ty, "responses") {
        let arms = of.variants.iter().map(|variant| {
            let name = &variant.ident;
            let is_status = |ty: &Type| last_name(ty).as_deref() == Some("StatusCode");
            let types: Vec<&Type> = variant.fields.iter().map(|field| &field.ty).collect();
            match types.as_slice() {
                [] => quote!(#ty::#name => spec_echo::Shown::Nothing),
                [status] if is_status(status) => quote!(#ty::#name(_) => spec_echo::Shown::Nothing),
                [body] => {
                    let shown = show(source, body);
                    quote!(#ty::#name(body) => #shown)
                }
                [.., body] => {
                    let shown = show(source, body);
                    quote!(#ty::#name(_, body) => #shown)
                }
            }
        });
        return quote!(match body { #(#arms,)* });
    }
    match path_text(ty).as_str() {
        "spec_client::Bytes" => quote!(spec_echo::Shown::bytes(&body)),
        "spec_client::ByteStream" => quote!(spec_echo::Shown::stream(body).await?),
        "spec_client::reqwest::Upgraded" => quote!({
            drop(body);
            spec_echo::Shown::Nothing
        }),
        _ if matches!(ty, Type::Tuple(of) if of.elems.is_empty()) => {
            quote!({
                let () = body;
                spec_echo::Shown::Nothing
            })
        }
        _ => quote!(spec_echo::Shown::json(&body)?),
    }
}
