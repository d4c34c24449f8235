//! The service's error in the body of a response.

use reqwest::Response;
use spec_transport::{BufferedResponse, body_of};

use crate::types;

/// The service's error in the body of a response that was sent with [`Transport`](crate::Transport).
pub(crate) fn read_service_error(response: &Response) -> Option<types::Error> {
    serde_json::from_slice(body_of(response)?).ok()
}

/// If a response is an error whose body is not an `Error` object of the service (for example a proxy's page), returns a
/// copy of it with its body; otherwise `None`.
pub(crate) fn copy_foreign_error(response: &Response) -> Option<Response> {
    let copy = BufferedResponse::copy(response)?;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let is_foreign = is_error && read_service_error(response).is_none();
    is_foreign.then(|| copy.into_response())
}
