//! A request body that is not decoded: bytes as a stream.

use std::fmt;

use bytes::{Bytes, BytesMut};
use dropshot::Body;
use futures::{Stream, TryStreamExt};
use http_body_util::BodyDataStream;

use crate::rejection::Rejection;

/// The bytes of a request body, in the order in which they arrive. The server limits their number and how long it waits
/// for each part; a body that exceeds a limit ends with a [`Rejection`].
pub struct RawBody {
    body: Body,
    content_type: Option<String>,
}

impl RawBody {
    /// Wraps a body, with its `Content-Type` as the request gives it.
    pub fn new(body: Body, content_type: Option<String>) -> Self {
        Self { body, content_type }
    }

    /// The `Content-Type` of the request. It is one that the operation accepts, or none if the body is empty.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// The bytes as a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, Rejection>> + Send + Unpin {
        BodyDataStream::new(self.body).map_err(to_rejection)
    }

    /// The body for code that reads or forwards an HTTP body.
    #[must_use]
    pub fn into_body(self) -> Body {
        self.body
    }

    /// Reads the whole body of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// [`Rejection::BodyTooLarge`] if it is larger, and all errors of the stream.
    pub async fn collect(self, limit: usize) -> Result<Bytes, Rejection> {
        collect(self.into_stream(), limit).await
    }
}

/// Reads a stream of at most `limit` bytes.
pub(crate) async fn collect(
    mut stream: impl Stream<Item = Result<Bytes, Rejection>> + Unpin,
    limit: usize,
) -> Result<Bytes, Rejection> {
    let mut collected = BytesMut::new();
    while let Some(chunk) = stream.try_next().await? {
        if chunk.len() > limit - collected.len() {
            return Err(Rejection::too_large(limit));
        }
        collected.extend_from_slice(&chunk);
    }
    Ok(collected.freeze())
}

impl fmt::Debug for RawBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawBody({:?})", self.content_type)
    }
}

/// The rejection that a server's limits put into the body, or that the body ended early.
pub(crate) fn to_rejection(error: Box<dyn std::error::Error + Send + Sync>) -> Rejection {
    match error.downcast::<Rejection>() {
        Ok(rejection) => *rejection,
        Err(_) => Rejection::malformed("the body broke off before its end"),
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::stream;
    use http_body_util::StreamBody;
    use hyper::body::Frame;

    use super::*;

    type BoxError = Box<dyn std::error::Error + Send + Sync>;

    fn raw(parts: Vec<Result<&'static str, BoxError>>) -> RawBody {
        let frames = parts
            .into_iter()
            .map(|part| part.map(|text| Frame::data(Bytes::from_static(text.as_bytes()))));
        let body = StreamBody::new(stream::iter(frames));
        RawBody::new(Body::wrap(body), Some("image/png".to_owned()))
    }

    #[test]
    fn collects_up_to_its_limit() {
        let collect = |limit| block_on(raw(vec![Ok("ab"), Ok("cd")]).collect(limit));
        assert_eq!(collect(4), Ok(Bytes::from_static(b"abcd")));
        assert_eq!(collect(3), Err(Rejection::too_large(3)));
    }

    #[test]
    fn stream_ends_with_the_rejection_of_the_server() {
        let read = |error: BoxError| {
            let mut stream = raw(vec![Ok("ab"), Err(error)]).into_stream();
            assert_eq!(
                block_on(stream.try_next()),
                Ok(Some(Bytes::from_static(b"ab")))
            );
            block_on(stream.try_next()).unwrap_err()
        };
        let late = Rejection::BodyTimeout {
            message: "late".to_owned(),
        };
        assert_eq!(read(Box::new(late.clone())), late);
        let broken = Rejection::malformed("the body broke off before its end");
        assert_eq!(read("connection reset".into()), broken);
    }
}
