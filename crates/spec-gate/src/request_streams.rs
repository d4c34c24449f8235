//! Streams of requests: a sender sees its own requests on this server as they are answered. A stream that is read slowly loses
//! events, and learns how many. It knows no HTTP.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use thiserror::Error;
use tokio::sync::mpsc;

/// The largest number of open streams of one key.
const MAX_OF_KEY: usize = 4;

/// The largest number of open streams in all.
const MAX_OPEN: usize = 100;

/// The largest number of events that wait for the reader of a stream.
const MAX_WAITING: usize = 256;

/// The open streams of a server.
#[derive(Debug, Default)]
pub(crate) struct RequestStreams {
    /// The number of all, which each request reads.
    open: AtomicUsize,
    /// Those of each key.
    feeds: Mutex<FxHashMap<i64, Vec<Arc<Feed>>>>,
}

/// The end of a stream at which events arrive.
#[derive(Debug)]
struct Feed {
    events: mpsc::Sender<Arc<str>>,
    /// How many events were lost since the reader was told.
    lost: AtomicU64,
}

/// An open stream. It is closed when it is dropped.
#[derive(Debug)]
pub(crate) struct RequestStream {
    key_id: i64,
    feed: Arc<Feed>,
    events: mpsc::Receiver<Arc<str>>,
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

    /// Opens a stream of the requests of a key.
    ///
    /// # Errors
    ///
    /// If too many are open.
    pub(crate) fn open(self: &Arc<Self>, key_id: i64) -> Result<RequestStream, TooManyStreams> {
        let mut feeds = self.lock();
        if feeds.get(&key_id).map_or(0, Vec::len) >= MAX_OF_KEY {
            return Err(TooManyStreams::OfKey);
        }
        if self.open.load(Ordering::Relaxed) >= MAX_OPEN {
            return Err(TooManyStreams::InAll);
        }
        let (sender, events) = mpsc::channel(MAX_WAITING);
        let feed = Arc::new(Feed {
            events: sender,
            lost: AtomicU64::new(0),
        });
        feeds.entry(key_id).or_default().push(Arc::clone(&feed));
        self.open.fetch_add(1, Ordering::Relaxed);
        Ok(RequestStream {
            key_id,
            feed,
            events,
            streams: Arc::clone(self),
        })
    }

    /// Sends a request of a key to the streams of this key. `event` is called if there are any.
    pub(crate) fn publish(&self, key_id: i64, event: impl FnOnce() -> String) {
        let feeds = self.lock();
        let Some(feeds) = feeds.get(&key_id) else {
            return;
        };
        let event: Arc<str> = event().into();
        for feed in feeds {
            if feed.events.try_send(Arc::clone(&event)).is_err() {
                feed.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<i64, Vec<Arc<Feed>>>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestStream {
    /// The key whose requests it shows.
    pub(crate) fn key_id(&self) -> i64 {
        self.key_id
    }

    /// Waits for the next event. What was lost is reported when the events before it have been read.
    pub(crate) async fn next(&mut self) -> StreamEvent {
        if let Ok(event) = self.events.try_recv() {
            return StreamEvent::Request(event);
        }
        match self.feed.lost.swap(0, Ordering::Relaxed) {
            0 => match self.events.recv().await {
                Some(event) => StreamEvent::Request(event),
                // It is never closed, as this owns a sender.
                None => std::future::pending().await,
            },
            lost => StreamEvent::Lost(lost),
        }
    }
}

impl Drop for RequestStream {
    fn drop(&mut self) {
        let mut feeds = self.streams.lock();
        if let Some(of_key) = feeds.get_mut(&self.key_id) {
            of_key.retain(|feed| !Arc::ptr_eq(feed, &self.feed));
            if of_key.is_empty() {
                feeds.remove(&self.key_id);
            }
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
    fn stream_has_the_requests_of_its_key_only() {
        let streams = Arc::new(RequestStreams::default());
        assert!(!streams.are_open());
        let mut one = streams.open(1).expect("a stream");
        let mut again = streams.open(1).expect("a stream");
        let mut two = streams.open(2).expect("a stream");
        assert!(streams.are_open());
        publish(&streams, 1, "a");
        publish(&streams, 2, "b");
        publish(&streams, 3, "c");
        for (stream, expected) in [(&mut one, "a"), (&mut again, "a"), (&mut two, "b")] {
            assert_eq!(stream.next().now_or_never(), request(expected));
            assert_eq!(stream.next().now_or_never(), None, "nothing else");
        }
        drop((one, again, two));
        assert!(!streams.are_open());
    }

    #[test]
    fn slow_reader_learns_how_many_requests_it_missed() {
        let streams = Arc::new(RequestStreams::default());
        let mut stream = streams.open(1).expect("a stream");
        for number in 0..MAX_WAITING + 3 {
            publish(&streams, 1, &number.to_string());
        }
        for number in 0..MAX_WAITING {
            assert_eq!(stream.next().now_or_never(), request(&number.to_string()));
        }
        assert_eq!(stream.next().now_or_never(), Some(StreamEvent::Lost(3)));
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
