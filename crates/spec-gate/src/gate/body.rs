//! Reads the body of a request, within limits of size and time. It does not parse it.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use dropshot::Body;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use crate::error::{ErrorKind, GateError};

/// The size of the largest accepted request body, in bytes.
const MAX_BODY: usize = 64 * 1024;

/// How many bytes beyond [`MAX_BODY`] are read and discarded. A client that is still sending when the connection closes
/// would lose the response.
const MAX_DISCARDED: usize = 1024 * 1024;

/// Checks that a request body is not encoded, for example compressed.
///
/// # Errors
///
/// If `Content-Encoding` names another coding than `identity` (RFC 9110, section 8.4).
pub fn check_content_coding(headers: &HeaderMap) -> Result<(), GateError> {
    let lines = headers.get_all(CONTENT_ENCODING).iter();
    let mut codings = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let is_identity = |coding: &[u8]| {
        let coding = coding.trim_ascii();
        coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")
    };
    match codings.all(is_identity) {
        true => Ok(()),
        false => Err(GateError::new(
            ErrorKind::UnsupportedContentCoding,
            "the body must be sent without a Content-Encoding",
        )),
    }
}

/// Reads a request body of at most 64 KiB that arrives within `timeout`.
///
/// # Errors
///
/// If the body is too large, too slow, or broken off.
pub async fn read_body(
    headers: &HeaderMap,
    mut body: Body,
    timeout: Duration,
) -> Result<Bytes, GateError> {
    let deadline = Instant::now() + timeout;
    let mut collected = BytesMut::new();
    let mut seen: usize = 0;
    if declared_length(headers).is_some_and(|length| length > MAX_BODY + MAX_DISCARDED) {
        return Err(too_large());
    }
    loop {
        let Ok(frame) = timeout_at(deadline, body.frame()).await else {
            if seen > MAX_BODY {
                return Err(too_large());
            }
            let seconds = timeout.as_secs_f32();
            return Err(GateError::new(
                ErrorKind::RequestTimeout,
                format!("the body was not received within {seconds} seconds"),
            ));
        };
        let data = match frame {
            None if seen > MAX_BODY => return Err(too_large()),
            None => return Ok(collected.freeze()),
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            Some(Err(_)) => {
                return Err(GateError::new(
                    ErrorKind::MalformedRequest,
                    "the body broke off before its end",
                ));
            }
        };
        seen = seen.saturating_add(data.len());
        if seen > MAX_BODY + MAX_DISCARDED {
            return Err(too_large());
        }
        if seen <= MAX_BODY {
            collected.extend_from_slice(&data);
        }
    }
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large() -> GateError {
    GateError::new(
        ErrorKind::BodyTooLarge,
        format!("the body is larger than {MAX_BODY} bytes"),
    )
}
