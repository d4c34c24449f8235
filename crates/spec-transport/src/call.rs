//! What is special about a call, and how it ends.

use reqwest::{Response, StatusCode};
use tracing::Span;

use crate::buffered_response::BufferedResponse;
use crate::retry::Unavailable;
use crate::retry_event::RetryEvent;

/// The text of an error for [`Sent::OutcomeUnknown`].
pub const OUTCOME_UNKNOWN: &str = "the record changed, perhaps by an earlier attempt of this request whose response was lost; \
                                   read it to find out";

/// What the client knows of a call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The operation, such as `list_pets`.
    pub operation: &'static str,
    /// Whether the operation costs nothing, so that it also succeeds when a rate limit is used up.
    pub is_free: bool,
    /// Which responses are read before they are returned.
    pub reading: Reading,
    /// What a 503 says.
    pub unavailable: Unavailable,
    /// Reads the code of an error from its status and body. Retries know the codes of the gate.
    pub read_code: fn(StatusCode, &[u8]) -> Option<String>,
    /// The span whose field `attempts` is recorded.
    pub span: &'c Span,
    /// Logs that the call waits.
    pub log: fn(&RetryEvent),
}

/// Which responses are read to their end, so that a request whose response breaks off can be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// All.
    All,
    /// Errors. The body of a success is a stream of the caller; no attempt has a time limit, since it would end the stream.
    Errors,
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
