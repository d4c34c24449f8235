//! Removes from errors what their URLs may say of credentials: the query, user and password.

use progenitor_client::Error;
use reqwest::{Body, Response, ResponseBuilderExt, Url};

/// The error without what may be secret in its URL. Its text still says where the request went.
pub(crate) fn redact<E>(error: Error<E>) -> Error<E> {
    match error {
        Error::CommunicationError(error) => Error::CommunicationError(redact_cause(error)),
        Error::InvalidUpgrade(error) => Error::InvalidUpgrade(redact_cause(error)),
        Error::ResponseBodyError(error) => Error::ResponseBodyError(redact_cause(error)),
        Error::UnexpectedResponse(response) => Error::UnexpectedResponse(redact_response(response)),
        other => other,
    }
}

fn redact_cause(mut error: reqwest::Error) -> reqwest::Error {
    if let Some(url) = error.url_mut() {
        redact_url(url);
    }
    error
}

fn redact_response(response: Response) -> Response {
    let mut url = response.url().clone();
    redact_url(&mut url);
    let (mut parts, body) = http::Response::<Body>::from(response).into_parts();
    // reqwest takes the URL from the extensions.
    let with_url = http::Response::builder().url(url).body(());
    let extensions = with_url.map(|it| it.into_parts().0.extensions);
    parts.extensions.extend(extensions.unwrap_or_default());
    http::Response::from_parts(parts, body).into()
}

fn redact_url(url: &mut Url) {
    url.set_query(None);
    // These fail for URLs that have no host, and so no user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}
