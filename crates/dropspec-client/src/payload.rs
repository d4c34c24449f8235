//! The body of a response, before it is a type.

use bytes::Bytes;
use progenitor_client::ByteStream;
use reqwest::StatusCode;
use serde::de::{DeserializeOwned, Error};

use crate::item_stream::{ItemSource, ItemStream};

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
    /// To be read by the caller, item by item.
    Items(ItemSource),
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

    fn into_full_body(self) -> Bytes {
        match self.body {
            ReceivedBody::Full(bytes) => bytes,
            // Only bytes and items are streamed, and those are not read in another way.
            ReceivedBody::Stream(_) | ReceivedBody::Items(_) => Bytes::new(),
        }
    }
}

/// Reads a body as JSON.
///
/// # Errors
/// It is not JSON, or not a `T`.
pub fn json<T: DeserializeOwned>(payload: Payload) -> Result<T, PayloadError> {
    let body = payload.into_full_body();
    serde_json::from_slice(&body).map_err(|error| PayloadError { body, error })
}

/// Reads a body as text.
///
/// # Errors
/// It is not UTF-8.
pub fn text(payload: Payload) -> Result<String, PayloadError> {
    let body = payload.into_full_body();
    match std::str::from_utf8(&body) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(PayloadError {
            error: serde_json::Error::custom(error),
            body,
        }),
    }
}

/// Reads a body as bytes.
pub fn bytes(payload: Payload) -> Result<Bytes, PayloadError> {
    Ok(payload.into_full_body())
}

/// Gives a body as a stream of bytes.
pub fn stream(payload: Payload) -> Result<ByteStream, PayloadError> {
    Ok(match payload.body {
        ReceivedBody::Stream(stream) => stream,
        full => {
            let bytes = Payload {
                body: full,
                ..payload
            }
            .into_full_body();
            ByteStream::new(Box::pin(futures::stream::once(async { Ok(bytes) })))
        }
    })
}

/// Gives a body as a stream of items.
pub fn items<T>(payload: Payload) -> Result<ItemStream<T>, PayloadError>
where
    T: DeserializeOwned + Send + 'static,
{
    Ok(match payload.body {
        ReceivedBody::Items(source) => ItemStream::new(source),
        // Such a body is always to be read by the caller.
        ReceivedBody::Full(_) | ReceivedBody::Stream(_) => ItemStream::empty(),
    })
}

/// Ignores a body.
pub fn empty(_: Payload) -> Result<(), PayloadError> {
    Ok(())
}
