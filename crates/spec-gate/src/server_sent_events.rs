//! The format of server-sent events (HTML Living Standard, section 9.2), for the page of the operator and the streams of requests.

use bytes::Bytes;

/// The media type.
pub const MEDIA_TYPE: &str = "text/event-stream";

/// What keeps a connection open while there is no event.
pub const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// Writes an event. `data` is JSON, so it has no line breaks.
pub fn event(name: &str, data: impl std::fmt::Display) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}
