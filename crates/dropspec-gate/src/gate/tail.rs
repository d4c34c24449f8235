//! `/tail`: the requests of the sender's own key as they are answered, as server-sent events. The stream ends when its key is no
//! longer valid, and when the server stops.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use dropshot::Body;
use dropspec_runtime::respond::forbid_gathering;
use dropspec_schema::wire::server_sent_events::{COMMENT, MEDIA_TYPE, event};
use futures::stream;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Response};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Body as _, Frame};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use super::credentials::Credentials;
use super::state::{Gate, Service};
use crate::error::{ErrorKind, GateError};
use crate::rate_limit::RateLimitInfo;
use crate::recent_requests::RecentRequest;
use crate::request_streams::{RequestStream, StreamEvent, TooManyStreams};

/// After this time without an event, a comment is sent: proxies close connections that are silent for a minute.
const COMMENT_INTERVAL: Duration = Duration::from_secs(15);

/// After this time the client connects anew, so that a connection whose client has vanished ends.
const MAX_DURATION: Duration = Duration::from_secs(60 * 60);

/// How long the last event may take to be sent.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// The largest body of an error in which its code is looked for.
const MAX_ERROR_BODY: u64 = 16 * 1024;

/// What a stream shows of a request, gathered while it is served.
#[derive(Debug)]
pub struct Watched {
    pub method: Method,
    pub path: String,
    pub rate_limit: Option<RateLimitInfo>,
}

impl Watched {
    /// What is known when a request arrives.
    pub fn new(method: &Method, path: &str) -> Watched {
        Watched {
            method: method.clone(),
            path: path.to_owned(),
            rate_limit: None,
        }
    }

    /// The event of the request.
    pub fn event(&self, request: &RecentRequest) -> String {
        let (method, limit) = (self.method.as_str(), self.rate_limit.as_ref());
        let event = request.to_json(Some(method), Some(&self.path), limit);
        event.to_string()
    }
}

/// Looks for the code in the error that an operation responded with: the member `code` of a JSON object.
pub async fn find_code(response: &mut Response<Body>) -> Option<String> {
    let size = response.body().size_hint().upper();
    if size.is_none_or(|it| it > MAX_ERROR_BODY) {
        return None;
    }
    let body = std::mem::take(response.body_mut());
    // It is in memory already.
    let bytes = body.collect().await.map(|it| it.to_bytes());
    let bytes = bytes.unwrap_or_default();
    let value = serde_json::from_slice::<Value>(&bytes).unwrap_or_default();
    *response.body_mut() = bytes.into();
    value["code"].as_str().map(str::to_owned)
}

/// Opens the stream of a key.
pub fn open<S: Service>(
    gate: &Arc<Gate<S>>,
    key_id: i64,
    credentials: Credentials,
) -> Result<Response<Body>, GateError> {
    let stream = gate.streams.open(key_id).map_err(|error| {
        let kind = match error {
            TooManyStreams::OfKey => ErrorKind::RateLimitExceeded,
            TooManyStreams::InAll => ErrorKind::Unavailable,
        };
        GateError::new(kind, error.to_string())
    })?;
    // One frame, so that what waits for a slow reader waits in the stream, where it is counted.
    let (frames, mut receiver) = mpsc::channel(1);
    tokio::spawn(send_events(Arc::clone(gate), stream, credentials, frames));
    let frames = stream::poll_fn(move |context| receiver.poll_recv(context));
    let frames = futures::StreamExt::map(frames, |text| {
        Ok::<_, std::convert::Infallible>(Frame::data(Bytes::from(text)))
    });
    let mut response = Response::new(Body::wrap(StreamBody::new(frames)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    forbid_gathering(headers);
    Ok(response)
}

/// Sends the events of a stream until its client leaves, its key is no longer valid, or the server stops.
async fn send_events<S: Service>(
    gate: Arc<Gate<S>>,
    mut stream: RequestStream,
    credentials: Credentials,
    frames: mpsc::Sender<String>,
) {
    let mut silence = tokio::time::interval(COMMENT_INTERVAL);
    silence.set_missed_tick_behavior(MissedTickBehavior::Delay);
    silence.reset();
    let mut frame = event("server", json!({ "server": gate.server_name.as_str() }));
    let end = async {
        tokio::select! {
            () = gate.stopping() => "stopping",
            () = tokio::time::sleep(MAX_DURATION) => "expired",
            () = credentials.until_invalid(&gate) => "invalid_credentials",
        }
    };
    let mut end = std::pin::pin!(end);
    let ended = loop {
        tokio::select! {
            sent = frames.send(frame) => if sent.is_err() {
                return;
            },
            code = &mut end => break code,
        }
        frame = tokio::select! {
            biased;
            () = frames.closed() => return,
            code = &mut end => break code,
            _ = silence.tick() => COMMENT.to_owned(),
            next = stream.next() => {
                silence.reset();
                match next {
                    StreamEvent::Request(request) => event("request", request),
                    StreamEvent::Lost(count) => event("lost", json!({ "requests": count })),
                }
            }
        };
    };
    let end = event("end", describe_end(ended));
    // A reader that does not read is not waited for.
    let _ = tokio::time::timeout(END_TIMEOUT, frames.send(end)).await;
}

/// Why a stream ends, for its reader.
fn describe_end(code: &str) -> Value {
    let message = match code {
        "invalid_credentials" => "the key is no longer valid, or is banned",
        _ => "connect again",
    };
    json!({ "code": code, "message": message })
}
