//! Streams of items in responses: each item is written when the client has read those before it.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use dropshot::Body;
use dropspec_schema::Framing;
use dropspec_schema::wire::items::{delimiters, write_item};
use dropspec_schema::wire::server_sent_events::COMMENT;
use futures::future::{Either, select};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use http::Response;
use http_body_util::{BodyDataStream, StreamBody};
use hyper::body::Frame;
use serde::Serialize;
use sync_wrapper::SyncStream;

type BoxError = Box<dyn Error + Send + Sync>;

/// How long a stream of events is silent before a comment is sent: proxies close connections that are silent for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The items of a response, one after the other. The next one is asked for when the client has read the last one, and the stream
/// is dropped when the client leaves or the server stops.
pub struct ItemStream<T> {
    /// dropshot demands that responses are `Sync`.
    items: SyncStream<BoxStream<'static, Result<T, BoxError>>>,
    keep_alive: Duration,
}

impl<T> ItemStream<T> {
    /// The items of a stream. An error breaks the connection, so that the client learns that items are missing; it is not sent.
    pub fn new<S, E>(items: S) -> Self
    where
        S: Stream<Item = Result<T, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self {
            items: SyncStream::new(items.map(|item| item.map_err(Into::into)).boxed()),
            keep_alive: KEEP_ALIVE,
        }
    }

    /// Sets how long a stream of server-sent events is silent before a comment is sent: 15 seconds by default. Other streams
    /// have no comments.
    #[must_use]
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = interval;
        self
    }
}

impl<T: Serialize + Send + 'static> ItemStream<T> {
    pub(crate) fn into_body(self, framing: Framing) -> Body {
        let (begin, end) = delimiters(framing);
        let frames = stream::try_unfold(Some(self), move |state| async move {
            let Some(mut items) = state else {
                return Ok(None);
            };
            let next = items.items.next();
            let next = match framing {
                Framing::Events => tokio::time::timeout(items.keep_alive, next).await,
                _ => Ok(next.await),
            };
            Ok::<_, BoxError>(match next {
                Err(_) => Some((COMMENT.to_owned(), Some(items))),
                Ok(None) => Some((end.to_owned(), None)),
                Ok(Some(item)) => {
                    let item = serde_json::to_value(item?)?;
                    Some((write_item(framing, &item), Some(items)))
                }
            })
        });
        let begin = stream::once(async move { Ok(begin.to_owned()) });
        to_body(begin.chain(frames).map(|frame| frame.map(Bytes::from)))
    }
}

impl<T> fmt::Debug for ItemStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemStream")
            .field("keep_alive", &self.keep_alive)
            .finish_non_exhaustive()
    }
}

/// The response; if it is a stream of items, it breaks off at the end of a future, such as the stop of a server or of its sender's key.
pub fn break_off_at<F>(response: Response<Body>, end: impl FnOnce() -> F) -> Response<Body>
where
    F: Future<Output = ()> + Send + 'static,
{
    if response.extensions().get::<Framing>().is_none() {
        return response;
    }
    response.map(|body| {
        let state = Some((Box::pin(end()), BodyDataStream::new(body)));
        to_body(stream::unfold(state, |state| async move {
            let (end, mut frames) = state?;
            // The end comes first, as frames may always be there.
            let (frame, end) = match select(end, frames.next()).await {
                Either::Right(found) => found,
                Either::Left(_) => return Some((Err("the server ends the stream".into()), None)),
            };
            Some((frame?, Some((end, frames))))
        }))
    })
}

fn to_body(frames: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static) -> Body {
    let frames = frames.then(|frame| async move {
        // What comes before an error is written first; hyper would drop it.
        if frame.is_err() {
            tokio::task::yield_now().await;
        }
        frame.map(Frame::data)
    });
    Body::wrap(StreamBody::new(SyncStream::new(frames)))
}

#[cfg(test)]
mod tests;
