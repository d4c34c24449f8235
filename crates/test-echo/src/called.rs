//! What the client returned, as JSON.

use futures::TryStreamExt;
use serde::Serialize;
use serde_json::Value;
use spec_client::{ByteStream, Bytes, Error};

/// A response as the client returned it.
#[derive(Debug)]
pub struct Called {
    /// The status.
    pub status: u16,
    /// Whether it was an `Err`.
    pub is_error: bool,
    /// The body as the type of the client has it.
    pub body: Shown,
}

/// The body of a response as the client's type has it.
#[derive(Debug, PartialEq)]
pub enum Shown {
    /// None, or one that the client does not read.
    Nothing,
    /// A type, or a text as a JSON string.
    Value(Value),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Shown {
    /// A type of the document, or a text.
    ///
    /// # Errors
    ///
    /// It cannot be written as JSON.
    pub fn json(value: &impl Serialize) -> Result<Shown, String> {
        let value = serde_json::to_value(value);
        value
            .map(Shown::Value)
            .map_err(|error| format!("the client's response cannot be written: {error}"))
    }

    /// Bytes.
    #[must_use]
    pub fn bytes(bytes: &Bytes) -> Shown {
        Shown::Bytes(bytes.to_vec())
    }

    /// A stream of bytes, read to its end.
    ///
    /// # Errors
    ///
    /// The stream breaks off.
    pub async fn stream(stream: ByteStream) -> Result<Shown, String> {
        let chunks: Result<Vec<Bytes>, _> = stream.into_inner().try_collect().await;
        let chunks = chunks.map_err(|error| format!("the stream breaks off: {error}"))?;
        Ok(Shown::Bytes(chunks.concat()))
    }
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
