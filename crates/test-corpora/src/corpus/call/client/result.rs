//! Writes how a call of the client is sent, and what comes back is shown.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{ImplItemFn, ReturnType, Type};

use crate::corpus::call::source::{Source, arguments, last_name, path_text};

/// Writes how a request is sent, and its result is shown.
pub fn show_result(source: &Source, send: &ImplItemFn) -> anyhow::Result<TokenStream> {
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
                Ok(test_echo::Called { status, is_error: false, body: #success })
            }
            Err(spec_client::Error::ErrorResponse(response)) => {
                let status = response.status().as_u16();
                let body = response.into_inner();
                Ok(test_echo::Called { status, is_error: true, body: #error })
            }
            Err(error) => Err(test_echo::describe(error)),
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
                [] => quote!(#ty::#name => test_echo::Body::Empty),
                [status] if is_status(status) => quote!(#ty::#name(_) => test_echo::Body::Empty),
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
        "spec_client::Bytes" => quote!(test_echo::Body::Bytes(body.to_vec())),
        "spec_client::ByteStream" => quote!(test_echo::Body::of_stream(body).await?),
        "spec_client::reqwest::Upgraded" => quote!({
            drop(body);
            test_echo::Body::Empty
        }),
        _ if matches!(ty, Type::Tuple(of) if of.elems.is_empty()) => {
            quote!({
                let () = body;
                test_echo::Body::Empty
            })
        }
        _ => quote!(test_echo::Body::of(&body)?),
    }
}
