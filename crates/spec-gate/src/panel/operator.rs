//! The page of the operator: what the server answers, its keys with the key commands, its store and its log. It is drawn by a
//! script (`assets/operator`), to which the server sends its state as server-sent events.

mod access;
mod state;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::stream::{self, StreamExt};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use self::access::{Access, Refusal};
use super::listener::{LongLived, PanelBody, full_body};
use crate::database::DatabaseConfig;
use crate::gate::{Gate, Service};
use crate::keys::commands::KeyConsole;
use crate::operator_token::OperatorToken;
use crate::server_name::ServerName;
use crate::server_sent_events::{MEDIA_TYPE, event};

/// How often the state is sent.
const EVENT_INTERVAL: Duration = Duration::from_secs(2);

/// After so many events, about an hour, the browser connects anew. So a connection whose browser has vanished ends.
const MAX_EVENTS: usize = 1800;

/// The number of open pages that get events. The other connections of the panel are for health checks and metrics.
const MAX_STREAMS: usize = 8;

/// The largest body of a command, in bytes.
const MAX_COMMAND: usize = 16 * 1024;

const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PREACT: &str = include_str!("../../assets/operator/preact.mjs");

/// What the page shows and changes beside the gate.
pub(crate) struct Managed<S: Service> {
    /// The keys; `None` if the service has none.
    pub(crate) console: Option<KeyConsole<S::Ledger>>,
    /// Where the database is, if the service has said it.
    pub(crate) store: Option<DatabaseConfig>,
    /// The token of the operator.
    pub(crate) token: Option<OperatorToken>,
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
                is_loopback,
            },
            runtime: Handle::current(),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
        }
    }

    /// Responds to a request; `None` if its path is not one of the page.
    pub(super) async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Option<Response<PanelBody>> {
        let path = request.uri().path();
        if path != "/" && !path.starts_with("/operator/") {
            return None;
        }
        let mut response = match self.access.check(request.method(), request.headers()) {
            Ok(()) => self.respond_to_operator(request).await,
            Err(refusal) => refuse(refusal),
        };
        for (name, value) in [
            (CACHE_CONTROL, "no-store"),
            (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
            (REFERRER_POLICY, "no-referrer"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        Some(response)
    }

    async fn respond_to_operator(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Response<PanelBody> {
        let (script, style) = ("text/javascript; charset=utf-8", "text/css; charset=utf-8");
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match (reads, request.uri().path()) {
            (true, "/") => {
                let page =
                    include_str!("../../assets/operator/index.html").replace("NAME", S::NAME);
                text(StatusCode::OK, "text/html; charset=utf-8", page)
            }
            (true, "/operator/page.mjs") => {
                let page = include_str!("../../assets/operator/page.mjs");
                text(StatusCode::OK, script, page)
            }
            (true, "/operator/preact.mjs") => text(StatusCode::OK, script, PREACT),
            (true, "/operator/style.css") => {
                let sheet = include_str!("../../assets/operator/style.css");
                text(StatusCode::OK, style, sheet)
            }
            (true, "/operator/events") => self.events(),
            (true, "/operator/keys") => {
                self.ask(|console, now| async move { console.list(now).await })
                    .await
            }
            (true, "/operator/deprecated") => {
                self.ask(|console, now| async move { console.deprecated(now).await })
                    .await
            }
            (false, "/operator/keys") if *request.method() == Method::POST => {
                let body = Limited::new(request.into_body(), MAX_COMMAND)
                    .collect()
                    .await;
                let words = body.ok().map(|body| body.to_bytes());
                let words =
                    words.and_then(|body| serde_json::from_slice::<Vec<String>>(&body).ok());
                let Some(words) = words else {
                    let message = "send the words of a key command as a JSON array, such as [\"revoke\", \"3\"]\n";
                    return text(StatusCode::BAD_REQUEST, PLAIN, message);
                };
                let changes = words.first().is_some_and(|name| name != "show");
                // The words name keys and no secrets.
                let command = words.join(" ");
                if changes {
                    slog::info!(self.gate.log(), "the operator runs a key command"; "command" => &command);
                }
                let response = self
                    .ask(|console, now| async move { console.run(words, now).await })
                    .await;
                if changes && !response.status().is_success() {
                    slog::info!(self.gate.log(), "the key command was refused"; "command" => command);
                }
                response
            }
            _ => text(
                StatusCode::NOT_FOUND,
                PLAIN,
                "the page of the operator has no such part\n",
            ),
        }
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
            return text(
                StatusCode::NOT_FOUND,
                PLAIN,
                "the service has no API keys\n",
            );
        };
        let called = self.runtime.spawn(call(console, self.gate.now().wall));
        let result = called.await.context("the call failed").flatten();
        match result {
            Ok(value) => text(StatusCode::OK, "application/json", value.to_string()),
            Err(error) => text(StatusCode::BAD_REQUEST, PLAIN, format!("{error:#}\n")),
        }
    }

    /// The stream of the state (server-sent events).
    fn events(self: Arc<Self>) -> Response<PanelBody> {
        let Ok(permit) = Arc::clone(&self.streams).try_acquire_owned() else {
            let message = format!("{MAX_STREAMS} pages are open already; close one\n");
            return text(StatusCode::SERVICE_UNAVAILABLE, PLAIN, message);
        };
        let ticks = tokio::time::interval(EVENT_INTERVAL);
        let events = stream::unfold((self, ticks, None, permit), |state| async move {
            let (operator, mut ticks, seen, permit) = state;
            tokio::select! {
                _ = ticks.tick() => {}
                () = operator.gate.stopping() => return None,
            }
            let (state, seen) = operator.state(seen);
            let frame = Frame::data(event("state", state));
            Some((
                Ok::<_, Infallible>(frame),
                (operator, ticks, Some(seen), permit),
            ))
        });
        let body = StreamBody::new(events.take(MAX_EVENTS)).boxed_unsync();
        let mut response = Response::new(body);
        set(&mut response, CONTENT_TYPE, MEDIA_TYPE);
        response.extensions_mut().insert(LongLived);
        response
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

fn refuse(refusal: Refusal) -> Response<PanelBody> {
    let status = match refusal {
        Refusal::WrongToken => StatusCode::UNAUTHORIZED,
        Refusal::OtherHost => StatusCode::MISDIRECTED_REQUEST,
        Refusal::NoToken | Refusal::OtherSite => StatusCode::FORBIDDEN,
    };
    let mut response = text(status, PLAIN, refusal.message());
    if refusal == Refusal::WrongToken {
        let challenge = "Basic realm=\"the operator\", charset=\"UTF-8\"";
        set(&mut response, WWW_AUTHENTICATE, challenge);
    }
    response
}

fn text(
    status: StatusCode,
    media_type: &'static str,
    text: impl Into<Bytes>,
) -> Response<PanelBody> {
    let mut response = Response::new(full_body(text));
    *response.status_mut() = status;
    set(&mut response, CONTENT_TYPE, media_type);
    response
}

fn set(response: &mut Response<PanelBody>, name: HeaderName, value: &'static str) {
    response
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
}
