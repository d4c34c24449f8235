//! The body of a response, before it is a type.

use bytes::Bytes;
use progenitor_client::ByteStream;
use reqwest::StatusCode;
use serde::de::{DeserializeOwned, Error};

/// The body of a response that the document declares.
pub struct Payload {
    pub(crate) response_index: usize,
    pub(crate) status: StatusCode,
    pub(crate) body: ReceivedBody,
}

/// The body of a response, as the document declares it.
pub(crate) enum ReceivedBody {
    /// Read to its end.
    Full(Bytes),
    /// To be read by the caller.
    Stream(ByteStream),
}

/// The error when a body is not what the document declares. It has the body.
#[derive(Debug)]
pub struct PayloadError {
    pub(crate) body: Bytes,
    pub(crate) error: serde_json::Error,
}

impl Payload {
    /// The index of its response in the list of successes or errors of the operation.
    pub fn response_index(&self) -> usize {
        self.response_index
    }

    /// The status of the response.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    fn full(self) -> Bytes {
        match self.body {
            ReceivedBody::Full(bytes) => bytes,
            // Only bytes are streamed, and those are not read in another way.
            ReceivedBody::Stream(_) => Bytes::new(),
        }
    }
}

/// Reads a body as JSON.
///
/// # Errors
/// It is not JSON, or not a `T`.
pub fn json<T: DeserializeOwned>(payload: Payload) -> Result<T, PayloadError> {
    let body = payload.full();
    serde_json::from_slice(&body).map_err(|error| PayloadError { body, error })
}

/// Reads a body as text.
///
/// # Errors
/// It is not UTF-8.
pub fn text(payload: Payload) -> Result<String, PayloadError> {
    let body = payload.full();
    match std::str::from_utf8(&body) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(PayloadError {
            error: serde_json::Error::custom(error),
            body,
        }),
    }
}

/// Reads a body as bytes.
///
/// # Errors
/// None; it has the type of all functions that read a body.
pub fn bytes(payload: Payload) -> Result<Bytes, PayloadError> {
    Ok(payload.full())
}

/// Gives a body as a stream of bytes.
///
/// # Errors
/// None; it has the type of all functions that read a body.
pub fn stream(payload: Payload) -> Result<ByteStream, PayloadError> {
    Ok(match payload.body {
        ReceivedBody::Stream(stream) => stream,
        ReceivedBody::Full(bytes) => {
            ByteStream::new(Box::pin(futures::stream::once(async { Ok(bytes) })))
        }
    })
}

/// Ignores a body.
///
/// # Errors
/// None; it has the type of all functions that read a body.
pub fn empty(_: Payload) -> Result<(), PayloadError> {
    Ok(())
}
