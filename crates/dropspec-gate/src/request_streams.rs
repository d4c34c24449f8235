//! Streams of requests: a sender sees its own requests on this server as they are answered. A stream that is read slowly loses
//! events, and learns how many. It knows no HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use thiserror::Error;
use tokio::sync::broadcast::{self, error::RecvError};

/// The largest number of open streams of one key.
const MAX_OF_KEY: usize = 4;

/// The largest number of open streams in all.
const MAX_OPEN: usize = 100;

/// The largest number of events that wait for the reader of a stream.
const MAX_WAITING: usize = 256;

/// The senders of events by key.
type Feeds = FxHashMap<i64, broadcast::Sender<Arc<str>>>;

/// The open streams of a server.
#[derive(Debug, Default)]
pub(crate) struct RequestStreams {
    /// The number of all, which each request reads.
    open: AtomicUsize,
    feeds: Mutex<Feeds>,
}

/// An open stream. It is closed when it is dropped.
pub(crate) struct RequestStream {
    key_id: i64,
    events: broadcast::Receiver<Arc<str>>,
    streams: Arc<RequestStreams>,
}

/// What the reader of a stream gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamEvent {
    /// A request, as JSON.
    Request(Arc<str>),
    /// So many requests are not in the stream, as it was read too slowly.
    Lost(u64),
}

/// Why a stream cannot be opened.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum TooManyStreams {
    #[error("this key has {MAX_OF_KEY} open streams of its requests already; close one")]
    OfKey,
    #[error("{MAX_OPEN} streams of requests are open at this server already; try again later")]
    InAll,
}

impl RequestStreams {
    /// Whether anybody watches requests.
    pub(crate) fn are_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn open(self: &Arc<Self>, key_id: i64) -> Result<RequestStream, TooManyStreams> {
        let mut feeds = self.feeds.lock();
        let of_key = feeds.get(&key_id).map_or(0, |it| it.receiver_count());
        if of_key >= MAX_OF_KEY {
            return Err(TooManyStreams::OfKey);
        }
        if self.open.load(Ordering::Relaxed) >= MAX_OPEN {
            return Err(TooManyStreams::InAll);
        }
        let feed = feeds.entry(key_id);
        let feed = feed.or_insert_with(|| broadcast::Sender::new(MAX_WAITING));
        self.open.fetch_add(1, Ordering::Relaxed);
        Ok(RequestStream {
            key_id,
            events: feed.subscribe(),
            streams: Arc::clone(self),
        })
    }

    /// Sends a request of a key to the streams of this key. `event` is called if there are any.
    pub(crate) fn publish(&self, key_id: i64, event: impl FnOnce() -> String) {
        if let Some(feed) = self.feeds.lock().get(&key_id) {
            // It has a reader as long as it is in the table.
            let _ = feed.send(event().into());
        }
    }
}

impl RequestStream {
    /// Waits for the next event. What was lost is reported before the events that came later.
    pub(crate) async fn next(&mut self) -> StreamEvent {
        match self.events.recv().await {
            Ok(event) => StreamEvent::Request(event),
            Err(RecvError::Lagged(lost)) => StreamEvent::Lost(lost),
            // The table has the sender as long as there is a stream.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

impl Drop for RequestStream {
    fn drop(&mut self) {
        let mut feeds = self.streams.feeds.lock();
        // This one still counts.
        if feeds
            .get(&self.key_id)
            .is_some_and(|it| it.receiver_count() <= 1)
        {
            feeds.remove(&self.key_id);
        }
        self.streams.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn publish(streams: &RequestStreams, key_id: i64, text: &str) {
        streams.publish(key_id, || text.to_owned());
    }

    fn request(text: &str) -> Option<StreamEvent> {
        Some(StreamEvent::Request(text.into()))
    }

    #[test]
    fn slow_reader_learns_how_many_requests_it_missed() {
        let streams = Arc::new(RequestStreams::default());
        let mut stream = streams.open(1).expect("a stream");
        for number in 0..MAX_WAITING + 3 {
            publish(&streams, 1, &number.to_string());
        }
        assert_eq!(stream.next().now_or_never(), Some(StreamEvent::Lost(3)));
        for number in 3..MAX_WAITING + 3 {
            assert_eq!(stream.next().now_or_never(), request(&number.to_string()));
        }
        publish(&streams, 1, "later");
        assert_eq!(stream.next().now_or_never(), request("later"));
        assert_eq!(stream.next().now_or_never(), None, "told once");
    }

    #[test]
    fn number_of_streams_is_limited_for_a_key_and_in_all() {
        let streams = Arc::new(RequestStreams::default());
        let mut open: Vec<_> = (0..MAX_OF_KEY).map(|_| streams.open(1)).collect();
        let refused = streams.open(1).err();
        assert_eq!(refused, Some(TooManyStreams::OfKey));
        open.pop();
        open.push(streams.open(1));
        for key_id in 2.. {
            match streams.open(key_id) {
                Ok(stream) => open.push(Ok(stream)),
                Err(error) => {
                    assert_eq!(error, TooManyStreams::InAll);
                    break;
                }
            }
        }
        assert_eq!(open.len(), MAX_OPEN);
        drop(open);
        assert!(streams.open(1).is_ok());
    }
}
