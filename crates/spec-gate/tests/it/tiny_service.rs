//! A small service with a hand-written interface without extensions, its own authentication, ledger and error bodies.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use dropshot::{Body, HttpError, RequestContext};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use spec_gate::auth::{Access, Authenticate, KeyPrefix, KeyPrincipal, Principal, Unauthenticated};
use spec_gate::call::Call;
use spec_gate::clock::Clock;
use spec_gate::error::{ErrorBody, ErrorInfo};
use spec_gate::logging::LogSettings;
use spec_gate::rate_limit::{
    Account, Adjusted, Adjustment, Ban, Claim, CreditRecord, Ledger, LedgerEntry, LimiterPolicy,
    Now, RateLimits, Window,
};
use spec_gate::storage_error::StorageError;
use spec_gate::{Gate, Server, Service, Settings, Setup};
use spec_runtime::{
    DecodedRequest, DispatchError, Document, ErrorCodeInfo, Interface, Method, OperationInfo,
    PlanInfo,
};
use tokio::sync::watch;

/// The token of Ann, who has 4 requests a day.
pub const TOKEN: &str = "token-of-ann";
/// The token of Bob, who has 1 request a minute.
pub const BOB: &str = "token-of-bob";

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::from_json(SOURCE));
const SOURCE: &str = r#"{
    "openapi": "3.0.3",
    "info": {"title": "Notes", "version": "1"},
    "security": [{"token": []}],
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/status": {"get": {"security": [], "responses": {"200": {"description": "Status"}}}},
        "/notes": {"post": {
            "requestBody": {"required": true, "content": {"application/json": {"schema": {
                "type": "object", "required": ["text"],
                "properties": {"text": {"type": "string", "maxLength": 5}}
            }}}},
            "responses": {"200": {"description": "The note"}}
        }}
    }
}"#;
static OPERATIONS: [OperationInfo; 2] = [
    OperationInfo {
        public: true,
        ..OperationInfo::new("getStatus", Method::Get, "/status")
    },
    OperationInfo::new("createNote", Method::Post, "/notes"),
];

/// The service. It is its own interface, authenticator, ledger and error body.
#[derive(Default)]
pub struct Notes {
    claimed: Mutex<HashMap<(i64, Window, i64), u64>>,
    /// The number of requests that have reached their handler.
    pub begun: watch::Sender<usize>,
    /// Handlers wait for it. A test that holds it keeps requests under way.
    pub free: tokio::sync::Mutex<()>,
    /// The number of notes that were created.
    pub created: AtomicUsize,
}

#[derive(Deserialize)]
struct Note {
    text: String,
}

impl Service for Notes {
    const NAME: &'static str = "notes";
    type Interface = Notes;
    type Authenticator = Notes;
    type Ledger = Notes;
    type ErrorBody = Notes;
}

impl Interface for Notes {
    type Context = Arc<Gate<Notes>>;

    fn operations() -> &'static [OperationInfo] {
        &OPERATIONS
    }

    fn document() -> &'static Document {
        &DOCUMENT
    }

    fn document_source() -> &'static str {
        SOURCE
    }

    fn plans() -> &'static [PlanInfo] {
        &[]
    }

    fn error_codes() -> &'static [ErrorCodeInfo] {
        &[]
    }

    async fn dispatch(
        operation: usize,
        rqctx: RequestContext<Arc<Gate<Notes>>>,
        request: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        let notes = rqctx.context().service();
        notes.begun.send_modify(|begun| *begun += 1);
        drop(notes.free.lock().await);
        let principal = Call::current().map(|call| call.principal);
        let sender = match principal {
            Some(Principal::Key(key)) => key.prefix.to_string(),
            Some(Principal::Anonymous(_)) | None => "anonymous".to_owned(),
        };
        let json = match operation {
            0 => json!({ "status": "ok", "sender": sender }),
            1 => {
                let text = request.body::<Note>()?.text;
                assert_ne!(text, "panic", "the secret reason");
                notes.created.fetch_add(1, Ordering::SeqCst);
                json!({ "text": text, "sender": sender })
            }
            other => panic!("there is no operation {other}"),
        };
        Response::builder()
            .body(json.to_string().into())
            .map_err(|error| {
                DispatchError::Internal(HttpError::for_internal_error(error.to_string()))
            })
    }
}

/// Bearer tokens (RFC 6750), of which two are valid.
impl Authenticate for Notes {
    async fn authenticate(
        &self,
        headers: &HeaderMap,
        _: DateTime<Utc>,
    ) -> Result<Principal, StorageError> {
        let Some(value) = headers.get(AUTHORIZATION) else {
            return Ok(Principal::Anonymous(Unauthenticated::Missing));
        };
        let token = value
            .to_str()
            .ok()
            .and_then(|it| it.strip_prefix("Bearer "));
        let (key_id, prefix, per_minute, per_day) = match token {
            Some(TOKEN) => (1, "ann", 1_000, 4),
            Some(BOB) => (2, "bob", 1, 1_000),
            _ => return Ok(Principal::Anonymous(Unauthenticated::Invalid)),
        };
        Ok(Principal::Key(KeyPrincipal {
            account: Account {
                key_id,
                limits: RateLimits {
                    per_minute,
                    per_day,
                },
                ban: Ban::default(),
            },
            plan: "standard",
            access: Access::Write,
            prefix: KeyPrefix::new(prefix),
        }))
    }

    fn explain(&self, reason: Unauthenticated) -> String {
        format!("bearer token: {reason:?}")
    }

    fn challenge(&self) -> HeaderValue {
        HeaderValue::from_static("Bearer")
    }

    fn vary(&self) -> HeaderValue {
        HeaderValue::from_static("Authorization")
    }
}

/// Stores claims in memory, and no bans.
impl Ledger for Notes {
    fn read_entry(&self, _: i64) -> Result<LedgerEntry, StorageError> {
        Ok(LedgerEntry::default())
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let mut all = self.claimed.lock().unwrap();
        let now = now();
        let adjusted = adjustments.iter().map(|adjustment| {
            let Adjustment {
                key_id,
                window,
                amount,
                limit,
                ..
            } = *adjustment;
            let start = now.start_of(window);
            let claimed = all.entry((key_id, window, start)).or_default();
            let before = *claimed;
            *claimed = before.saturating_add_signed(amount).min(limit);
            Adjusted {
                claim: Claim {
                    start,
                    claimed: *claimed,
                },
                granted: claimed.saturating_sub(before),
            }
        });
        Ok(adjusted.collect())
    }

    fn read_credit(&self) -> Result<CreditRecord, StorageError> {
        Ok(CreditRecord::default())
    }

    async fn store_credit(&self, _: CreditRecord) -> Result<(), StorageError> {
        Ok(())
    }

    async fn carry_over(&self, _: impl Fn() -> Now + Send + 'static) -> Result<(), StorageError> {
        Ok(())
    }

    fn read_banned(&self, _: i64) -> Result<Vec<i64>, StorageError> {
        Ok(Vec::new())
    }

    async fn record_ban(&self, _: i64, _: Ban) -> Result<(), StorageError> {
        Ok(())
    }
}

/// Problem details (RFC 9457).
impl ErrorBody for Notes {
    const MEDIA_TYPE: &'static str = "application/problem+json";

    fn render(error: ErrorInfo) -> String {
        json!({ "title": error.code, "detail": error.message }).to_string()
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

/// Starts the service on free ports, with these limits for addresses; `None` limits nothing.
pub fn start(limits: Option<LimiterPolicy>) -> Server<Notes> {
    start_with_clock(limits).0
}

/// Like [`start`], with the clock of the server.
pub fn start_with_clock(limits: Option<LimiterPolicy>) -> (Server<Notes>, Arc<StandingClock>) {
    let clock = Arc::new(StandingClock(AtomicI64::new(1_795_262_400)));
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = Settings {
        listen: any,
        tls: None,
        admin_listen: any,
        limits,
        trusted_proxies: Vec::new(),
        body_timeout: Duration::from_secs(10),
        max_raw_body: spec_gate::settings::MAX_RAW_BODY,
        clock: Arc::clone(&clock) as _,
        log: LogSettings::SILENT,
    };
    let setup = Setup::new(settings).unwrap();
    let notes = Arc::new(Notes::default());
    let ledger = Arc::clone(&notes);
    let server = setup.start(Notes::default(), notes, ledger).unwrap();
    (server, clock)
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
