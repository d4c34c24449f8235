//! `webhooks.rs`: a function for each webhook that makes its signed request.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Payload, Webhook};
use crate::source::{docs, ident};
use crate::spelling::spell;

/// Writes `webhooks.rs` for at least one webhook.
pub(crate) fn render(webhooks: &[Webhook]) -> TokenStream {
    let functions = webhooks.iter().map(write_function);
    let about = format!(
        "The requests that the service sends to the receivers of its webhooks, signed as \
         [Standard Webhooks](https://www.standardwebhooks.com) defines it. With reqwest, for example:\n\n\
         ```ignore\n\
         let receiver = Receiver {{ url: \"https://example.com/hook\".parse()?, secrets: vec![\"whsec_…\".parse()?] }};\n\
         let message = Message {{ id: \"msg_1\", time: SystemTime::now() }};\n\
         client.execute({}(&receiver, &message, …)?.try_into()?).await?;\n\
         ```",
        webhooks[0].function
    );
    quote! {
        #![doc = #about]

        #(#functions)*
    }
}

fn write_function(webhook: &Webhook) -> TokenStream {
    let (docs, name) = (docs(&webhook.docs), ident(&webhook.function));
    let method = webhook.method;
    let (payload, body) = match &webhook.payload {
        Payload::Empty => (quote!(), quote!(None)),
        Payload::Json(media_type, ty) => {
            let ty = spell(ty);
            let body = quote!(Some((#media_type, serde_json::to_vec(payload)?)));
            (quote!(payload: &#ty), body)
        }
        Payload::Bytes(Some(media_type)) => (
            quote!(payload: impl Into<Vec<u8>>),
            quote!(Some((#media_type, payload.into()))),
        ),
        Payload::Bytes(None) => (quote!(payload: (&str, Vec<u8>)), quote!(Some(payload))),
    };
    quote! {
        #docs
        pub fn #name(
            receiver: &dropspec_runtime::webhook::Receiver,
            message: &dropspec_runtime::webhook::Message<'_>,
            #payload
        ) -> Result<dropspec_runtime::webhook::SignedRequest, dropspec_runtime::webhook::SignError> {
            receiver.request(#method, message, #body)
        }
    }
}
