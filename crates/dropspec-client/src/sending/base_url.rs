//! The base URL of a service.

/// Checks that the paths of operations can be appended to a base URL.
///
/// Without a host, the first segment of each path would become the host, and would receive the credentials.
///
/// # Errors
/// They cannot. The text says what to write.
pub fn check_base_url(base_url: &str) -> Result<reqwest::Url, String> {
    const EXAMPLE: &str = "such as http://127.0.0.1:8080";
    let invalid = |problem: &str| Err(format!("the base URL is not valid: {problem}"));
    if base_url.is_empty() {
        return Err(format!(
            "the base URL is empty: write the address of the service, {EXAMPLE}"
        ));
    }
    // `localhost:8080` would be a URL with the scheme `localhost`.
    let has_scheme = base_url.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.chars().all(|c| c.is_ascii_alphabetic())
            && !rest.starts_with(|c: char| c.is_ascii_digit())
    });
    if !has_scheme {
        return Err(format!(
            "the base URL `{base_url}` has no scheme: write `http://{base_url}` or `https://{base_url}`"
        ));
    }
    if base_url.contains(['?', '#']) {
        return invalid(&format!(
            "it has a query or a fragment, so no path can be appended; write only scheme, host and port, {EXAMPLE}"
        ));
    }
    match reqwest::Url::parse(&format!("{base_url}/")) {
        Err(error) => invalid(&format!("{error}; write it {EXAMPLE}")),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => invalid(&format!(
            "its scheme is `{}`; begin it with http:// or https://",
            url.scheme()
        )),
        Ok(url) if cfg!(not(feature = "tls")) && url.scheme() == "https" => {
            invalid("https needs the feature `tls` of the client")
        }
        Ok(url) => Ok(url),
    }
}
