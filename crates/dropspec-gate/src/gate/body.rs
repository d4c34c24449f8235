//! Reads the body of a request, or passes it on as a stream, within limits of size and time. It does not parse it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use dropshot::Body;
use dropspec_runtime::Rejection;
use futures::stream;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use tokio::time::{Instant, timeout_at};

use crate::error::{ErrorKind, GateError};

/// How many bytes beyond the limit are read and discarded. A client that is still sending when the connection closes
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
    if codings.all(is_identity) {
        Ok(())
    } else {
        Err(GateError::new(
            ErrorKind::UnsupportedContentCoding,
            "the body must be sent without a Content-Encoding",
        ))
    }
}

/// Reads a request body of at most `limit` bytes that arrives within `timeout`.
pub async fn read_body(
    headers: &HeaderMap,
    mut body: Body,
    limit: usize,
    timeout: Duration,
) -> Result<Bytes, GateError> {
    let deadline = Instant::now() + timeout;
    let mut collected = BytesMut::new();
    let mut seen: usize = 0;
    if declared_length(headers).is_some_and(|length| length > limit + MAX_DISCARDED) {
        return Err(too_large(limit));
    }
    loop {
        let Ok(frame) = timeout_at(deadline, body.frame()).await else {
            if seen > limit {
                return Err(too_large(limit));
            }
            return Err(GateError::new(ErrorKind::RequestTimeout, too_slow(timeout)));
        };
        let data = match frame {
            None if seen > limit => return Err(too_large(limit)),
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
        if seen > limit + MAX_DISCARDED {
            return Err(too_large(limit));
        }
        if seen <= limit {
            collected.extend_from_slice(&data);
        }
    }
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The limit that a body exceeded while the handler read it.
pub type Exceeded = Arc<OnceLock<Rejection>>;

/// Limits a body that the handler reads: to `limit` bytes in all, and to `timeout` for each part. Beyond a limit, the body
/// ends with a [`Rejection`] as its error, which `exceeded` has then as well: dropshot makes a 400 of any error of a body.
pub fn limit_body(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    timeout: Duration,
    exceeded: &Exceeded,
) -> Result<Body, GateError> {
    let exceeded = Arc::clone(exceeded);
    if declared_length(headers).is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    let frames = stream::unfold(Some((body, 0, exceeded)), move |state| async move {
        let (mut body, seen, exceeded) = state?;
        let end_with = |rejection: Rejection| {
            let rejection = exceeded.get_or_init(|| rejection);
            Some((Err(rejection.clone().into()), None))
        };
        let frame = match tokio::time::timeout(timeout, body.frame()).await {
            Ok(frame) => frame?,
            Err(_) => {
                return end_with(Rejection::BodyTimeout {
                    message: too_slow(timeout),
                });
            }
        };
        let length = frame
            .as_ref()
            .ok()
            .and_then(Frame::data_ref)
            .map_or(0, Bytes::len);
        let seen = seen + length;
        match (seen > limit, frame) {
            (true, _) => end_with(Rejection::too_large(limit)),
            (false, Err(error)) => Some((Err(error), None)),
            (false, frame) => Some((frame, Some((body, seen, exceeded)))),
        }
    });
    Ok(Body::wrap(StreamBody::new(frames)))
}

fn too_slow(timeout: Duration) -> String {
    let seconds = timeout.as_secs_f32();
    format!("the body was not received within {seconds} seconds")
}

fn too_large(limit: usize) -> GateError {
    GateError::from(Rejection::too_large(limit))
}
