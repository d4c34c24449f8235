//! Removes from errors what their URLs may say of credentials: the query, user and password.

use reqwest::Url;

use crate::error::Error;

/// The error without what may be secret in its URL. Its text still says where the request went.
pub(crate) fn redact<E>(error: Error<E>) -> Error<E> {
    match error {
        Error::CommunicationError(error) => Error::CommunicationError(redact_cause(error)),
        Error::InvalidUpgrade(error) => Error::InvalidUpgrade(redact_cause(error)),
        Error::ResponseBodyError(error) => Error::ResponseBodyError(redact_cause(error)),
        other => other,
    }
}

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
