//! The page of the operator: what the server answers, its keys with the key commands, its store and its log. It is drawn by a
//! script (`assets/operator`), to which the server sends its state as server-sent events.

mod access;
mod files;
mod keys;
mod login;
mod refusal;
mod sessions;
mod state;

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use dropspec_gate::database::DatabaseConfig;
use dropspec_gate::gate::{Gate, Service};
use dropspec_gate::keys::ApiKeys;
use dropspec_gate::keys::commands::KeyConsole;
use dropspec_gate::server_name::ServerName;
use dropspec_gate::server_sent_events::{MEDIA_TYPE, event};
use dropspec_runtime::Interface;
use futures::stream::{self, StreamExt};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use self::access::Access;
use self::files::{CONTENT_POLICY, FILES, OPEN_FILES, find_file};
use self::refusal::refuse;
use self::sessions::Sessions;
use super::answer::{HTML, PLAIN, answer, explain, set};
use super::listener::{LongLived, PanelBody};
use crate::admin::guesses::Guesses;
use crate::admin::operator_token::OperatorToken;

/// How often the state is sent.
const EVENT_INTERVAL: Duration = Duration::from_secs(2);

/// After so many events, about an hour, the browser connects anew. So a connection whose browser has vanished ends.
const MAX_EVENTS: usize = 1800;

/// The number of open pages that get events. The other connections of the panel are for health checks and metrics.
const MAX_STREAMS: usize = 8;

/// The largest body of a command, in bytes.
const MAX_COMMAND: usize = 16 * 1024;

/// What the page shows and changes beside the gate.
pub struct Managed {
    /// The keys; `None` if the service has none.
    console: Option<KeyConsole>,
    /// Where the database is, if there is one.
    store: Option<DatabaseConfig>,
    token: Option<OperatorToken>,
}

impl Managed {
    /// The keys with the plan of a new one, where the database is, and the token of the operator.
    pub fn new<S: Service>(
        keys: Option<(Arc<ApiKeys>, &'static str)>,
        store: Option<DatabaseConfig>,
        token: Option<OperatorToken>,
    ) -> Managed {
        let console = keys.map(|(keys, default_plan)| KeyConsole {
            keys,
            operations: S::Interface::operations(),
            default_plan,
        });
        Managed {
            console,
            store,
            token,
        }
    }
}

/// Serves the page of the operator and its data.
pub(super) struct Operator<S: Service> {
    gate: Arc<Gate<S>>,
    name: ServerName,
    /// The URL of the reference page of the service.
    docs: String,
    /// When the server started (Unix seconds).
    started: i64,
    console: Option<Arc<KeyConsole>>,
    store: Option<DatabaseConfig>,
    access: Access,
    guesses: Arc<Guesses>,
    /// That of the server, to which connections of the database belong.
    runtime: Handle,
    streams: Arc<Semaphore>,
}

impl<S: Service> Operator<S> {
    /// The page for a server. `is_loopback` is whether only this machine can reach the panel.
    pub(super) fn new(
        gate: Arc<Gate<S>>,
        name: ServerName,
        docs: String,
        managed: Managed,
        is_loopback: bool,
        guesses: Arc<Guesses>,
    ) -> Operator<S> {
        Operator {
            started: gate.now().wall.timestamp(),
            gate,
            name,
            docs,
            console: managed.console.map(Arc::new),
            store: managed.store,
            access: Access {
                token: managed.token,
                sessions: Sessions::default(),
                is_loopback,
            },
            guesses,
            runtime: Handle::current(),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
        }
    }

    /// Responds to a request.
    pub(super) async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Response<PanelBody> {
        let (method, headers) = (request.method(), request.headers());
        let sender = request.extensions().get::<SocketAddr>();
        let sender = sender.map_or(Ipv4Addr::UNSPECIFIED.into(), SocketAddr::ip);
        let path = request.uri().path();
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let mut response = if path == "/operator/login" && *method == Method::POST {
            self.log_in(sender, request).await
        } else if let Some((_, media_type, file)) = find_file(&OPEN_FILES, path).filter(|_| reads) {
            answer(StatusCode::OK, media_type, *file)
        } else if path != "/" && !path.starts_with("/operator/") {
            let message = "There is nothing at this address. The panel has /, /healthz, /readyz and /metrics.";
            explain(headers, StatusCode::NOT_FOUND, message)
        } else {
            let check = || self.access.check(method, headers, self.now());
            let checked = if self.access.is_token_sent(headers) {
                self.check_token(sender, check).await
            } else {
                check()
            };
            match checked {
                Ok(()) => self.respond_to_operator(request).await,
                Err(refusal) => refuse(S::NAME, refusal, headers),
            }
        };
        for (name, value) in [
            (CACHE_CONTROL, "no-store"),
            (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
            (REFERRER_POLICY, "no-referrer"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            set(&mut response, name, value);
        }
        response
    }

    /// The time, in Unix seconds.
    fn now(&self) -> i64 {
        self.gate.now().wall.timestamp()
    }

    async fn respond_to_operator(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Response<PanelBody> {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let path = request.uri().path();
        if let Some((_, media_type, file)) = find_file(&FILES, path).filter(|_| reads) {
            return answer(StatusCode::OK, media_type, *file);
        }
        let query = request.uri().query().unwrap_or_default().to_owned();
        match (reads, path) {
            (true, "/") => {
                let page =
                    include_str!("../../assets/operator/index.html").replace("NAME", S::NAME);
                answer(StatusCode::OK, HTML, page)
            }
            (true, "/operator/events") => self.events(request.headers().clone()),
            (true, "/operator/keys") => {
                let senders = self.senders();
                let list = async move |console: Arc<KeyConsole>, now| {
                    console.list(&query, &senders, now).await
                };
                self.ask(list).await
            }
            (true, "/operator/requests") => match query.strip_prefix("key=").map(str::parse) {
                Some(Ok(key_id)) => {
                    let requests = self.recent_requests_of(key_id).to_string();
                    answer(StatusCode::OK, "application/json", requests)
                }
                _ => answer(
                    StatusCode::BAD_REQUEST,
                    PLAIN,
                    "name a key by its id: ?key=3\n",
                ),
            },
            (true, "/operator/deprecated") => {
                self.ask(|console, now| async move { console.deprecated(now).await })
                    .await
            }
            (false, "/operator/keys") if *request.method() == Method::POST => {
                self.run_key_command(request).await
            }
            (false, "/operator/logout") if *request.method() == Method::POST => {
                let removal = self.access.sessions.end(request.headers());
                let mut response = answer(StatusCode::OK, PLAIN, "logged out\n");
                response.headers_mut().insert(SET_COOKIE, removal);
                response
            }
            _ => explain(
                request.headers(),
                StatusCode::NOT_FOUND,
                "The page of the operator has no such part.",
            ),
        }
    }

    /// The stream of the state (server-sent events), until the access of whoever sent these headers ends.
    fn events(self: Arc<Self>, headers: HeaderMap) -> Response<PanelBody> {
        let Ok(permit) = Arc::clone(&self.streams).try_acquire_owned() else {
            let message = format!("{MAX_STREAMS} pages are open already; close one\n");
            return answer(StatusCode::SERVICE_UNAVAILABLE, PLAIN, message);
        };
        let ticks = tokio::time::interval(EVENT_INTERVAL);
        let start = (self, ticks, None, (headers, permit));
        let events = stream::unfold(start, |state| async move {
            let (operator, mut ticks, seen, of_page) = state;
            tokio::select! {
                _ = ticks.tick() => {}
                () = operator.gate.stopping() => return None,
            }
            let access = operator
                .access
                .check(&Method::GET, &of_page.0, operator.now());
            access.ok()?;
            let (state, seen) = operator.state(seen);
            let frame = Frame::data(event("state", state).into());
            Some((
                Ok::<_, Infallible>(frame),
                (operator, ticks, Some(seen), of_page),
            ))
        });
        let body = StreamBody::new(events.take(MAX_EVENTS)).boxed_unsync();
        let mut response = Response::new(body);
        set(&mut response, CONTENT_TYPE, MEDIA_TYPE);
        response.extensions_mut().insert(LongLived);
        response
    }
}
