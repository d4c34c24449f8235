//! Reads the body of a request within its bounds of size and time. What the
//! bytes mean is decided elsewhere.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use dropshot::Body;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body_util::BodyExt;
use petstore_api::ErrorCode;
use petstore_api::types::Error;
use tokio::time::{Instant, timeout_at};

use crate::error;

/// The largest body that an operation takes, in bytes.
pub const LARGEST: usize = 64 * 1024;

/// How much of a body that is too large is read and thrown away. A client that
/// is still sending when the connection closes would lose the answer.
const DISCARDED: usize = 1024 * 1024;

/// Reads a body of at most [`LARGEST`] bytes that arrives within `patience`.
///
/// # Errors
///
/// `body_too_large`; `request_timeout`; `malformed_request` when the body breaks
/// off or is framed badly.
pub async fn read(headers: &HeaderMap, mut body: Body, patience: Duration) -> Result<Bytes, Error> {
    let deadline = Instant::now() + patience;
    let mut collected = BytesMut::new();
    let mut seen: usize = 0;
    if declared_length(headers).is_some_and(|length| length > LARGEST + DISCARDED) {
        return Err(too_large());
    }
    loop {
        let Ok(frame) = timeout_at(deadline, body.frame()).await else {
            return Err(if seen > LARGEST {
                too_large()
            } else {
                too_slow(patience)
            });
        };
        let data = match frame {
            None if seen > LARGEST => return Err(too_large()),
            None => return Ok(collected.freeze()),
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            Some(Err(_)) => {
                return Err(error::of(
                    ErrorCode::MalformedRequest,
                    "the body broke off before its end".to_owned(),
                ));
            }
        };
        seen = seen.saturating_add(data.len());
        if seen > LARGEST + DISCARDED {
            return Err(too_large());
        }
        if seen <= LARGEST {
            collected.extend_from_slice(&data);
        }
    }
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large() -> Error {
    error::of(
        ErrorCode::BodyTooLarge,
        format!("the body is larger than {LARGEST} bytes"),
    )
}

fn too_slow(patience: Duration) -> Error {
    error::of(
        ErrorCode::RequestTimeout,
        format!(
            "the body was not received within {} seconds",
            patience.as_secs_f32()
        ),
    )
}
