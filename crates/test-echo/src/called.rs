//! What the client returned for a call.

use dropspec_client::Error;

use crate::body::Body;

/// A response as the client returned it.
#[derive(Debug)]
pub struct Called {
    /// The status.
    pub status: u16,
    /// Whether it was an `Err`.
    pub is_error: bool,
    /// The body as the type of the client has it.
    pub body: Body,
}

/// An error of a call that is not a declared response.
pub fn describe<E>(error: Error<E>) -> String {
    match error {
        Error::InvalidRequest(text) => format!("{REFUSED}{text}"),
        Error::InvalidResponsePayload(bytes, error) => {
            let body = String::from_utf8_lossy(&bytes);
            format!("the client cannot read the body {body}: {error}")
        }
        other => other.to_string(),
    }
}

/// How the description of a request begins that the client refuses to send.
pub(crate) const REFUSED: &str = "the client refuses the request: ";
