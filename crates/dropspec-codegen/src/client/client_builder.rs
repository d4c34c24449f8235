//! `client/client_builder.rs`: the settings of the client, and their environment variables.

use std::collections::{BTreeSet, HashSet};

use dropspec_model::base_url_variable;
use proc_macro2::TokenStream;
use quote::quote;

use crate::client::calls::ClientPlan;
use crate::client::security::Scheme;
use crate::source::{docs_verbatim, length};

/// What `from_env` can fail with.
const ENV_ERRORS: &str = "There is no base URL, there are not the credentials that any operation requires, or a value is \
                          invalid. The error names the variable. Without credentials, for public operations, use \
                          `Self::builder().env().build()`.";

/// Writes the builder of the client.
pub(super) fn render(plan: &ClientPlan<'_>) -> TokenStream {
    let base_url = base_url_variable(&plan.variables);
    let variables = plan.schemes.iter().map(Scheme::write_variable);
    let settings = plan.schemes.iter().map(Scheme::write_setting);
    let required = find_required(plan).into_iter().map(|schemes| {
        let schemes = schemes.into_iter().map(length);
        quote!(&[#(#schemes),*])
    });
    let about_variables = docs_verbatim(&format!(
        "Sets base URL and credentials to the values of these environment variables, where they are set: {}.",
        list_variables(plan)
    ));
    let about_url = docs_verbatim(&format!(
        "The address of the service, such as `https://example.com/v1`. The variable is `{base_url}`."
    ));
    let redirects = write_redirects(plan);
    quote! {
        //! The settings of the client.

        const VARIABLES: dropspec_client::Variables = dropspec_client::Variables {
            base_url: #base_url,
            credentials: &[#(#variables),*],
            required: &[#(#required),*],
        };

        /// The settings of a client. Unlike [`Client::new`](crate::client::Client::new), [`build`](Self::build) checks them at once.
        #[derive(Clone, Debug)]
        #[must_use]
        pub struct ClientBuilder {
            settings: dropspec_client::Settings,
            http: Option<dropspec_client::reqwest::Client>,
        }

        impl Default for ClientBuilder {
            fn default() -> Self {
                Self {
                    settings: dropspec_client::Settings::new(&VARIABLES),
                    http: None,
                }
            }
        }

        impl ClientBuilder {
            #about_url
            pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
                self.settings.set_base_url(base_url);
                self
            }

            #(#settings)*

            #about_variables
            pub fn env(mut self) -> Self {
                self.settings.read_environment();
                self
            }

            /// The retry policy; by default [`RetryPolicy::default`](dropspec_client::RetryPolicy::default).
            pub fn retries(mut self, policy: dropspec_client::RetryPolicy) -> Self {
                self.settings.sender.set_policy(policy);
                self
            }

            /// The maximum duration of one attempt, in place of the retry policy's 15 seconds. Calls that send or receive streams have
            /// none.
            pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
                self.settings.sender.set_attempt_timeout(timeout);
                self
            }

            /// An HTTP client of your own; see [`Client::new_with_client`](crate::client::Client::new_with_client).
            pub fn http_client(mut self, client: dropspec_client::reqwest::Client) -> Self {
                self.http = Some(client);
                self
            }

            /// The function that is called before each wait of a call, to log or show why it takes long. It must not block.
            pub fn observer(
                mut self,
                observer: impl Fn(&dropspec_client::RetryEvent) + Send + Sync + 'static,
            ) -> Self {
                self.settings.sender.set_observer(std::sync::Arc::new(observer));
                self
            }

            /// The function that sees each attempt of a call with its response. It must not block.
            pub fn exchange_observer(
                mut self,
                observer: impl Fn(&dropspec_client::Exchange<'_>) + Send + Sync + 'static,
            ) -> Self {
                self.settings.sender.set_exchange_observer(std::sync::Arc::new(observer));
                self
            }

            /// The clock that measures deadlines and waits for retries, for tests.
            pub fn clock(mut self, clock: impl dropspec_client::Clock + 'static) -> Self {
                self.settings.sender.set_clock(std::sync::Arc::new(clock));
                self
            }

            /// The client.
            ///
            /// # Errors
            ///
            /// There is no base URL, or a setting is invalid.
            pub fn build(self) -> Result<crate::Client, dropspec_client::SettingsError> {
                let baseurl = self.settings.check()?;
                let client = self.http.unwrap_or_else(|| dropspec_client::http_client(#redirects));
                Ok(crate::Client {
                    baseurl,
                    client,
                    credentials: self.settings.credentials,
                    sender: self.settings.sender,
                })
            }

            pub(crate) fn with_required_credentials(mut self) -> Self {
                self.settings.require_credentials();
                self
            }
        }
    }
}

/// The environment variables, as a list for people.
pub(super) fn list_variables(plan: &ClientPlan<'_>) -> String {
    let mut variables = vec![base_url_variable(&plan.variables)];
    for scheme in &plan.schemes {
        if !variables.contains(&scheme.variable) {
            variables.push(scheme.variable.clone());
        }
    }
    let variables: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
    variables.join(", ")
}

/// The function that makes the policy of redirects.
pub(super) fn write_redirects(plan: &ClientPlan<'_>) -> TokenStream {
    // A redirection that the document declares is the response to read.
    if plan.redirects {
        quote!(dropspec_client::reqwest::redirect::Policy::none)
    } else {
        quote!(dropspec_client::same_origin_redirects)
    }
}

/// The alternatives of security schemes of the operations that require credentials.
fn find_required(plan: &ClientPlan<'_>) -> Vec<Vec<usize>> {
    let calls = plan.calls.iter();
    let strict = calls.filter(|call| !call.security.iter().any(Vec::is_empty));
    let mut known = HashSet::new();
    let mut required = Vec::new();
    for schemes in strict.flat_map(|call| &call.security) {
        if known.insert(schemes.iter().collect::<BTreeSet<_>>()) {
            required.push(schemes.clone());
        }
    }
    required
}

/// The constructors of the client.
pub(super) fn write_constructors(plan: &ClientPlan<'_>) -> TokenStream {
    let redirects = write_redirects(plan);
    let followed = if plan.redirects {
        "It follows no redirects."
    } else {
        "It follows redirects within the origin of the URL only."
    };
    let about = format!(
        " Creates a client for the service at a URL such as `https://example.com/v1`, which retries by \
         [`RetryPolicy::default`]. It waits 15 seconds for a connection. {followed} Clones are cheap, and share connections and \
         waits. A wrong URL is an error of each call; that of [`Self::builder`] is one at once."
    );
    let about_env = docs_verbatim(&format!(
        "A client by environment variables: {}. A variable that is empty is not set.\n\n# Errors\n\n{ENV_ERRORS}",
        list_variables(plan)
    ));
    quote! {
        #[doc = #about]
        pub fn new(baseurl: &str) -> Self {
            Self::new_with_client(baseurl, dropspec_client::http_client(#redirects))
        }

        /// Creates a client that sends its requests with another one. The retry policy's timeouts replace its timeouts. Let it follow
        /// redirects with [`dropspec_client::same_origin_redirects`] at most: others would send the credentials to other hosts.
        pub fn new_with_client(baseurl: &str, client: dropspec_client::reqwest::Client) -> Self {
            Self {
                baseurl: baseurl.to_owned(),
                client,
                credentials: dropspec_client::Credentials::default(),
                sender: dropspec_client::Sender::default(),
            }
        }

        #about_env
        pub fn from_env() -> Result<Self, SettingsError> {
            Self::builder().env().with_required_credentials().build()
        }

        /// Settings from which a client is built, and checked at once.
        pub fn builder() -> ClientBuilder {
            ClientBuilder::default()
        }

        /// This client with another retry policy, for one call or for many; [`RetryPolicy::off`] disables retries. It shares
        /// connections and waits with this one, and its limit of requests in flight if that is the same.
        #[must_use]
        pub fn with_retries(&self, policy: RetryPolicy) -> Self {
            let mut client = self.clone();
            client.sender.set_policy(policy);
            client
        }

        /// This client with another maximum duration of one attempt; see [`ClientBuilder::timeout`].
        #[must_use]
        pub fn with_timeout(&self, timeout: std::time::Duration) -> Self {
            let mut client = self.clone();
            client.sender.set_attempt_timeout(timeout);
            client
        }
    }
}
