//! The HTTP client of a caller who brings none.

use reqwest::{Client, ClientBuilder};

/// Builds a client with settings that depend on nothing but this machine's certificates. A machine without root certificates
/// can use no https service, but still http.
pub fn build_http_client(settings: impl Fn() -> ClientBuilder) -> Client {
    let built = settings().build();
    #[cfg(feature = "tls")]
    let built = built.or_else(|_| settings().tls_certs_only([]).build());
    built.expect("no setting depends on the machine any more")
}
