//! Writes a function for each operation that calls it through the generated client.

use dropspec_codegen::planned::{
    BodyContent, BodyForm, Call, ClientPlan, MultipartParts, PartContent, Reader, RequestBody,
    ResponseContent, ResponseEnum, StatusSet, ident, spell,
};
use dropspec_model::SecuritySchemeKind;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::answers::Answers;

/// Writes the calls of all operations.
pub fn render(plan: &ClientPlan<'_>) -> TokenStream {
    let functions = plan.calls.iter().map(|call| write_call(plan, call));
    let rows = plan.calls.iter().map(|call| {
        let (method, path) = (call.operation.method, &call.operation.path);
        let variants = Answers::of(plan.api, call.operation).variants;
        let call = function_name(call);
        quote! {
            test_echo::Operation {
                method: #method,
                path: #path,
                variants: &[#(#variants),*],
                call: #call,
            }
        }
    });
    let count = plan.calls.len();
    // The calls that give the client credentials: `.with_key("sample")` for each security scheme.
    let schemes = plan.schemes.iter().zip(plan.api.security_schemes.values());
    let credentials = schemes.map(|(scheme, declared)| {
        let is_basic = matches!(&declared.kind, SecuritySchemeKind::Http { scheme, .. } if scheme.eq_ignore_ascii_case("basic"));
        let (method, password) = (ident(&scheme.method), is_basic.then_some("sample"));
        let password = password.iter();
        quote!(.#method("sample" #(, #password)*))
    });
    quote! {
        //! Calls every operation through the client.

        /// The client with samples of all credentials.
        pub fn connect(base_url: &str) -> crate::Client {
            connect_anonymously(base_url) #(#credentials)*
        }

        /// The client without credentials. It sends each request once, whatever the sampled response says.
        pub fn connect_anonymously(base_url: &str) -> crate::Client {
            crate::Client::new(base_url).with_retries(dropspec_client::RetryPolicy::off())
        }

        /// The operations.
        pub static OPERATIONS: [test_echo::Operation<crate::Client>; #count] = [#(#rows),*];

        #(#functions)*
    }
}

fn function_name(call: &Call<'_>) -> proc_macro2::Ident {
    format_ident!("call_{}", call.method.trim_start_matches("r#"))
}

fn write_call(plan: &ClientPlan<'_>, call: &Call<'_>) -> TokenStream {
    let (function, method) = (function_name(call), ident(&call.method));
    let parameters = call.setters.iter().map(|setter| {
        let (location, name) = (setter.kind.location_name(), &setter.parameter.field.wire);
        let (set, ty) = (ident(&setter.name), spell(setter.ty()));
        quote! {
            if let Some(value) = given.parameter::<#ty>(#location, #name)? {
                request = request.#set(value);
            }
        }
    });
    let body = call.operation.body.as_ref().map(give_body);
    let success = if call.operation.channel {
        quote!({
            drop(body);
            test_echo::Body::Empty
        })
    } else {
        show(plan, &call.success.reader)
    };
    let error = show(plan, &call.error.reader);
    quote! {
        #[allow(deprecated, unused_mut, unused_variables)]
        fn #function<'a>(client: &'a crate::Client, given: &'a test_echo::Given) -> test_echo::Calling<'a> {
            Box::pin(async move {
                let mut request = client.#method();
                #(#parameters)*
                #body
                match request.send().await {
                    Ok(response) => {
                        let status = response.status().as_u16();
                        let body = response.into_inner();
                        Ok(test_echo::Called { status, is_error: false, body: #success })
                    }
                    Err(dropspec_client::Error::ErrorResponse(response)) => {
                        let status = response.status().as_u16();
                        let body = response.into_inner();
                        Ok(test_echo::Called { status, is_error: true, body: #error })
                    }
                    Err(error) => Err(test_echo::describe(error)),
                }
            })
        }
    }
}

/// Writes the statement that gives a request its body.
fn give_body(body: &RequestBody) -> TokenStream {
    let has_range = |form: &BodyForm| form.media_type.contains('*');
    let given = if let Some(choice) = &body.choice {
        let choice = ident(choice);
        let arms = body.forms.iter().enumerate().map(|(position, form)| {
            let (variant, content) = (ident(&form.variant), give_content(form));
            let media_type = has_range(form).then(|| quote!(body.media_type.clone(),));
            // A stream is made of bytes.
            let into = matches!(form.content, BodyContent::Bytes).then(|| quote!(.into()));
            quote!(#position => crate::bodies::#choice::#variant(#media_type #content #into))
        });
        quote! {
            match body.form {
                #(#arms,)*
                other => return Err(format!("the client has no body {other}")),
            }
        }
    } else {
        let arguments = body.forms.iter().map(|form| {
            let media_type = has_range(form).then(|| quote!(&body.media_type,));
            let content = give_content(form);
            quote!(#media_type #content)
        });
        arguments.collect()
    };
    quote! {
        if let Some(body) = &given.body {
            request = request.body(#given);
        }
    }
}

fn give_content(form: &BodyForm) -> TokenStream {
    match &form.content {
        BodyContent::Json(ty) | BodyContent::Form(ty) => {
            let ty = spell(ty);
            quote!(body.content.json::<#ty>()?)
        }
        BodyContent::Text => quote!(body.content.text()?),
        BodyContent::Bytes => quote!(body.content.bytes()?),
        BodyContent::Multipart(parts) => give_parts(parts),
    }
}

fn give_parts(parts: &MultipartParts) -> TokenStream {
    let name = ident(&parts.name);
    let arms = parts.parts.iter().map(|part| {
        let (wire, variant) = (&part.wire, ident(&part.variant));
        let made = match &part.content {
            PartContent::File => quote!(part.file()),
            PartContent::Text(_) | PartContent::Json(_) => quote!(part.value()?),
        };
        quote!(#wire => crate::bodies::#name::#variant(#made))
    });
    let other = match &parts.other {
        Some(other) => {
            let other = ident(other);
            quote!(crate::bodies::#name::#other(other.to_owned(), part.file()))
        }
        None => quote!(return Err(format!("the client has no part `{other}`"))),
    };
    quote! {
        body.content.parts(|name, part| {
            Ok(match name {
                #(#arms,)*
                other => #other,
            })
        })?
    }
}

/// Writes how what the client returns as `body` is shown.
fn show(plan: &ClientPlan<'_>, reader: &Reader) -> TokenStream {
    match reader {
        Reader::Empty => quote!({
            let () = body;
            test_echo::Body::Empty
        }),
        Reader::Json(_) | Reader::Text => quote!(test_echo::Body::of(&body)?),
        Reader::Bytes => quote!(test_echo::Body::Bytes(body.to_vec())),
        Reader::Stream => quote!(test_echo::Body::of_stream(body).await?),
        Reader::Items(_) => quote!(test_echo::Body::of_items(body).await?),
        Reader::Enum(name) => {
            let found = plan.enums.iter().find(|of| of.name == *name);
            let arms = found.map(|of| show_enum(of));
            quote!(match body { #arms })
        }
    }
}

/// Writes an arm for each variant of an enum of responses.
fn show_enum(of: &ResponseEnum) -> TokenStream {
    let name = ident(&of.name);
    let arms = of.variants.iter().map(|variant| {
        let shown = match &variant.form.content {
            ResponseContent::Empty => quote!(test_echo::Body::Empty),
            ResponseContent::Json(_) | ResponseContent::Text => quote!(test_echo::Body::of(&body)?),
            ResponseContent::Bytes if of.is_error => quote!(test_echo::Body::Bytes(body.to_vec())),
            ResponseContent::Bytes => quote!(test_echo::Body::of_stream(body).await?),
            ResponseContent::Items(_) => quote!(test_echo::Body::of_items(body).await?),
        };
        let has_status = !matches!(variant.form.status, StatusSet::Exact(_));
        let has_body = variant.form.content != ResponseContent::Empty;
        let fields = match (has_status, has_body) {
            (false, false) => None,
            (true, false) => Some(quote!((_))),
            (false, true) => Some(quote!((body))),
            (true, true) => Some(quote!((_, body))),
        };
        let variant = ident(&variant.name);
        quote!(crate::responses::#name::#variant #fields => #shown,)
    });
    arms.collect()
}
