//! The end of a call without a response, on its way through the hooks.

use progenitor_client::Error;
use reqwest::Response;

/// The end of a call without a response, as text. It travels from the sending hook to the one that reports it in the
/// extensions of an otherwise empty response: `reqwest::Error` has no place for it.
#[derive(Clone, Debug)]
pub(crate) enum GaveUp {
    Hopeless(String),
    Exhausted(String),
}

impl GaveUp {
    pub(crate) fn into_response(self) -> Response {
        let mut response = http::Response::new("");
        response.extensions_mut().insert(self);
        Response::from(response)
    }

    pub(crate) fn find<E>(response: &Response) -> Option<Error<E>> {
        response.extensions().get().map(|ended| match ended {
            GaveUp::Hopeless(text) => Error::InvalidRequest(text.clone()),
            GaveUp::Exhausted(text) => Error::Custom(text.clone()),
        })
    }
}
