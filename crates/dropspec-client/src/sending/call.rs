//! What is special about a call, and how it ends.

use reqwest::{Response, StatusCode};

use crate::answer::read_code;
use crate::sending::buffered_response::BufferedResponse;
use crate::sending::retry::{API_KEY_BANNED, PRECONDITION_FAILED};

/// The text of an error for [`Sent::OutcomeUnknown`].
pub const OUTCOME_UNKNOWN: &str = "the record changed, perhaps by an earlier attempt of this request whose response was lost; \
                                   read it to find out";

/// What the client knows of a call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The operation, such as `list_pets`.
    pub operation: &'static str,
    /// Whether the operation costs nothing, so that it also succeeds when a rate limit is used up.
    pub is_free: bool,
    /// Whether the body of a success is a stream of the caller. It is not read, and no attempt has a time limit, which would end
    /// the stream. All other responses are read to their end, so that a request whose response breaks off can be sent again.
    pub streams_response: bool,
    /// Whether the service is behind the gate: a 503 is sent before any change, and the codes of errors are the gate's. A 503 of
    /// another service is like a lost connection.
    pub is_gate: bool,
}

impl Call {
    /// The code of an error that retries know.
    pub(crate) fn code_of(&self, status: StatusCode, body: &[u8]) -> Option<String> {
        match status {
            // Other services have other codes. Of their 429s, only a ban is special.
            StatusCode::PRECONDITION_FAILED if !self.is_gate => {
                Some(PRECONDITION_FAILED.to_owned())
            }
            StatusCode::TOO_MANY_REQUESTS if !self.is_gate => {
                read_code(body).filter(|code| code == API_KEY_BANNED)
            }
            _ => read_code(body),
        }
    }
}

/// The end of a call.
#[derive(Debug)]
pub enum Sent {
    /// The response of the last attempt.
    Response(Response),
    /// The 404 of a repeated `DELETE`: an earlier attempt had deleted the record.
    Deleted(BufferedResponse),
    /// The 412 of a repeated request: the record changed, perhaps by an earlier attempt.
    OutcomeUnknown(BufferedResponse),
    /// No response, and every further attempt would end the same way. The text says what to correct.
    Hopeless(String),
    /// No response after all attempts. The text says why, how often and for how long it was tried, and whether a change may
    /// have been made.
    Exhausted(String),
}
