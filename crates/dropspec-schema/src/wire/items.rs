//! Streams of items (`itemSchema` of OpenAPI 3.2): how each item is written, and the reader of what arrives.

mod reader;

use bytes::Bytes;
pub use reader::ItemReader;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::Framing;
use crate::wire::server_sent_events::{Event, MAX_EVENT};

/// The largest item that is read, in bytes.
pub const MAX_ITEM: usize = MAX_EVENT;

/// What stands before each text of a sequence (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1e;

/// What separates the parts that are written. No JSON has it at the beginning of a line.
const BOUNDARY: &str = "item";

/// An item as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An event, which stands for an object with its fields.
    Event(Event),
    /// JSON.
    Json(Bytes),
}

/// Why no more items can be read.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ItemError {
    /// The body ends before the stream does.
    #[error("the stream ends within an item")]
    Cut,
    /// An item is larger than [`MAX_ITEM`].
    #[error("an item is larger than {MAX_ITEM} bytes")]
    TooLarge,
    /// A body of several parts does not say what separates them.
    #[error("the media type has no `boundary`")]
    NoBoundary,
}

/// The content type of a stream: the media type, with what its reader must know.
pub fn content_type(framing: Framing, media_type: &str) -> String {
    match framing {
        Framing::Parts => format!("multipart/mixed; boundary={BOUNDARY}"),
        _ => media_type.to_owned(),
    }
}

/// What comes before the first item, and after the last one.
pub fn delimiters(framing: Framing) -> (&'static str, &'static str) {
    match framing {
        // A part ends with the delimiter of the next, so that its reader need not wait for that.
        Framing::Parts => ("--item", "--\r\n"),
        _ => ("", ""),
    }
}

/// The items of a body with this content type that was read to its end.
///
/// # Errors
///
/// It is no such body.
pub fn read_all(framing: Framing, content_type: &str, body: &[u8]) -> Result<Vec<Item>, ItemError> {
    let mut reader = ItemReader::new(framing, content_type)?;
    reader.push(body);
    let mut items = Vec::new();
    while let Some(item) = reader.next_item()? {
        items.push(item);
    }
    items.extend(reader.finish()?);
    Ok(items)
}

/// Writes an item.
pub fn write_item(framing: Framing, item: &Value) -> String {
    match framing {
        Framing::Events => Event::of_value(item).to_string(),
        Framing::Lines => format!("{item}\n"),
        Framing::Sequence => format!("{}{item}\n", char::from(RECORD_SEPARATOR)),
        Framing::Parts => {
            format!("\r\nContent-Type: application/json\r\n\r\n{item}\r\n--{BOUNDARY}")
        }
    }
}

impl Item {
    /// Whether it is the event by which some services say that no more follow, though their other data are JSON.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Event(event) if event.data.as_deref() == Some("[DONE]"))
    }

    /// The item as a type. The data of an event are read as JSON if the type takes that, and else as a text.
    ///
    /// # Errors
    ///
    /// It is not JSON, or not a `T`.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        let (value, text) = match self {
            Self::Json(text) => return serde_json::from_slice(text),
            Self::Event(event) => event.to_values(),
        };
        serde_json::from_value(value).or_else(|error| {
            let text = text.and_then(|text| serde_json::from_value(text).ok());
            text.ok_or(error)
        })
    }

    /// The JSON value that the item means; of an event, also the one that its data mean as a text.
    ///
    /// # Errors
    ///
    /// It is not JSON.
    pub fn to_values(&self) -> serde_json::Result<(Value, Option<Value>)> {
        match self {
            Self::Json(text) => serde_json::from_slice(text).map(|value| (value, None)),
            Self::Event(event) => Ok(event.to_values()),
        }
    }

    /// The item as it arrived, for messages.
    pub fn to_bytes(&self) -> Bytes {
        match self {
            Self::Json(text) => text.clone(),
            Self::Event(event) => event.data.clone().unwrap_or_default().into(),
        }
    }
}

#[cfg(test)]
mod tests;
