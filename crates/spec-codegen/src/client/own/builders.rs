//! The builders of requests: a type for each operation, and the client's method that begins one.

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::ParameterStyle;

use crate::Part;
use crate::client::deprecation;
use crate::client::own::calls::{Call, ClientPlan};
use crate::client::own::setters::Setter;
use crate::client::own::styles::spell_style;
use crate::client::own::{bodies, paths};
use crate::markdown::code;
use crate::model::{Encoding, ParameterKind};
use crate::sections::Sections;
use crate::source::{docs, ident, length};
use crate::spelling::spell;
use crate::split::{Items, Layout};

/// The methods and builders of operations.
pub(super) fn items<'a>(
    plan: &'a ClientPlan<'a>,
    sections: &'a Sections,
) -> Items<'a, &'a Call<'a>> {
    Items {
        part: Part::Client,
        module: "client/builder",
        docs: "The requests of the client.",
        what: "Requests",
        items: plan.calls.iter().collect(),
        name: |call| &call.builder,
        section: Box::new(|call| sections.of_operation(&call.operation.tags, &call.operation.path)),
        write: Box::new(|calls, _| paths::relocate(write_all(calls))),
        layout: Layout::default(),
    }
}

/// Writes the methods and builders of operations.
fn write_all(calls: &[&Call<'_>]) -> TokenStream {
    let methods = calls.iter().map(|call| write_method(call));
    let builders = calls.iter().map(|call| write_builder(call));
    quote! {
        impl crate::Client {
            #(#methods)*
        }

        #(#builders)*
    }
}

fn write_method(call: &Call<'_>) -> TokenStream {
    let operation = call.operation;
    let mut text = operation.summary.clone();
    for part in [
        &operation.description,
        &format!("`{} {}`", operation.method, operation.path),
    ] {
        if !text.is_empty() && !part.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(part);
    }
    let docs = docs(&text);
    let note = deprecation::note(operation);
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

fn write_builder(call: &Call<'_>) -> TokenStream {
    let method = call.method.trim_start_matches("r#");
    let name = ident(&call.builder);
    let link =
        format!(" Builds a request of [`Client::{method}`](crate::client::Client::{method}).");
    let operation = write_operation(call);
    let setters = call.setters.iter().enumerate();
    let setters = setters.map(|(position, setter)| write_setter(position, setter));
    let body = call.body.map(|body| bodies::write_setter(call, body));
    let send = write_send(call);
    let stream = write_stream(call);
    quote! {
        #[doc = #link]
        #[derive(Debug)]
        pub struct #name<'a> {
            call: spec_client::Call<'a, crate::Client>,
        }

        impl<'a> #name<'a> {
            /// A request without parameters.
            pub fn new(client: &'a crate::Client) -> Self {
                static OPERATION: spec_client::Operation = #operation;
                let call = spec_client::Call::new(client, &OPERATION);
                Self { call }
            }

            #(#setters)*
            #body
            #send
            #stream
        }
    }
}

/// Writes the table of an operation, as `spec-client` has it.
pub(super) fn write_operation(call: &Call<'_>) -> TokenStream {
    let operation = call.operation;
    let id = crate::names::stem(&operation.method_name);
    let (method, path) = (operation.method, &operation.path);
    let mut parts = vec![quote!(spec_client::Operation::new(#id, #method, #path))];
    if !call.setters.is_empty() {
        let parameters = call.setters.iter().map(write_parameter);
        parts.push(quote!(.parameters(&[#(#parameters),*])));
    }
    if operation.body.as_ref().is_some_and(|body| body.required) {
        parts.push(quote!(.body_required()));
    }
    for (name, answer) in [("success", &call.success), ("errors", &call.error)] {
        if !answer.forms.is_empty() {
            let (name, forms) = (ident(name), answer.write_forms());
            parts.push(quote!(.#name(#forms)));
        }
    }
    if !call.security.is_empty() {
        let alternatives = call.security.iter().map(|schemes| {
            let schemes = schemes.iter().map(|position| length(*position));
            quote!(&[#(#schemes),*])
        });
        parts.push(quote!(.security(&[#(#alternatives),*])));
    }
    if operation.channel {
        parts.push(quote!(.channel()));
    }
    if operation.extensions.rate_limit_cost == 0 {
        parts.push(quote!(.free()));
    }
    quote!(#(#parts)*)
}

fn write_parameter(setter: &Setter) -> TokenStream {
    let name = &setter.wire;
    let location = ident(match setter.kind {
        ParameterKind::Path => "path",
        ParameterKind::Query => "query",
        ParameterKind::RequestHeader | ParameterKind::ResponseHeader => "header",
        ParameterKind::Cookie => "cookie",
    });
    let encoding = match setter.encoding {
        Encoding::Json => quote!(.json()),
        Encoding::Style { .. } if setter.is_plain() => TokenStream::new(),
        Encoding::Style { style, explode, .. } => write_style(style, explode),
    };
    let reserved = match setter.encoding {
        Encoding::Style {
            allow_reserved: true,
            ..
        } => quote!(.allow_reserved()),
        _ => TokenStream::new(),
    };
    let required =
        (setter.required && setter.kind != ParameterKind::Path).then(|| quote!(.required()));
    quote!(spec_client::Parameter::#location(#name) #encoding #reserved #required)
}

fn write_style(style: ParameterStyle, explode: bool) -> TokenStream {
    let style = spell_style(style);
    quote!(.style(#style, #explode))
}

fn write_setter(position: usize, setter: &Setter) -> TokenStream {
    let text = match setter.docs.trim() {
        "" => format!("Sets {}.", code(&setter.wire)),
        docs => docs.to_owned(),
    };
    let (docs, name, ty) = (docs(&text), ident(&setter.name), spell(&setter.ty));
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
    let operation = call.operation;
    let (error, read_error) = (call.error.reader.spell(), call.error.reader.function());
    if operation.channel {
        let text = format!(
            " Sends `{} {}` and upgrades the connection.",
            operation.method, operation.path
        );
        return quote! {
            #[doc = #text]
            pub async fn send(
                self,
            ) -> Result<spec_client::ResponseValue<spec_client::reqwest::Upgraded>, spec_client::Error<#error>> {
                self.call.upgrade(#read_error).await
            }
        };
    }
    let (success, read_success) = (call.success.reader.spell(), call.success.reader.function());
    let text = format!(" Sends `{} {}`.", operation.method, operation.path);
    quote! {
        #[doc = #text]
        pub async fn send(
            self,
        ) -> Result<spec_client::ResponseValue<#success>, spec_client::Error<#error>> {
            self.call.send(#read_success, #read_error).await
        }
    }
}

fn write_stream(call: &Call<'_>) -> Option<TokenStream> {
    let pages = call.pages.as_ref()?;
    let (item, items, next) = (spell(&pages.item), ident(&pages.items), ident(&pages.next));
    let (page, error) = (call.success.reader.spell(), call.error.reader.spell());
    let (read_success, read_error) = (call.success.reader.function(), call.error.reader.function());
    Some(quote! {
        /// Every item from the requested page on, as long as there is a next page. An error ends the stream.
        pub fn stream(
            self,
        ) -> spec_client::futures::stream::BoxStream<'a, Result<#item, spec_client::Error<#error>>> {
            self.call.stream(#read_success, #read_error, |page: #page| (page.#items, page.#next))
        }
    })
}
