//! `client.rs`: the client itself.

use proc_macro2::TokenStream;
use quote::quote;

use crate::client::own::calls::ClientPlan;
use crate::client::own::client_builder;
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

/// What differs between a client that is ready to use and one with a layer by hand.
struct Layer {
    field: TokenStream,
    inner: TokenStream,
    hooks: TokenStream,
    retries: TokenStream,
    send: TokenStream,
    exports: TokenStream,
}

impl Layer {
    fn new(state: Option<&TokenStream>) -> Layer {
        match state {
            Some(state) => Layer {
                field: quote!(pub(crate) inner: #state,),
                inner: quote!(&self.inner),
                hooks: TokenStream::new(),
                retries: TokenStream::new(),
                send: quote!(let result = self.exec(request, &info).await;),
                exports: TokenStream::new(),
            },
            None => Layer {
                field: quote!(pub(crate) sender: spec_client::Sender,),
                inner: quote!(&()),
                hooks: quote!(impl ClientHooks for &Client {}),
                retries: quote! {
                    fn retries(&self) -> bool {
                        self.sender.retries()
                    }
                },
                send: quote! {
                    let execute = |request| self.exec(request, &info);
                    let result = outgoing.send(&self.sender, request, execute).await?;
                },
                exports: quote! {
                    mod client_builder;

                    pub use client_builder::ClientBuilder;
                    pub use spec_client::{Clock, Exchange, RetryEvent, RetryPolicy, SettingsError};
                },
            },
        }
    }
}

/// Writes the client and the list of its modules.
pub(super) fn render(plan: &ClientPlan<'_>, modules: &[&str]) -> TokenStream {
    let api = plan.api;
    let credentials = if plan.schemes.is_empty() {
        ""
    } else {
        "\n\nThe methods `with_…` set credentials. A client that has some of them, but not all that an operation requires, \
             sends nothing, and the call fails with `Error::InvalidRequest`."
    };
    let has_sender = plan.state.is_none();
    let about = docs(&format!(
        "A client of {}, version {}.\n\n{}{credentials}",
        api.title, plan.version, api.description
    ));
    let retries_docs = has_sender.then(|| docs_verbatim(RETRIES));
    let modules = modules.iter().map(|name| {
        let docs = match *name {
            "types" => " The types of the document.",
            "responses" => " Responses with several statuses or media types.",
            _ => " Bodies with several media types, and the parts of multipart bodies.",
        };
        let name = ident(name);
        quote!(#[doc = #docs] pub mod #name;)
    });
    let schemes = plan.schemes.iter().enumerate();
    let credentials = schemes.map(|(position, scheme)| scheme.write_method(position, has_sender));
    let credential_methods = plan.schemes.iter().map(|scheme| &scheme.method);
    let version = plan.version;
    let state: Option<TokenStream> = plan.state.map(|state| state.parse().unwrap_or_default());
    let state_type = state.clone().unwrap_or(quote!(()));
    // A layer has a state of its own, and sends requests as it likes.
    let layer = Layer::new(state.as_ref());
    let Layer {
        field,
        inner,
        hooks,
        retries,
        send,
        exports,
    } = layer;
    let constructors = has_sender.then(|| client_builder::write_constructors(plan));
    quote! {
        //! The client: a method and a builder for each operation.

        /// Requests, one type for each operation.
        pub mod builder;
        #(#modules)*

        #exports
        pub use spec_client::{
            ByteStream, ClientHooks, ClientInfo, Error, ErrorResponse, File, ResponseValue,
            UnexpectedResponse,
        };

        #about
        #retries_docs
        #[derive(Clone, Debug)]
        pub struct Client {
            pub(crate) baseurl: String,
            pub(crate) client: spec_client::reqwest::Client,
            pub(crate) credentials: spec_client::Credentials,
            #field
        }

        impl Client {
            #constructors
            #(#credentials)*
        }

        impl ClientInfo<#state_type> for Client {
            fn api_version() -> &'static str {
                #version
            }

            fn baseurl(&self) -> &str {
                &self.baseurl
            }

            fn client(&self) -> &spec_client::reqwest::Client {
                &self.client
            }

            fn inner(&self) -> &#state_type {
                #inner
            }
        }

        #hooks

        impl spec_client::Transport for Client {
            const VERSION: &'static str = #version;
            const CREDENTIAL_METHODS: &'static [&'static str] = &[#(#credential_methods),*];

            fn base_url(&self) -> &str {
                &self.baseurl
            }

            fn credentials(&self) -> &spec_client::Credentials {
                &self.credentials
            }

            #retries

            async fn execute(
                &self,
                mut request: spec_client::reqwest::Request,
                outgoing: &spec_client::Outgoing,
            ) -> Result<spec_client::reqwest::Response, Error> {
                let info = outgoing.info();
                self.pre::<()>(&mut request, &info).await?;
                #send
                self.post::<()>(&result, &info).await?;
                Ok(result?)
            }
        }
    }
}
