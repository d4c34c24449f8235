//! `client.rs`: the client itself.

use proc_macro2::TokenStream;
use quote::quote;

use crate::client::calls::ClientPlan;
use crate::client::client_builder;
use crate::client::security::Scheme;
use crate::source::{docs, docs_verbatim, ident};

/// What the documentation of a client says of retries.
const RETRIES: &str = "
# Retries

Calls are sent again by [`RetryPolicy`]: after a 429 or 503, and after a failed or lost connection, if that is safe. \
[`Client::with_retries`] sets another policy, for one call or for many:

```ignore
client.with_retries(RetryPolicy::off());
client.with_retries(RetryPolicy { max_attempts: 3, ..RetryPolicy::default() });
```";

/// Writes the client and the list of its modules.
pub(super) fn render(plan: &ClientPlan<'_>, modules: &[&str]) -> TokenStream {
    let api = plan.api;
    let credentials = if plan.schemes.is_empty() {
        ""
    } else {
        "\n\nThe methods `with_…` set credentials. A client that has some of them, but not all that an operation requires, \
             sends nothing, and the call fails with `Error::InvalidRequest`."
    };
    let about = docs(&format!(
        "A client of {}, version {}.\n\n{}{credentials}",
        api.title, plan.version, api.description
    ));
    let retries = docs_verbatim(RETRIES);
    let modules = modules.iter().map(|name| {
        let docs = match *name {
            "types" => " The types of the document.",
            "responses" => " Responses with several statuses or media types.",
            _ => " Bodies with several media types, and the parts of multipart bodies.",
        };
        let name = ident(name);
        quote!(#[doc = #docs] pub mod #name;)
    });
    let credentials = plan.schemes.iter().map(Scheme::write_method);
    let credential_methods = plan.schemes.iter().map(|scheme| &scheme.method);
    let version = plan.version;
    let constructors = client_builder::write_constructors(plan);
    quote! {
        //! The client: a method and a builder for each operation.

        /// Requests, one type for each operation.
        pub mod builder;
        #(#modules)*

        mod client_builder;

        pub use client_builder::ClientBuilder;
        pub use dropspec_client::{
            ByteStream, Clock, Error, ErrorResponse, Exchange, File, ResponseValue, RetryEvent, RetryPolicy,
            SettingsError, UnexpectedResponse,
        };

        #about
        #retries
        #[derive(Clone, Debug)]
        pub struct Client {
            pub(crate) baseurl: String,
            pub(crate) client: dropspec_client::reqwest::Client,
            pub(crate) credentials: dropspec_client::Credentials,
            pub(crate) sender: dropspec_client::Sender,
        }

        impl Client {
            #constructors
            #(#credentials)*
        }

        impl dropspec_client::Transport for Client {
            const VERSION: &'static str = #version;
            const CREDENTIAL_METHODS: &'static [&'static str] = &[#(#credential_methods),*];

            fn base_url(&self) -> &str {
                &self.baseurl
            }

            fn credentials(&self) -> &dropspec_client::Credentials {
                &self.credentials
            }

            fn retries(&self) -> bool {
                self.sender.retries()
            }

            async fn execute(
                &self,
                request: dropspec_client::reqwest::Request,
                outgoing: &dropspec_client::Outgoing,
            ) -> Result<dropspec_client::reqwest::Response, Error> {
                let send = |request| self.client.execute(request);
                outgoing.send(&self.sender, request, send).await
            }
        }
    }
}
