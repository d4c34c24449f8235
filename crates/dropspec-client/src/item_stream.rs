//! The items of a response as they arrive. A stream of events goes on over another connection if its own breaks.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use dropspec_schema::Framing;
use dropspec_schema::wire::items::{Item, ItemError, ItemReader};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Request, Response, StatusCode};
use serde::de::{DeserializeOwned, Error as _};

use crate::error::{Error, redact_cause};
use crate::error_response::UnexpectedResponse;
use crate::sending::root_cause;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The items of a response as they arrive, as a [`Stream`]. An error is the last item.
///
/// A stream of server-sent events that breaks is requested again with the id of its last event (`Last-Event-ID`), after the wait that
/// the service asks for or else that of the retry policy. It gives up after as many breaks without an event as the policy has
/// attempts, and where it is not safe to repeat the request. A stream that the service ends is at its end. Other streams end
/// with an error when they break.
pub struct ItemStream<T>(BoxStream<'static, Result<T, Error>>);

/// A stream of events that broke.
#[derive(Clone, Debug)]
pub struct Break {
    /// How often it broke since the last event.
    pub breaks: u32,
    /// Why.
    pub reason: String,
    /// How long the service asks to wait.
    pub wait: Option<Duration>,
    last_event_id: Option<String>,
}

/// Requests a stream of events again.
pub type Resume = Box<dyn Fn(Break) -> BoxFuture<'static, Result<Response, Error>> + Send + Sync>;

/// A response whose body is a stream of items.
pub(crate) struct ItemSource {
    pub(crate) response: Response,
    /// The media type that the document declares: some services are careless with that of the response.
    pub(crate) media_type: &'static str,
    pub(crate) resume: Option<Resume>,
}

/// The items of a response.
struct Items {
    source: ItemSource,
    reader: ItemReader,
    breaks: u32,
    is_ended: bool,
}

impl Break {
    /// Names the last event in the request that resumes the stream.
    pub fn name_last_event(&self, request: &mut Request) {
        let id = self.last_event_id.as_deref().filter(|id| !id.is_empty());
        let id = id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
        if let Some(id) = id {
            request.headers_mut().insert(LAST_EVENT_ID, id);
        }
    }
}

impl<T: DeserializeOwned + Send + 'static> ItemStream<T> {
    /// Whether the headers of a response name a stream of items.
    pub fn is_stream(headers: &HeaderMap) -> bool {
        framing_of(headers).is_some()
    }

    /// The items of a response, by its media type. `resume` requests a stream of events again.
    pub fn of_response(response: Response, resume: Option<Resume>) -> Self {
        let media_type = "";
        Self::new(ItemSource {
            response,
            media_type,
            resume,
        })
    }

    pub(crate) fn new(source: ItemSource) -> Self {
        let items = Items::new(source);
        let items = stream::once(async { items }).flat_map(|items| match items {
            Ok(items) => stream::unfold(items, Items::next::<T>).left_stream(),
            Err(error) => stream::once(async move { Err(unreadable(error)) }).right_stream(),
        });
        Self(items.boxed())
    }

    /// No items.
    pub(crate) fn empty() -> Self {
        Self(stream::empty().boxed())
    }
}

impl<T> Stream for ItemStream<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for ItemStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemStream")
    }
}

impl Items {
    fn new(source: ItemSource) -> Result<Items, ItemError> {
        let headers = source.response.headers();
        let framing = framing_of(headers).or(Framing::of(source.media_type));
        // Only such media types are declared as streams.
        let framing = framing.unwrap_or(Framing::Lines);
        let reader = ItemReader::new(framing, content_type(headers))?;
        Ok(Items {
            source,
            reader,
            breaks: 0,
            is_ended: false,
        })
    }

    async fn next<T: DeserializeOwned>(mut self) -> Option<(Result<T, Error>, Items)> {
        if self.is_ended {
            return None;
        }
        let item = match self.next_item().await {
            Ok(item) => {
                let item = item?;
                match item.read() {
                    Err(_) if item.is_done() => return None,
                    read => {
                        read.map_err(|error| Error::InvalidResponsePayload(item.to_bytes(), error))
                    }
                }
            }
            Err(error) => Err(error),
        };
        self.is_ended |= item.is_err();
        Some((item, self))
    }

    async fn next_item(&mut self) -> Result<Option<Item>, Error> {
        loop {
            if let Some(item) = self.reader.next_item().map_err(unreadable)? {
                self.breaks = 0;
                return Ok(Some(item));
            }
            match self.source.response.chunk().await {
                Ok(Some(bytes)) => self.reader.push(&bytes),
                Ok(None) => {
                    self.is_ended = true;
                    return self.reader.finish().map_err(unreadable);
                }
                Err(error) => self.resume(error).await?,
            }
            if self.is_ended {
                return Ok(None);
            }
        }
    }

    /// Goes on over another connection.
    async fn resume(&mut self, error: reqwest::Error) -> Result<(), Error> {
        let (Some(resume), Some(events)) = (&self.source.resume, self.reader.events()) else {
            return Err(Error::ResponseBodyError(redact_cause(error)));
        };
        self.breaks += 1;
        let (last_event_id, wait) = events.position();
        let response = resume(Break {
            breaks: self.breaks,
            reason: root_cause(&error),
            wait: wait.map(Duration::from_millis),
            last_event_id: last_event_id.map(str::to_owned),
        });
        events.restart();
        let response = response.await?;
        // By it a service says that there is nothing more.
        self.is_ended = response.status() == StatusCode::NO_CONTENT;
        let framing = framing_of(response.headers()).or(Framing::of(self.source.media_type));
        let is_stream = framing == Some(Framing::Events);
        if !(self.is_ended || response.status().is_success() && is_stream) {
            let response = UnexpectedResponse::read(response).await;
            return Err(Error::UnexpectedResponse(response));
        }
        self.source.response = response;
        Ok(())
    }
}

fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE);
    value.and_then(|it| it.to_str().ok()).unwrap_or_default()
}

fn framing_of(headers: &HeaderMap) -> Option<Framing> {
    Framing::of(content_type(headers))
}

fn unreadable(error: ItemError) -> Error {
    Error::InvalidResponsePayload(Bytes::new(), serde_json::Error::custom(error))
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Event<T> {
        data: T,
    }

    fn stream<T: DeserializeOwned + Send + 'static>(body: &'static str) -> ItemStream<Event<T>> {
        let response = http::Response::builder().header(CONTENT_TYPE, "text/event-stream");
        ItemStream::of_response(response.body(body).unwrap().into(), None)
    }

    #[tokio::test]
    async fn stream_of_json_ends_at_an_event_that_says_done() {
        let body = "data: 1\n\ndata: [DONE]\n\ndata: 2\n\n";
        let numbers: Vec<Event<u8>> = stream(body).try_collect().await.unwrap();
        assert_eq!(numbers, [Event { data: 1 }]);
        let texts: Vec<Event<String>> = stream("data: [DONE]\n\ndata: x\n\n")
            .try_collect()
            .await
            .unwrap();
        assert_eq!(texts.len(), 2, "a text may be the same");
        let wrong: Result<Vec<Event<u8>>, Error> = stream("data: no\n\n").try_collect().await;
        assert!(wrong.is_err());
    }
}
