//! The base URL of a service.

use thiserror::Error;

/// Why the paths of operations cannot be appended to a base URL, and what to write.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BaseUrlError {
    /// Nothing is given.
    #[error(
        "the base URL is empty: write the address of the service, such as http://127.0.0.1:8080"
    )]
    Empty,
    /// It begins with the host.
    #[error("the base URL `{0}` has no scheme: write `http://{0}` or `https://{0}`")]
    NoScheme(String),
    /// It has a query or a fragment.
    #[error(
        "the base URL is not valid: it has a query or a fragment, so no path can be appended; write only scheme, host and \
         port, such as http://127.0.0.1:8080"
    )]
    Query,
    /// It is no URL.
    #[error("the base URL is not valid: {0}; write it such as http://127.0.0.1:8080")]
    NoUrl(String),
    /// Its scheme is not HTTP.
    #[error("the base URL is not valid: its scheme is `{0}`; begin it with http:// or https://")]
    Scheme(String),
    /// The client was compiled without TLS.
    #[error("the base URL is not valid: https needs the feature `tls` of the client")]
    NoTls,
    /// It has a user name or a password.
    #[error(
        "the base URL is not valid: it has a user name or a password; remove them: credentials have settings of their own"
    )]
    UserInfo,
}

/// Checks that the paths of operations can be appended to a base URL.
///
/// Without a host, the first segment of each path would become the host, and would receive the credentials.
///
/// # Errors
/// They cannot.
pub fn check_base_url(base_url: &str) -> Result<(), BaseUrlError> {
    if base_url.is_empty() {
        return Err(BaseUrlError::Empty);
    }
    // `localhost:8080` would be a URL with the scheme `localhost`.
    let has_scheme = base_url.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.chars().all(|c| c.is_ascii_alphabetic())
            && !rest.starts_with(|c: char| c.is_ascii_digit())
    });
    if !has_scheme {
        return Err(BaseUrlError::NoScheme(base_url.to_owned()));
    }
    if base_url.contains(['?', '#']) {
        return Err(BaseUrlError::Query);
    }
    let url = reqwest::Url::parse(&format!("{base_url}/"))
        .map_err(|error| BaseUrlError::NoUrl(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BaseUrlError::Scheme(url.scheme().to_owned()));
    }
    if cfg!(not(feature = "tls")) && url.scheme() == "https" {
        return Err(BaseUrlError::NoTls);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BaseUrlError::UserInfo);
    }
    Ok(())
}
