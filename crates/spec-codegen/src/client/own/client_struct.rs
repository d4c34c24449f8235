//! `client.rs`: the client itself.

use proc_macro2::TokenStream;
use quote::quote;

use crate::client::own::calls::ClientPlan;
use crate::client::own::security;
use crate::source::{docs, ident};

/// Writes the client and the list of its modules.
pub(super) fn render(plan: &ClientPlan<'_>, modules: &[&str]) -> TokenStream {
    let api = plan.api;
    let credentials = match plan.schemes.is_empty() {
        true => "",
        false => {
            "\n\nThe methods `with_…` set credentials. A client that has some of them, but not all that an operation requires, \
             sends nothing, and the call fails with `Error::InvalidRequest`."
        }
    };
    let about = docs(&format!(
        "A client of {}, version {}.\n\n{}{credentials}",
        api.title, plan.version, api.description
    ));
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
    let credentials = schemes.map(|(position, scheme)| security::write_method(position, scheme));
    let credential_methods = plan.schemes.iter().map(|scheme| &scheme.method);
    let version = plan.version;
    let state: Option<TokenStream> = plan.state.map(|state| state.parse().unwrap_or_default());
    let state_type = state.clone().unwrap_or(quote!(()));
    let (field, inner, hooks) = match &state {
        Some(state) => (quote!(pub(crate) inner: #state,), quote!(&self.inner), None),
        None => (
            TokenStream::new(),
            quote!(&()),
            Some(quote!(impl ClientHooks for &Client {})),
        ),
    };
    let constructors = state.is_none().then(|| write_constructors(plan));
    quote! {
        //! The client: a method and a builder for each operation.

        /// Requests, one type for each operation.
        pub mod builder;
        #(#modules)*

        pub use spec_client::{
            ByteStream, ClientHooks, ClientInfo, Error, ErrorResponse, File, ResponseValue,
            UnexpectedResponse,
        };

        #about
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

            async fn execute(
                &self,
                mut request: spec_client::reqwest::Request,
                info: &spec_client::OperationInfo,
            ) -> Result<spec_client::reqwest::Response, Error> {
                self.pre::<()>(&mut request, info).await?;
                let result = self.exec(request, info).await;
                self.post::<()>(&result, info).await?;
                Ok(result?)
            }
        }
    }
}

fn write_constructors(plan: &ClientPlan<'_>) -> TokenStream {
    // A redirection that the document declares is the response to read.
    let (redirects, followed) = match plan.redirects {
        true => (
            quote!(spec_client::reqwest::redirect::Policy::none()),
            "It follows no redirects.",
        ),
        false => (
            quote!(spec_client::same_origin_redirects()),
            "It follows redirects within the origin of the URL only.",
        ),
    };
    let about = format!(
        " Creates a client for the service at a URL such as `https://example.com/v1`. It waits 15 seconds for a connection, and 60 seconds for each part of a response. {followed}"
    );
    quote! {
        #[doc = #about]
        ///
        /// # Panics
        ///
        /// The system offers no TLS. With [`Self::new_with_client`] the caller decides about that.
        pub fn new(baseurl: &str) -> Self {
            let client = spec_client::reqwest::Client::builder()
                .connect_timeout(std::time::Duration::from_secs(15))
                .read_timeout(std::time::Duration::from_secs(60))
                .redirect(#redirects)
                .build()
                .expect("a client without settings of its own");
            Self::new_with_client(baseurl, client)
        }

        /// Creates a client that sends its requests with another one. Let that follow redirects with
        /// [`spec_client::same_origin_redirects`] at most: others would send the credentials to other hosts.
        pub fn new_with_client(baseurl: &str, client: spec_client::reqwest::Client) -> Self {
            Self {
                baseurl: baseurl.to_owned(),
                client,
                credentials: spec_client::Credentials::default(),
            }
        }
    }
}
