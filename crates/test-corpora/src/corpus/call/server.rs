//! Writes the implementation of a generated trait that records what arrives and answers as planned.

use dropspec_codegen::planned::{
    Api, BodyContent, BodyForm, MultipartParts, Operation, PartContent, RequestBody, group, ident,
    is_wrapped, write_signature,
};
use proc_macro2::TokenStream;
use quote::quote;

use super::answers::Answers;

/// Writes the implementation of the traits of an interface: one, or one for each tag and one of them all.
pub fn render(api: &Api, by_tag: bool) -> TokenStream {
    let context = quote!(
        type Context = std::sync::Arc<test_echo::Echo>;
    );
    let implement = |name: &str, operations: &[&Operation]| {
        let name = ident(name);
        let methods = operations.iter().map(|of| write_method(api, of));
        quote!(impl crate::api::#name for Service { #context #(#methods)* })
    };
    let tags = if by_tag { group(api) } else { Vec::new() };
    let of_tags = tags
        .iter()
        .map(|tag| implement(&tag.trait_name, &tag.operations));
    let own: Vec<&Operation> = api.generated().filter(|_| !by_tag).collect();
    let whole = implement(&api.trait_name, &own);
    quote! {
        //! Records what arrives, and answers as planned.

        /// The service.
        pub struct Service;

        #(#of_tags)*
        #whole
    }
}

fn write_method(api: &Api, operation: &Operation) -> TokenStream {
    let name = ident(&operation.method_name);
    let (arguments, result) = write_signature(operation);
    if operation.channel {
        return quote! {
            #[allow(unused_variables)]
            async fn #name(#arguments) -> #result {
                Ok(())
            }
        };
    }
    let parameters = operation.parameters.iter().map(|(kind, name)| {
        let (argument, location) = (ident(kind.argument()), kind.location_name());
        let found = api.parameters.iter().find(|of| of.name == *name);
        let fields = found.into_iter().flat_map(|of| &of.fields).map(|of| {
            let (wire, field) = (&of.field.wire, ident(&of.field.name));
            quote!(arrived.parameter(#location, #wire, &#argument.#field);)
        });
        quote! {
            let #argument = #argument.into_inner();
            #(#fields)*
        }
    });
    let body = operation.body.as_ref().map(record_body);
    let arms = Answers::of(api, operation).arms;
    let positions = 0..arms.len();
    quote! {
        async fn #name(#arguments) -> #result {
            let echo = std::sync::Arc::clone(rqctx.context());
            #[allow(unused_mut)]
            let mut arrived = test_echo::Arrived::default();
            #(#parameters)*
            #body
            echo.answer(arrived, |answer| Ok(match answer.variant {
                #(#positions => #arms,)*
                _ => return Err(answer.unknown_variant()),
            }))
        }
    }
}

/// Writes the statements that record the argument `body`.
fn record_body(body: &RequestBody) -> TokenStream {
    let recorded = match &body.choice {
        Some(choice) => {
            let choice = ident(choice);
            let arms = body.forms.iter().map(|form| {
                let (variant, recorded) = (ident(&form.variant), record_form(form));
                quote!(crate::bodies::#choice::#variant(body) => { #recorded })
            });
            quote!(match body { #(#arms)* })
        }
        None => body.forms.iter().map(record_form).collect(),
    };
    match (body.required, is_wrapped(body)) {
        (false, _) => quote!(if let Some(body) = body.into_inner() { #recorded }),
        (true, true) => quote! {
            let body = body.into_inner();
            #recorded
        },
        (true, false) => recorded,
    }
}

/// Writes the statements that record `body` of one media type.
fn record_form(form: &BodyForm) -> TokenStream {
    match &form.content {
        BodyContent::Json(_) | BodyContent::Form(_) => quote!(arrived.json(&body);),
        BodyContent::Text => quote!(arrived.body = test_echo::Body::Text(body.into_inner());),
        BodyContent::Bytes => quote!(arrived.raw(body).await;),
        BodyContent::Multipart(of) if of.parts.is_empty() => quote! {
            if let Err(rejection) = arrived.multipart(body).await {
                return echo.fail_on_unreadable_argument(arrived, rejection);
            }
        },
        BodyContent::Multipart(of) => record_parts(of),
    }
}

fn record_parts(parts: &MultipartParts) -> TokenStream {
    let name = ident(&parts.name);
    let arms = parts.parts.iter().map(|part| {
        let (wire, variant) = (&part.wire, ident(&part.variant));
        let recorded = match &part.content {
            PartContent::File => quote!(arrived.file(#wire, part).await),
            PartContent::Text(_) | PartContent::Json(_) => quote!(arrived.part(#wire, &part)),
        };
        quote!(crate::bodies::#name::#variant(part) => #recorded,)
    });
    quote! {
        let mut parts = body;
        arrived.body = test_echo::Body::Parts(Vec::new());
        loop {
            match parts.next().await {
                Ok(Some(part)) => match part { #(#arms)* },
                Ok(None) => break,
                Err(rejection) => return echo.fail_on_unreadable_argument(arrived, rejection),
            }
        }
    }
}
