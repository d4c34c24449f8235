//! Removes from errors what their URLs may say of credentials: the query, user and password.

use reqwest::Url;

pub(crate) fn redact_cause(mut error: reqwest::Error) -> reqwest::Error {
    if let Some(url) = error.url_mut() {
        redact_url(url);
    }
    error
}

pub(crate) fn redact_url(url: &mut Url) {
    url.set_query(None);
    // These fail for URLs that have no host, and so no user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}
