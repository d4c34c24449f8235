//! The builders of requests: a type for each operation, and the client's method that begins one.

use proc_macro2::TokenStream;
use quote::quote;

use crate::client::bodies;
use crate::client::calls::{Call, ClientPlan};
use crate::client::setters::Setter;
use crate::markdown::code;
use crate::model::{Encoding, Operation, ParameterKind};
use crate::names;
use crate::source::{docs, ident, length};
use crate::spelling::spell;

/// Writes the methods and builders of operations.
pub(super) fn render(plan: &ClientPlan<'_>) -> TokenStream {
    let methods = plan.calls.iter().map(write_method);
    let builders = plan.calls.iter().map(write_builder);
    quote! {
        //! The requests of the client.

        impl crate::Client {
            #(#methods)*
        }

        #(#builders)*
    }
}

fn write_method(call: &Call<'_>) -> TokenStream {
    let operation = call.operation;
    let title = code(&operation.method_and_path());
    let parts = [&operation.summary, &operation.description, &title];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.map(String::as_str).collect();
    let docs = docs(&parts.join("\n\n"));
    let note = deprecation_note(operation);
    let deprecated = note.map(|note| quote!(#[deprecated(note = #note)]));
    let (method, builder) = (ident(&call.method), ident(&call.builder));
    quote! {
        #docs
        #deprecated
        pub fn #method(&self) -> #builder<'_> {
            #builder::new(self)
        }
    }
}

/// What users of a deprecated operation are told, such as ``it may be removed after 2027-06-30; use `list_pets` ``.
fn deprecation_note(operation: &Operation) -> Option<String> {
    if !operation.deprecated {
        return None;
    }
    let deprecation = operation.extensions.deprecation.clone().unwrap_or_default();
    let end = match deprecation.sunset {
        Some(sunset) => format!("it may be removed after {sunset}"),
        None => "it may be removed".to_owned(),
    };
    Some(match deprecation.successor {
        // The successor is called by its method.
        Some(id) => {
            let method = names::method_name(&id).unwrap_or(id);
            format!("{end}; use `{method}`")
        }
        None => end,
    })
}

fn write_builder(call: &Call<'_>) -> TokenStream {
    let method = call.method.trim_start_matches("r#");
    let name = ident(&call.builder);
    let link =
        format!(" Builds a request of [`Client::{method}`](crate::client::Client::{method}).");
    let operation = write_operation(call);
    let setters = call.setters.iter().enumerate();
    let setters = setters.map(|(position, setter)| write_setter(position, setter));
    let body = call
        .operation
        .body
        .as_ref()
        .map(|body| bodies::write_setter(call, body));
    let send = write_send(call);
    quote! {
        #[doc = #link]
        #[derive(Debug)]
        pub struct #name<'a> {
            call: dropspec_client::Call<'a, crate::Client>,
        }

        impl<'a> #name<'a> {
            /// A request without parameters.
            pub fn new(client: &'a crate::Client) -> Self {
                static OPERATION: dropspec_client::Operation = #operation;
                let call = dropspec_client::Call::new(client, &OPERATION);
                Self { call }
            }

            #(#setters)*
            #body
            #send
        }
    }
}

/// Writes the table of an operation, as `dropspec-client` has it.
pub(super) fn write_operation(call: &Call<'_>) -> TokenStream {
    let operation = call.operation;
    let id = names::stem(&operation.method_name);
    let (method, path) = (operation.method, &operation.path);
    let mut members = vec![
        quote!(id: #id),
        quote!(method: #method),
        quote!(path: #path),
    ];
    if !call.setters.is_empty() {
        let parameters = call.setters.iter().map(write_parameter);
        members.push(quote!(parameters: &[#(#parameters),*]));
    }
    if operation.body.as_ref().is_some_and(|body| body.required) {
        members.push(quote!(body_required: true));
    }
    for (name, answer) in [("success", &call.success), ("errors", &call.error)] {
        if !answer.forms.is_empty() {
            let (name, forms) = (ident(name), answer.write_forms());
            members.push(quote!(#name: #forms));
        }
    }
    if !call.security.is_empty() {
        let alternatives = call.security.iter().map(|schemes| {
            let schemes = schemes.iter().map(|position| length(*position));
            quote!(&[#(#schemes),*])
        });
        members.push(quote!(security: &[#(#alternatives),*]));
    }
    if operation.channel {
        members.push(quote!(channel: true));
    }
    if operation.extensions.rate_limit_cost == 0 {
        members.push(quote!(free: true));
    }
    quote!(dropspec_client::Operation { #(#members,)* ..dropspec_client::Operation::EMPTY })
}

fn write_parameter(setter: &Setter<'_>) -> TokenStream {
    let name = &setter.parameter.field.wire;
    let location = ident(setter.kind.location_name());
    let (encoding, reserved) = match setter.parameter.encoding {
        Encoding::Json => (Some(quote!(.json())), None),
        Encoding::WholeQuery => (Some(quote!(.whole_query())), None),
        Encoding::Style {
            style,
            explode,
            allow_reserved,
        } => {
            let style = bodies::spell_style(style);
            let style = (!setter.has_default_style()).then(|| quote!(.style(#style, #explode)));
            (style, allow_reserved.then(|| quote!(.allow_reserved())))
        }
    };
    let required = setter.is_required() && setter.kind != ParameterKind::Path;
    let required = required.then(|| quote!(.required()));
    quote!(dropspec_client::Parameter::#location(#name) #encoding #reserved #required)
}

fn write_setter(position: usize, setter: &Setter<'_>) -> TokenStream {
    let field = &setter.parameter.field;
    let text = match field.docs.trim() {
        "" => format!("Sets {}.", code(&field.wire)),
        docs => docs.to_owned(),
    };
    let (docs, name, ty) = (docs(&text), ident(&setter.name), spell(setter.ty()));
    let position = length(position);
    quote! {
        #docs
        pub fn #name(mut self, value: impl TryInto<#ty>) -> Self {
            self.call.set(#position, value.try_into());
            self
        }
    }
}

fn write_send(call: &Call<'_>) -> TokenStream {
    let title = call.operation.method_and_path();
    let (error, read_error) = call.error.reader.spell();
    let (text, success, send) = if call.operation.channel {
        (
            format!(" Sends `{title}` and upgrades the connection."),
            quote!(dropspec_client::reqwest::Upgraded),
            quote!(upgrade(#read_error)),
        )
    } else {
        let (success, read_success) = call.success.reader.spell();
        (
            format!(" Sends `{title}`."),
            success,
            quote!(send(#read_success, #read_error)),
        )
    };
    quote! {
        #[doc = #text]
        pub async fn send(
            self,
        ) -> Result<dropspec_client::ResponseValue<#success>, dropspec_client::Error<#error>> {
            self.call.#send.await
        }
    }
}
