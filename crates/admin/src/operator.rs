//! The page of the operator: what the server answers, its keys with the key commands, its store and its log. It is drawn by a
//! script (`assets/operator`), to which the server sends its state as server-sent events.

mod access;
mod files;
mod login;
mod refusal;
mod sessions;
mod state;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Utc};
use futures::stream::{self, StreamExt};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use serde_json::Value;
use spec_gate::database::DatabaseConfig;
use spec_gate::gate::{Gate, Service};
use spec_gate::keys::commands::KeyConsole;
use spec_gate::keys::{ApiKeys, Author};
use spec_gate::server_name::ServerName;
use spec_gate::server_sent_events::{MEDIA_TYPE, event};
use spec_runtime::Interface;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use self::access::Access;
use self::files::{CONTENT_POLICY, FILES, LOGIN, SCRIPT};
use self::refusal::refuse;
use self::sessions::Sessions;
use super::answer::{HTML, PLAIN, answer, explain, set};
use super::listener::{LongLived, PanelBody};
use crate::operator_token::OperatorToken;

/// How often the state is sent.
const EVENT_INTERVAL: Duration = Duration::from_secs(2);

/// After so many events, about an hour, the browser connects anew. So a connection whose browser has vanished ends.
const MAX_EVENTS: usize = 1800;

/// The number of open pages that get events. The other connections of the panel are for health checks and metrics.
const MAX_STREAMS: usize = 8;

/// The largest body of a command, in bytes.
const MAX_COMMAND: usize = 16 * 1024;

/// What the page shows and changes beside the gate.
pub struct Managed<S: Service> {
    /// The keys; `None` if the service has none.
    console: Option<KeyConsole<S::Ledger>>,
    /// Where the database is, if there is one.
    store: Option<DatabaseConfig>,
    /// The token of the operator.
    token: Option<OperatorToken>,
}

impl<S: Service> Managed<S> {
    /// The keys with the plan of a new one, where the database is, and the token of the operator.
    pub fn new(
        keys: Option<(Arc<ApiKeys>, &'static str)>,
        ledger: Arc<S::Ledger>,
        store: Option<DatabaseConfig>,
        token: Option<OperatorToken>,
    ) -> Managed<S> {
        let console = keys.map(|(keys, default_plan)| KeyConsole {
            keys,
            ledger,
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
    console: Option<Arc<KeyConsole<S::Ledger>>>,
    store: Option<DatabaseConfig>,
    access: Access,
    /// That of the server, to which connections of the database belong.
    runtime: Handle,
    streams: Arc<Semaphore>,
}

impl<S: Service> Operator<S> {
    /// The page for a server. `is_loopback` is whether only this machine can reach the panel.
    pub(super) fn new(
        gate: Arc<Gate<S>>,
        name: ServerName,
        managed: Managed<S>,
        is_loopback: bool,
    ) -> Operator<S> {
        Operator {
            gate,
            name,
            console: managed.console.map(Arc::new),
            store: managed.store,
            access: Access {
                token: managed.token,
                sessions: Sessions::default(),
                is_loopback,
            },
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
        let path = request.uri().path();
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let mut response = if path == "/operator/login" && *method == Method::POST {
            self.log_in(request).await
        } else if path == "/operator/login.mjs" && reads {
            answer(StatusCode::OK, SCRIPT, LOGIN)
        } else if path != "/" && !path.starts_with("/operator/") {
            let message = "There is nothing at this address. The panel has /, /healthz, /readyz and /metrics.";
            explain(headers, StatusCode::NOT_FOUND, message)
        } else {
            match self.access.check(method, headers, self.now()) {
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
        if let Some((_, media_type, file)) = FILES.iter().find(|(name, ..)| reads && *name == path)
        {
            return answer(StatusCode::OK, media_type, *file);
        }
        match (reads, path) {
            (true, "/") => {
                let page = include_str!("../assets/operator/index.html").replace("NAME", S::NAME);
                answer(StatusCode::OK, HTML, page)
            }
            (true, "/operator/events") => self.events(request.headers().clone()),
            (true, "/operator/keys") => {
                self.ask(|console, now| async move { console.list(now).await })
                    .await
            }
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

    /// Runs the key command in the body of a request.
    async fn run_key_command(&self, request: Request<Incoming>) -> Response<PanelBody> {
        let body = Limited::new(request.into_body(), MAX_COMMAND)
            .collect()
            .await;
        let words = body.ok().map(|body| body.to_bytes());
        let words = words.and_then(|body| serde_json::from_slice::<Vec<String>>(&body).ok());
        let Some(words) = words else {
            let message =
                "send the words of a key command as a JSON array, such as [\"revoke\", \"3\"]\n";
            return answer(StatusCode::BAD_REQUEST, PLAIN, message);
        };
        let reads = |name: &String| matches!(&**name, "list" | "log" | "show");
        let changes = !words.first().is_some_and(reads);
        // The words name keys and no secrets.
        let command = words.join(" ");
        if changes {
            slog::info!(self.gate.log(), "the operator runs a key command"; "command" => &command);
        }
        let name = format!("operator's page, {}", self.name);
        let run = |console: Arc<KeyConsole<S::Ledger>>, time| async move {
            console.run(words, Author { name, time }).await
        };
        let response = self.ask(run).await;
        if changes && !response.status().is_success() {
            slog::info!(self.gate.log(), "the key command was refused"; "command" => command);
        }
        response
    }

    /// Runs a call on keys, and responds with its result as JSON.
    async fn ask<F>(
        &self,
        call: impl FnOnce(Arc<KeyConsole<S::Ledger>>, DateTime<Utc>) -> F,
    ) -> Response<PanelBody>
    where
        F: Future<Output = anyhow::Result<Value>> + Send + 'static,
    {
        let Some(console) = self.console.clone() else {
            return answer(
                StatusCode::NOT_FOUND,
                PLAIN,
                "the service has no API keys\n",
            );
        };
        let called = self.runtime.spawn(call(console, self.gate.now().wall));
        let result = called.await.context("the call failed").flatten();
        match result {
            Ok(value) => answer(StatusCode::OK, "application/json", value.to_string()),
            Err(error) => answer(StatusCode::BAD_REQUEST, PLAIN, format!("{error:#}\n")),
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
