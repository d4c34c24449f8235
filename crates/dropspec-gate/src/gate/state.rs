//! The gate's state, shared by all requests, and what handlers and the panel get from it.

use std::sync::Arc;

use chrono::TimeDelta;
use dropshot::Body;
use dropspec_runtime::security::Security;
use dropspec_runtime::{Decoder, Interface};
use http::Response;
use slog::Logger;
use tokio::sync::watch;

use super::compiled_interface::CompiledInterface;
use super::cross_origin::CrossOrigin;
use super::in_flight::InFlight;
use super::record_usage::UsageRecorder;
use super::refused_keys::RefusedKeys;
use super::response_headers::ResponseHeaders;
use super::route::RouteTable;
use crate::activity::Activity;
use crate::auth::Authenticate;
use crate::base_path::BasePath;
use crate::call::Call;
use crate::clock::{Time, Timekeeper};
use crate::database::Database;
use crate::error::{ErrorBody, ErrorInfo, GateError, error_response};
use crate::logging::{Log, TailLine};
use crate::metrics::Metrics;
use crate::operation_usage::OperationCounts;
use crate::rate_limit::{Ledger, Limiter};
use crate::recent_requests::RecentRequests;
use crate::reference::Pages;
use crate::request_log::RequestLog;
use crate::request_policy::RequestPolicy;
use crate::request_streams::RequestStreams;
use crate::server_name::ServerName;
use crate::storage_error::StorageError;
use crate::traces::Traces;

/// A service behind a gate: its interface, and the types with which the gate authenticates, limits and writes errors.
///
/// The value is the service's own state. Handlers reach it through [`Gate::service`].
pub trait Service: Send + Sync + Sized + 'static {
    /// The name of the service in lower case: the prefix of its metrics, and its name on the page `/`.
    const NAME: &'static str;
    /// The generated interface. Its handlers get the gate as their context.
    type Interface: Interface<Context = Arc<Gate<Self>>>;
    /// Verifies the credentials of requests.
    type Authenticator: Authenticate;
    /// Stores usage and bans of keys.
    type Ledger: Ledger;
    /// Writes errors of the gate as response bodies in the service's format.
    type ErrorBody: ErrorBody;

    /// The database, if the service has one: `/readyz` checks it, `/metrics` reports it, and a stop closes it.
    fn database(&self) -> Option<&Database> {
        None
    }
}

/// The type of the verified identities of a service.
pub type Identity<S> = <<S as Service>::Authenticator as Authenticate>::Identity;

/// The state of a running server, shared by all requests: dropshot's server context.
pub struct Gate<S: Service> {
    service: S,
    log: Logger,
    pub(super) request_lines: Log,
    /// What was answered in the last hour and day.
    pub activity: Activity,
    /// The last requests of keys.
    pub recent_requests: RecentRequests,
    pub(super) time: Timekeeper,
    pub(super) policy: RequestPolicy,
    /// Checks requests by the security of the interface.
    pub(super) security: Security<S::Interface>,
    /// Verifies credentials.
    pub authenticator: Arc<S::Authenticator>,
    /// `None` if the service limits nothing.
    pub(super) limiter: Option<Limiter<S::Ledger>>,
    pub(super) refused_keys: RefusedKeys,
    /// The counters of requests.
    pub metrics: Metrics,
    pub(super) decoder: Decoder,
    /// Counts the requests of keys to operations.
    pub(super) usage: Arc<UsageRecorder<S::Ledger>>,
    pub(super) response_headers: ResponseHeaders,
    pub(super) routes: RouteTable,
    pub(super) pages: Pages,
    /// `None` if pages of no other site may call the service.
    pub(super) cross_origin: Option<CrossOrigin>,
    pub(super) server_name: ServerName,
    /// The requests that their senders watch.
    pub(super) streams: Arc<RequestStreams>,
    /// `None` if requests are not traced.
    pub(super) traces: Option<Traces>,
    /// The requests that are being served.
    pub in_flight: InFlight,
    /// Whether a stop has begun.
    stopping: watch::Sender<bool>,
}

/// How a server reports what it does.
pub struct Reporting {
    /// The name of the server.
    pub server_name: ServerName,
    /// The counters of requests.
    pub metrics: Metrics,
    /// Where lines go.
    pub log: Log,
    /// `None` if requests are not traced.
    pub traces: Option<Traces>,
}

impl<S: Service> Gate<S> {
    /// The service behind this gate, for handlers of operations.
    pub fn service(&self) -> &S {
        &self.service
    }

    /// The limiter of keys and addresses; `None` if the service limits nothing.
    pub fn limiter(&self) -> Option<&Limiter<S::Ledger>> {
        self.limiter.as_ref()
    }

    /// The call that the current task serves, with the verified identity of its sender, for handlers of operations. `None`
    /// outside of an operation.
    pub fn current_call(&self) -> Option<Call<Identity<S>>> {
        Call::current()
    }

    /// The log of the server.
    pub fn log(&self) -> &Logger {
        &self.log
    }

    /// Waits until the server begins to stop. The handler of a WebSocket then says goodbye, with the close code 1001
    /// (RFC 6455, section 7.4.1), and ends: the stop waits for it, within its time limit.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<S> {
        let mut stopping = self.stopping.subscribe();
        async move {
            // Without the gate there is nothing that stops.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
    }

    /// Ends the wait of [`Gate::stopping`].
    pub fn begin_stop(&self) {
        self.stopping.send_replace(true);
    }

    /// The log of the request with this id. The request's logger of dropshot would add the client's address.
    pub fn request_log<'a>(&'a self, request_id: &'a str) -> RequestLog<'a> {
        RequestLog::new(&self.log, request_id)
    }

    /// Logs a failure of the database under the id of the request, and returns the error that the client gets.
    pub fn storage_error(&self, error: &StorageError, request_id: &str) -> ErrorInfo {
        GateError::from_storage(error, self.request_log(request_id))
            .into_info(S::Interface::error_codes(), request_id)
    }

    /// The response to a request that fails with this error: in the service's format, or a page for a browser.
    pub(super) fn write_error(
        &self,
        error: GateError,
        request_id: &str,
        wants_html: bool,
    ) -> Response<Body> {
        let codes = S::Interface::error_codes();
        if wants_html {
            let kind = error.kind;
            self.pages
                .error_page(kind, error.into_info(codes, request_id))
        } else {
            error_response::<S::ErrorBody>(error, codes, request_id)
        }
    }

    /// The gate of a service that treats requests by this policy.
    pub fn new(
        policy: RequestPolicy,
        compiled: CompiledInterface<S::Interface>,
        service: S,
        authenticator: Arc<S::Authenticator>,
        ledger: Arc<S::Ledger>,
        reporting: Reporting,
    ) -> Gate<S> {
        let Reporting {
            server_name,
            metrics,
            log,
            traces,
        } = reporting;
        let operations = S::Interface::operations().iter();
        metrics.begin_failures(operations.map(|it| it.operation_id));
        let counts = OperationCounts::new(S::Interface::operations(), &compiled.decoder);
        let clock = Arc::clone(&policy.clock);
        let usage = UsageRecorder::new(
            counts,
            Arc::clone(&ledger),
            Arc::clone(&clock),
            log.logger(),
        );
        let scheme = |index: usize| S::Interface::security_schemes()[index];
        Gate {
            service,
            log: log.logger(),
            request_lines: log,
            activity: Activity::default(),
            recent_requests: RecentRequests::default(),
            time: Timekeeper::new(clock),
            response_headers: ResponseHeaders::new(
                compiled.security.schemes().map(scheme),
                policy.https_only,
            ),
            security: compiled.security,
            authenticator,
            limiter: policy.limits.map(|limits| Limiter::new(ledger, limits)),
            refused_keys: RefusedKeys::default(),
            metrics,
            decoder: compiled.decoder,
            usage: Arc::new(usage),
            pages: Pages::new::<S::Interface>(S::NAME, &policy.base_path),
            cross_origin: CrossOrigin::new(&policy.cors_origins),
            routes: compiled.routes,
            server_name,
            streams: Arc::default(),
            traces,
            in_flight: InFlight::default(),
            policy,
            stopping: watch::Sender::new(false),
        }
    }

    /// Stores the usage of operations that is in memory only.
    pub async fn store_usage(&self) -> Result<(), StorageError> {
        self.usage.store().await
    }

    /// Exports the spans of requests that still wait, if requests are traced.
    pub async fn close_traces(&self) {
        if let Some(traces) = &self.traces {
            traces.close().await;
        }
    }

    /// The path below which everything is served.
    pub fn base_path(&self) -> &BasePath {
        &self.routes.base_path
    }

    /// The last lines of the log after the first `seen`, and how many there were in all.
    pub fn recent_lines(&self, seen: u64) -> (Vec<TailLine>, u64) {
        self.request_lines.recent_lines(seen)
    }

    /// Reads the clock, once for each request.
    pub fn now(&self) -> Time {
        self.time.read(|change| {
            slog::warn!(self.log, "the clock was set; limits and bans go on from where they were";
                "seconds" => change.num_seconds());
        })
    }

    /// How far the clock of the machine is ahead of that of requests, which may be that of the database.
    pub fn clock_lead(&self) -> TimeDelta {
        self.policy.clock.lead_of_machine()
    }
}
