//! A generated interface with streams of items: what its client, a browser and a plain connection read, over connections that
//! break, and when the server stops.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use dropshot::{Header, HttpError, Query, RequestContext};
use dropspec_gate::auth::{Access, Authenticate, KeyPrefix, Principal, Unauthenticated};
use dropspec_gate::rate_limit::{Account, MemoryLedger, RateLimits};
use dropspec_gate::storage_error::StorageError;
use dropspec_gate::{Gate, Service};
use dropspec_runtime::security::{Credentials, Verified};
use dropspec_runtime::{ItemStream, SecuritySchemeInfo};
use dropspec_service::Server;
use futures::future::BoxFuture;
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::json;
use streams_api::parameters::{ListTicksQuery, WatchTicksQuery, WatchTicksRequestHeaders};
use streams_api::responses::{ListTicksResponse, WatchTicksResponse};
use streams_api::types::{ListTicksFormat, Tick, WatchTicksItem};
use streams_api::{TicksApi, TicksInterface};
use streams_client::{Client, Clock, Error, RetryPolicy};
use test_support::FlakyProxy;
use test_support::browser::Browser;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::servers::{Message, start_with};

/// Counts the open streams of events.
struct Ticks(watch::Sender<usize>);

/// Marks an open stream until it is dropped.
struct Open(watch::Sender<usize>);

impl Open {
    fn new(count: &watch::Sender<usize>) -> Open {
        count.send_modify(|count| *count += 1);
        Open(count.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// Knows one key as long as it is valid.
struct Reader(watch::Receiver<bool>);

impl Authenticate for Reader {
    type Identity = ();

    async fn verify(
        &self,
        _: &'static SecuritySchemeInfo,
        _: Credentials<'_>,
        _: DateTime<Utc>,
    ) -> Verified<Principal<()>, Unauthenticated, StorageError> {
        let limits = RateLimits {
            per_minute: 1_000,
            per_day: 1_000,
        };
        let principal = Principal {
            identity: Arc::new(()),
            account: Account::of_subject("reader", limits),
            plan: "standard",
            access: Access::Write,
            prefix: KeyPrefix::new("reader"),
        };
        let is_valid = *self.0.borrow();
        Ok(is_valid
            .then_some(principal)
            .ok_or(Unauthenticated::Invalid))
    }

    fn has_scope(&self, (): &(), _: &str) -> bool {
        false
    }
}

impl Service for Ticks {
    const NAME: &'static str = "ticks";
    type Interface = TicksInterface<Ticks>;
    type Authenticator = Reader;
    type Ledger = MemoryLedger;
    type ErrorBody = Message;
}

impl TicksApi for Ticks {
    type Context = Arc<Gate<Ticks>>;

    async fn watch_ticks(
        rqctx: RequestContext<Self::Context>,
        headers: Header<WatchTicksRequestHeaders>,
        query: Query<WatchTicksQuery>,
    ) -> Result<WatchTicksResponse, HttpError> {
        let open = Open::new(&rqctx.context().service().0);
        let last = headers.into_inner().last_event_id;
        let last: u32 = last.and_then(|id| id.parse().ok()).unwrap_or(0);
        let until = query.into_inner().until;
        let ticks = last + 1..=until.unwrap_or(3).max(last);
        let events = ticks.map(|number| WatchTicksItem {
            retry: (number == 2).then_some(700),
            ..WatchTicksItem::new(number.to_string(), Tick { number })
        });
        let events = stream::iter(events);
        // Without an end, it waits for ever.
        let rest = stream::pending().take(usize::from(until.is_none()));
        let events = events.chain(rest).map(move |event| {
            let _ = &open;
            Ok::<_, Infallible>(event)
        });
        Ok(WatchTicksResponse::Ok(ItemStream::new(events)))
    }

    async fn list_ticks(
        _: RequestContext<Self::Context>,
        query: Query<ListTicksQuery>,
    ) -> Result<ListTicksResponse, HttpError> {
        let ticks = |ticks: Vec<Result<Tick, &'static str>>| ItemStream::new(stream::iter(ticks));
        let all = || ticks((1..=3).map(|number| Ok(Tick { number })).collect());
        Ok(match query.into_inner().format {
            ListTicksFormat::Lines => ListTicksResponse::OkJsonl(all()),
            ListTicksFormat::Sequence => ListTicksResponse::OkJsonSeq(all()),
            ListTicksFormat::Parts => ListTicksResponse::OkMixed(all()),
            ListTicksFormat::Broken => {
                ListTicksResponse::OkJsonl(ticks(vec![Ok(Tick { number: 1 }), Err("no more")]))
            }
        })
    }
}

/// A clock whose waits end at once.
#[derive(Clone, Debug, Default)]
struct Waits(Arc<Mutex<Vec<Duration>>>);

impl Clock for Waits {
    fn elapsed(&self) -> Duration {
        self.0.lock().unwrap().iter().sum()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}

fn serve() -> (Server<Ticks>, watch::Receiver<usize>) {
    let (server, open, _) = serve_reader();
    (server, open)
}

/// Also returns whether the key of the reader is valid.
fn serve_reader() -> (Server<Ticks>, watch::Receiver<usize>, watch::Sender<bool>) {
    let (count, is_valid) = (watch::Sender::new(0), watch::Sender::new(true));
    let open = count.subscribe();
    let server = start_with(Ticks(count), Reader(is_valid.subscribe()));
    (server, open, is_valid)
}

fn connect(base_url: &str, clock: &Waits) -> Client {
    let builder = Client::builder().base_url(base_url).clock(clock.clone());
    let policy = RetryPolicy {
        max_attempts: 40,
        ..RetryPolicy::default()
    };
    builder.retries(policy).build().unwrap()
}

#[tokio::test]
async fn items_have_types_and_the_stream_is_dropped_when_the_client_leaves() {
    let (server, mut open) = serve();
    let client = connect(&server.base_url(), &Waits::default());
    let events = client.watch_ticks().send().await.unwrap().into_inner();
    let first: Vec<_> = events.take(3).try_collect().await.unwrap();
    let read = first
        .iter()
        .map(|it| (it.data.number, it.id.as_str(), it.retry));
    assert_eq!(
        Vec::from_iter(read),
        [(1, "1", None), (2, "2", Some(700)), (3, "3", None)]
    );
    // The rest of the stream was dropped with `events`.
    open.wait_for(|open| *open == 0).await.unwrap();
    server.stop().await.unwrap();
}

#[tokio::test]
async fn stream_of_a_revoked_key_breaks_off() {
    let (server, mut open, is_valid) = serve_reader();
    let request = reqwest::Client::new().get(server.base_url() + "/ticks");
    let response = request.header("X-Key", "any").send().await.unwrap();
    assert_eq!(response.status(), 200);
    is_valid.send_replace(false);
    assert!(response.bytes().await.is_err());
    open.wait_for(|open| *open == 0).await.unwrap();
    server.stop().await.unwrap();
}

#[tokio::test]
async fn events_go_on_where_a_broken_connection_left_them() {
    let (server, _) = serve();
    let (mut cuts, clock) = (0, Waits::default());
    let asked = Duration::from_millis(700);
    // Until there were some breaks, also one after `retry`.
    for seed in 0.. {
        if cuts > 10 && clock.0.lock().unwrap().contains(&asked) {
            break;
        }
        let proxy = FlakyProxy::start(server.address(), seed).await;
        let client = connect(&proxy.base_url(), &clock);
        let request = client.watch_ticks().last_event_id("1").until(60_u32);
        let events = request.send().await.unwrap().into_inner();
        let events: Vec<_> = events.try_collect().await.unwrap();
        let read = events.iter().map(|it| it.data.number);
        assert_eq!(Vec::from_iter(read), Vec::from_iter(2..=60), "seed {seed}");
        cuts += proxy.cuts();
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn other_framings_end_with_an_error_when_they_break() {
    let (server, _) = serve();
    let client = connect(&server.base_url(), &Waits::default());
    for (format, expected, is_whole) in [
        ("lines", &[1, 2, 3][..], true),
        ("sequence", &[1, 2, 3], true),
        ("parts", &[1, 2, 3], true),
        ("broken", &[1], false),
    ] {
        let sent = client.list_ticks().format(format).send().await.unwrap();
        let mut items = sent.into_inner();
        let (mut read, mut error) = (Vec::new(), None);
        while let Some(item) = items.next().await {
            match item {
                Ok(tick) => read.push(tick.number),
                Err(problem) => error = Some(problem),
            }
        }
        assert_eq!(read, expected, "{format}");
        assert_eq!(error.is_none(), is_whole, "{format}: {error:?}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn stop_ends_a_stream_and_the_client_gives_up() {
    let (server, mut open) = serve();
    let client = connect(&server.base_url(), &Waits::default());
    let mut events = client.watch_ticks().send().await.unwrap().into_inner();
    for _ in 0..3 {
        events.next().await.unwrap().unwrap();
    }
    server.stop().await.unwrap();
    open.wait_for(|open| *open == 0).await.unwrap();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::GaveUp(_)), "{error}");
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn events_are_sent_as_they_come() {
    let (server, _) = serve();
    let mut connection = TcpStream::connect(server.address()).await.unwrap();
    let request = "GET /ticks HTTP/1.1\r\nhost: ticks\r\nlast-event-id: 1\r\n\r\n";
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    let mut chunk = [0; 1024];
    while !text.contains("id: 3\n\n") {
        let read = connection.read(&mut chunk).await.unwrap();
        assert!(read > 0, "{text}");
        text.push_str(std::str::from_utf8(&chunk[..read]).unwrap());
    }
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    for header in [
        "content-type: text/event-stream",
        "cache-control: no-store",
        "x-accel-buffering: no",
    ] {
        assert!(head.contains(header), "{head}");
    }
    assert!(
        body.contains("data: {\"number\":2}\nid: 2\nretry: 700\n\n"),
        "{body}"
    );
    assert!(!body.contains("\"number\":1"), "{body}");
    drop(connection);
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_reads_events() {
    let (server, mut open) = serve();
    let Some(browser) = Browser::start("the browser that reads events") else {
        return server.stop().await.unwrap();
    };
    let base_url = server.base_url();
    let read = tokio::task::spawn_blocking(move || {
        // A page of the same origin.
        browser.open(&format!("{base_url}/openapi.json"));
        browser.wait_for(
            "if (!window.source) {
                 window.read = [];
                 window.source = new EventSource('/ticks');
                 source.onmessage = event => read.push([JSON.parse(event.data).number, event.lastEventId]);
             }
             return read.length === 3 && source.readyState === EventSource.OPEN && (source.close() || read)",
            &[],
        )
    });
    assert_eq!(read.await.unwrap(), json!([[1, "1"], [2, "2"], [3, "3"]]));
    open.wait_for(|open| *open == 0).await.unwrap();
    server.stop().await.unwrap();
}
