//! A small service with a hand-written interface without extensions, its own authentication, ledger and error bodies.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use dropshot::{Body, RequestContext};
use dropspec_gate::auth::{Access, Authenticate, KeyPrefix, Principal, Unauthenticated};
use dropspec_gate::clock::Clock;
use dropspec_gate::error::{ErrorBody, ErrorInfo};
use dropspec_gate::rate_limit::{
    Account, Adjusted, Adjustment, Ban, Ledger, LedgerEntry, LimiterPolicy, MemoryLedger, Now,
    OperationCount, RateLimits,
};
use dropspec_gate::storage_error::StorageError;
use dropspec_gate::{Gate, RequestPolicy, Service};
use dropspec_runtime::security::{Credentials, Verified};
use dropspec_runtime::{
    DecodedRequest, DispatchError, Document, Interface, Method, OperationInfo, Permit, SchemeUse,
    SecurityScheme, SecuritySchemeInfo, respond, to_response,
};
use dropspec_service::{Backend, Server, Settings};
use futures::FutureExt;
use http::{HeaderMap, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::tables::tables;

/// The token of Ann, who has 4 requests a day.
pub const TOKEN: &str = "token-of-ann";
/// A token that was valid until yesterday.
pub const EXPIRED: &str = "token-of-yesterday";

/// 2026-11-21 12:00:00 UTC.
pub const NOON: i64 = 1_795_262_400;

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::from_json(SOURCE));
const SOURCE: &str = r#"{
    "openapi": "3.0.3",
    "info": {"title": "Notes", "version": "1"},
    "security": [{"token": []}],
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/status": {"get": {"security": [], "parameters": [
            {"name": "verbose", "in": "query", "deprecated": true, "schema": {"type": "boolean"}}
        ], "responses": {"200": {"description": "Status"}}}},
        "/notes": {"post": {
            "requestBody": {"required": true, "content": {"application/json": {"schema": {
                "type": "object", "required": ["text"],
                "properties": {
                    "text": {"type": "string", "maxLength": 5},
                    "color": {"type": "string", "deprecated": true}
                }
            }}}},
            "responses": {"200": {"description": "The note"}}
        }}
    }
}"#;
static OPERATIONS: [OperationInfo; 2] = [
    OperationInfo::new("getStatus", Method::Get, "/status"),
    OperationInfo {
        security: &[&[SchemeUse::new(0, &[])]],
        ..OperationInfo::new("createNote", Method::Post, "/notes")
    },
];
static SCHEMES: [SecuritySchemeInfo; 1] = [SecuritySchemeInfo {
    name: "token",
    kind: SecurityScheme::BEARER,
}];

/// The service. It is its own interface, authenticator and error body.
#[derive(Default)]
pub struct Notes {
    /// The number of requests that have reached their handler.
    pub begun: watch::Sender<usize>,
    /// Handlers wait for it. A test that holds it keeps requests under way.
    pub free: tokio::sync::Mutex<()>,
    /// The number of notes that were created.
    pub created: AtomicUsize,
}

/// A ledger in memory that keeps the usage of operations.
#[derive(Default)]
pub struct NotesLedger {
    limits: MemoryLedger,
    /// What the server has stored, and the oldest day to keep.
    pub usage: Mutex<Vec<(OperationCount, i64)>>,
}

#[derive(Deserialize)]
struct Note {
    text: String,
}

impl Service for Notes {
    const NAME: &'static str = "notes";
    type Interface = Notes;
    type Authenticator = Notes;
    type Ledger = NotesLedger;
    type ErrorBody = Notes;
}

impl Ledger for NotesLedger {
    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        self.limits.read_entry(key_id).await
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        self.limits.adjust(adjustments, now).await
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        self.limits.carry_over(now).await
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        self.limits.read_banned(time).await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        self.limits.record_ban(key_id, ban).await
    }

    async fn add_operation_usage(
        &self,
        counts: Vec<OperationCount>,
        oldest: i64,
    ) -> Result<(), StorageError> {
        let counts = counts.into_iter().map(|count| (count, oldest));
        self.usage.lock().unwrap().extend(counts);
        Ok(())
    }
}

impl Interface for Notes {
    type Context = Arc<Gate<Notes>>;

    tables!(&OPERATIONS, &SCHEMES, &DOCUMENT, SOURCE);

    async fn dispatch(
        permit: Permit<Notes>,
        rqctx: RequestContext<Arc<Gate<Notes>>>,
        request: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        let notes = rqctx.context().service();
        notes.begun.send_modify(|begun| *begun += 1);
        drop(notes.free.lock().await);
        let call = rqctx.context().current_call().unwrap();
        let principal = call.principal();
        let sender = principal.map_or("anonymous", |principal| *principal.identity);
        let json = match permit.operation() {
            0 => json!({ "status": "ok", "sender": sender }),
            1 => {
                let text = request.body::<Note>()?.text;
                assert_ne!(text, "panic", "the secret reason");
                notes.created.fetch_add(1, Ordering::SeqCst);
                json!({ "text": text, "sender": sender })
            }
            other => panic!("there is no operation {other}"),
        };
        to_response(respond::json(200, &json))
    }
}

/// Bearer tokens (RFC 6750), of which one is valid.
impl Authenticate for Notes {
    /// The name of the sender.
    type Identity = &'static str;

    async fn verify(
        &self,
        _: &'static SecuritySchemeInfo,
        credentials: Credentials<'_>,
        _: DateTime<Utc>,
    ) -> Verified<Principal<&'static str>, Unauthenticated, StorageError> {
        let limits = RateLimits {
            per_minute: 1_000,
            per_day: 4,
        };
        Ok(match credentials {
            Credentials::Token(TOKEN) => Ok(Principal {
                identity: Arc::new("ann"),
                account: Account::of_subject("ann", limits),
                plan: "standard",
                access: Access::Write,
                prefix: KeyPrefix::new("ann"),
            }),
            Credentials::Token(EXPIRED) => Err(Unauthenticated::Expired),
            _ => Err(Unauthenticated::Invalid),
        })
    }

    fn has_scope(&self, _: &&'static str, _: &str) -> bool {
        true
    }
}

/// Problem details (RFC 9457).
impl ErrorBody for Notes {
    const MEDIA_TYPE: &'static str = "application/problem+json";

    fn render(error: ErrorInfo) -> String {
        let instance = format!("urn:uuid:{}", error.request_id);
        let mut body =
            json!({ "title": error.code, "detail": error.message, "instance": instance });
        if !error.problems.is_empty() {
            let problems = error.problems.iter();
            let problems = problems
                .map(|problem| json!({ "pointer": problem.fragment(), "detail": problem.message }));
            body["errors"] = problems.collect();
        }
        body.to_string()
    }
}

/// A clock that stands at noon unless a test advances it, so that no window ends during a test.
#[derive(Debug)]
pub struct StandingClock(AtomicI64);

impl StandingClock {
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0.load(Ordering::SeqCst), 0).unwrap()
    }

    fn monotonic(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}

/// The settings of a server on free ports, with these limits for addresses and a clock that stands at noon.
pub fn settings(limits: Option<LimiterPolicy>) -> Settings {
    settings_with(RequestPolicy { limits, ..policy() })
}

/// The settings of a server on free ports that treats requests by this policy.
pub fn settings_with(requests: RequestPolicy) -> Settings {
    Settings {
        requests,
        ..Settings::on_free_ports()
    }
}

/// Without limits, and with a clock that stands at noon.
pub fn policy() -> RequestPolicy {
    RequestPolicy {
        clock: Arc::new(StandingClock(AtomicI64::new(NOON))),
        ..RequestPolicy::default()
    }
}

/// Starts a service with these settings.
pub fn serve<S: Service>(
    settings: Settings,
    service: S,
    authenticator: Arc<S::Authenticator>,
    ledger: Arc<S::Ledger>,
) -> Server<S> {
    let open = async || Ok(Backend::new(service, authenticator, ledger));
    let started = Server::start(settings, open).now_or_never();
    started.expect("there is nothing to wait for").unwrap()
}

/// Starts the service on free ports, with these limits for addresses; `None` limits nothing.
pub fn start(limits: Option<LimiterPolicy>) -> Server<Notes> {
    start_with(RequestPolicy { limits, ..policy() })
}

/// Like [`start`], with the clock and the ledger of the server.
pub fn start_with_ledger(
    limits: Option<LimiterPolicy>,
) -> (Server<Notes>, Arc<StandingClock>, Arc<NotesLedger>) {
    let clock = Arc::new(StandingClock(AtomicI64::new(NOON)));
    let settings = settings_with(RequestPolicy {
        limits,
        clock: Arc::clone(&clock) as _,
        ..policy()
    });
    let ledger = Arc::new(NotesLedger::default());
    let notes = Notes::default();
    let server = serve(settings, notes, Arc::default(), Arc::clone(&ledger));
    (server, clock, ledger)
}

/// Like [`start`], with this policy.
pub fn start_with(requests: RequestPolicy) -> Server<Notes> {
    serve(
        settings_with(requests),
        Notes::default(),
        Arc::default(),
        Arc::default(),
    )
}

/// The usual limits, with 3 requests a day for each address.
pub fn three_a_day() -> Option<LimiterPolicy> {
    Some(LimiterPolicy::new(RateLimits {
        per_minute: 1_000,
        per_day: 3,
    }))
}

/// The response of the service: status, media type, body, and the value of a header.
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The status and, of an error, its title.
    pub fn outcome(&self) -> String {
        let title = self.body["title"].as_str().unwrap_or_default();
        format!("{} {title}", self.status).trim_end().to_owned()
    }
}

/// Sends a request, with a bearer token if one is given; with a body it is a `POST`.
pub async fn send(
    server: &Server<Notes>,
    path: &str,
    token: Option<&str>,
    body: Option<&str>,
) -> Reply {
    let (client, url) = (reqwest::Client::new(), server.base_url() + path);
    let mut request = match body {
        Some(body) => client
            .post(url)
            .header("content-type", "application/json")
            .body(body.to_owned()),
        None => client.get(url),
    };
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Reply {
        status,
        headers,
        body,
    }
}
