//! The gate: every request of the public listener passes it, and every response leaves through it.
//!
//! dropshot cannot route for the gate: its own 404 and 405 never reach a handler. So one wildcard endpoint is
//! registered for every method, and the gate finds the operation itself. ARCHITECTURE.md lists the responses that
//! dropshot and hyper still send on their own.

mod admission;
mod body;
mod catch_panic;
mod challenge;
mod cross_origin;
mod deprecation;
mod execute;
mod framing;
mod host;
mod in_flight;
mod methods;
mod not_modified;
mod record_usage;
mod refused_keys;
mod report;
mod request_body;
mod response_headers;
mod route;
mod tail;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, HttpError, RequestContext, RequestInfo,
};
use futures::FutureExt;
use futures::future::Either;
use http::header::ALLOW;
use http::{Response, StatusCode};
use slog::Logger;
use spec_runtime::security::Security;
use spec_runtime::{Decoder, Interface, Route};
use tokio::sync::watch;

use self::admission::{Admission, AdmissionControl, Admitted, Demand};
use self::catch_panic::catch_panic;
use self::challenge::Reason;
use self::cross_origin::{CrossOrigin, is_preflight, preflight_response};
use self::execute::Executor;
use self::host::check_host;
pub use self::in_flight::InFlight;
use self::in_flight::InFlightGuard;
use self::methods::registered_methods;
use self::not_modified::Revalidation;
use self::record_usage::UsageRecorder;
use self::refused_keys::{Logging, RefusedKeys};
use self::report::{CLIENT_DISCONNECTED, Report};
use self::request_body::RequestBody;
use self::response_headers::ResponseHeaders;
use self::route::{RoutePolicy, RouteTable, Target};
pub use self::tail::PATH as TAIL_PATH;
use self::tail::Watched;
use crate::activity::Activity;
use crate::auth::Authenticate;
use crate::base_path::BasePath;
use crate::call::Call;
use crate::clock::{Time, Timekeeper};
use crate::database::Database;
use crate::error::{ErrorBody, ErrorInfo, ErrorKind, GateError, error_response};
use crate::logging::{Log, TailLine};
use crate::metrics::Metrics;
use crate::operation_usage::OperationCounts;
use crate::rate_limit::{Ledger, Limiter};
use crate::reference::{Pages, prefers_html};
use crate::request_log::RequestLog;
use crate::request_policy::RequestPolicy;
use crate::request_streams::{RequestStream, RequestStreams};
use crate::server_name::ServerName;
use crate::storage_error::StorageError;
use crate::traces::{RequestSpan, SpanStart, Traces};

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
    request_lines: Log,
    activity: Activity,
    time: Timekeeper,
    admission: AdmissionControl<S::Interface, S::Authenticator, S::Ledger>,
    response_headers: ResponseHeaders,
    routes: RouteTable,
    executor: Executor<S::Ledger>,
    pages: Pages,
    /// `None` if pages of no other site may call the service.
    cross_origin: Option<CrossOrigin>,
    /// The name of the server.
    server_name: ServerName,
    /// The requests that their senders watch.
    streams: Arc<RequestStreams>,
    /// `None` if requests are not traced.
    traces: Option<Traces>,
    in_flight: InFlight,
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

/// The routes and the request decoder of an interface, compiled from its document at the start.
#[derive(Debug)]
pub struct CompiledInterface<I> {
    security: Security<I>,
    routes: RouteTable,
    decoder: Decoder,
}

impl<S: Service> Gate<S> {
    /// The service behind this gate, for handlers of operations.
    pub fn service(&self) -> &S {
        &self.service
    }

    /// The limiter of keys and addresses; `None` if the service limits nothing.
    pub fn limiter(&self) -> Option<&Limiter<S::Ledger>> {
        self.admission.limiter.as_ref()
    }

    /// The call that the current task serves, with the verified identity of its sender, for handlers of operations. `None`
    /// outside of an operation.
    pub fn call(&self) -> Option<Call<Identity<S>>> {
        Call::current()
    }

    /// The authenticator, which verifies credentials.
    pub fn authenticator(&self) -> &Arc<S::Authenticator> {
        &self.admission.authenticator
    }

    /// The log of the server.
    pub fn log(&self) -> &Logger {
        &self.log
    }

    /// Waits until the server begins to stop. The handler of a WebSocket then says goodbye, with the close code 1001
    /// (RFC 6455, section 7.4.1), and ends: the stop waits for it, within its time limit.
    pub async fn stopping(&self) {
        let mut stopping = self.stopping.subscribe();
        // The gate owns the sender, so that it is not closed.
        let _ = stopping.wait_for(|stopping| *stopping).await;
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

    /// The gate of a service that treats requests by this policy.
    pub fn new(
        settings: RequestPolicy,
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
        let in_flight = InFlight::default();
        let counts = OperationCounts::new(S::Interface::operations(), &compiled.decoder);
        let clock = Arc::clone(&settings.clock);
        let usage = UsageRecorder::new(counts, Arc::clone(&ledger), clock, log.logger());
        let scheme = |index: usize| S::Interface::security_schemes()[index];
        Gate {
            service,
            log: log.logger(),
            request_lines: log,
            activity: Activity::default(),
            time: Timekeeper::new(settings.clock),
            response_headers: ResponseHeaders::new(
                compiled.security.schemes().map(scheme),
                settings.https_only,
            ),
            admission: AdmissionControl {
                security: compiled.security,
                authenticator,
                limiter: settings.limits.map(|policy| Limiter::new(ledger, policy)),
                refused_keys: RefusedKeys::default(),
                trusted_proxies: settings.trusted_proxies,
                metrics,
            },
            executor: Executor {
                decoder: compiled.decoder,
                body_timeout: settings.body_timeout,
                max_body: settings.max_body,
                max_raw_body: settings.max_raw_body,
                in_flight: in_flight.clone(),
                usage: Arc::new(usage),
            },
            pages: Pages::new::<S::Interface>(S::NAME, &settings.base_path),
            cross_origin: CrossOrigin::new(&settings.cors_origins),
            routes: compiled.routes,
            server_name,
            streams: Arc::default(),
            traces,
            in_flight,
            stopping: watch::Sender::new(false),
        }
    }

    /// Stores the usage of operations that is in memory only.
    pub async fn store_usage(&self) -> Result<(), StorageError> {
        self.executor.usage.store().await
    }

    /// Whether the key of a stream is still valid.
    async fn is_key_valid(&self, stream: &RequestStream, opened_by: &tail::Credentials) -> bool {
        let (headers, query) = (&opened_by.headers, opened_by.query.as_deref());
        let now = self.now().wall;
        let valid = self
            .admission
            .is_valid(headers, query, stream.key_id(), now);
        valid.await
    }

    /// Exports the spans of requests that still wait, if requests are traced.
    pub async fn close_traces(&self) {
        if let Some(traces) = &self.traces {
            traces.close().await;
        }
    }

    /// The requests that are being served.
    pub fn in_flight(&self) -> &InFlight {
        &self.in_flight
    }

    /// The path below which everything is served.
    pub fn base_path(&self) -> &BasePath {
        &self.routes.base_path
    }

    /// Creates a logger for a listener of dropshot.
    pub fn dropshot_log(&self) -> Logger {
        self.request_lines.dropshot_logger()
    }

    /// What was answered in the last hour and day.
    pub fn activity(&self) -> &Activity {
        &self.activity
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

    /// The counters of requests.
    pub fn metrics(&self) -> &Metrics {
        &self.admission.metrics
    }

    /// Responds to an admitted request that has no operation.
    fn respond_without_operation(
        &self,
        target: Target<'_>,
        head: &RequestInfo,
        errors: &ErrorWriter<'_, S>,
    ) -> Result<Response<Body>, GateError> {
        let method = head.method();
        match target {
            Target::Page(page) => {
                let revalidation = Revalidation::of_request(method, head.headers());
                Ok(revalidation.apply(self.pages.serve(page, head.headers())))
            }
            Target::Preflight => Ok(preflight_response()),
            Target::InvalidHost(message) => {
                Err(GateError::new(ErrorKind::MalformedRequest, message))
            }
            Target::Route(Route::Options { allow }) => {
                let mut response = Response::new(Body::empty());
                *response.status_mut() = StatusCode::NO_CONTENT;
                response.headers_mut().insert(ALLOW, allow.clone());
                Ok(response)
            }
            Target::Route(Route::MethodNotAllowed { allow }) => {
                let methods = allow.to_str().unwrap_or_default().to_owned();
                let mut response = errors.write(GateError::new(
                    ErrorKind::MethodNotAllowed,
                    format!("this path answers to {methods}, not to {method}"),
                ));
                response.headers_mut().insert(ALLOW, allow.clone());
                Ok(response)
            }
            // One that is found does not come here, and a stream has a sender.
            Target::Tail | Target::Route(Route::NotFound | Route::Found { .. }) => {
                Err(GateError::new(
                    ErrorKind::RouteNotFound,
                    format!(
                        "there is nothing at this path; {}/docs describes what there is",
                        self.routes.base_path
                    ),
                ))
            }
        }
    }
}

/// Writes the errors of the gate for the sender of one request.
struct ErrorWriter<'a, S: Service> {
    gate: &'a Gate<S>,
    request_id: &'a str,
    /// Whether the sender is a browser that shows a page.
    wants_html: bool,
}

impl<S: Service> ErrorWriter<'_, S> {
    fn write(&self, error: GateError) -> Response<Body> {
        let codes = S::Interface::error_codes();
        if self.wants_html {
            let kind = error.kind;
            let error = error.into_info(codes, self.request_id);
            self.gate.pages.error_page(kind, error)
        } else {
            error_response::<S::ErrorBody>(error, codes, self.request_id)
        }
    }
}

impl<I: Interface> CompiledInterface<I> {
    /// Compiles the security, the routes and the request decoder of an interface. `realm` is the name of the service.
    /// Everything is below `base_path`.
    ///
    /// # Errors
    ///
    /// If a path template, a parameter or an access of the document is not supported.
    pub fn new(realm: &str, base_path: &BasePath) -> anyhow::Result<CompiledInterface<I>> {
        let security = Security::new();
        Ok(CompiledInterface {
            routes: RouteTable::new(realm, base_path, &security)?,
            decoder: Decoder::new(I::document(), I::operations())?,
            security,
        })
    }
}

/// Describes the public listener for dropshot: for every HTTP method one endpoint that matches every path.
///
/// # Errors
///
/// If dropshot refuses the registration.
pub fn describe_endpoints<S: Service>() -> anyhow::Result<ApiDescription<Arc<Gate<S>>>> {
    let mut description = ApiDescription::new();
    for method in registered_methods() {
        description.register(
            ApiEndpoint::new(
                // dropshot copies the name for each request, and nobody sees it.
                String::new(),
                handle::<S>,
                method,
                "application/json",
                "/{path:.*}",
                ApiEndpointVersions::All,
            )
            .visible(false),
        )?;
    }
    Ok(description)
}

/// Handles one request of the public listener. A client that disconnects cancels a request that only reads. Any other runs
/// to its end, in a task of its own, so that the client's disconnection does not decide what is stored.
fn handle<S: Service>(
    rqctx: RequestContext<Arc<Gate<S>>>,
    body: RequestBody,
) -> impl Future<Output = Result<Response<Body>, HttpError>> + Send {
    let gate = rqctx.context();
    let arrival = (gate.in_flight.enter(), gate.now());
    if rqctx.request.method().is_safe() {
        Either::Left(serve(rqctx, body, arrival).map(Ok))
    } else {
        let served = tokio::spawn(serve(rqctx, body, arrival));
        // The task can only be cancelled, by the end of the process.
        let response =
            served.map(|it| it.map_err(|it| HttpError::for_internal_error(it.to_string())));
        Either::Right(response)
    }
}

/// Serves a request, from routing to the log line. It never fails: every error becomes a response.
async fn serve<S: Service>(
    rqctx: RequestContext<Arc<Gate<S>>>,
    body: RequestBody,
    (_in_flight, time): (InFlightGuard, Time),
) -> Response<Body> {
    let gate = Arc::clone(rqctx.context());
    let routes = &gate.routes;
    // The context moves into the handler of the operation.
    let request_id = rqctx.request_id.clone();
    let log = gate.request_log(&request_id);
    // The target determines the charge. Only an admitted sender learns whether the target exists.
    let (head, uri) = (&rqctx.request, rqctx.request.uri());
    let cross_origin = gate.cross_origin.as_ref();
    let origin = cross_origin.and_then(|it| it.allow(head.headers()));
    let target = match check_host(head.version(), uri, head.headers()) {
        Ok(()) if origin.is_some() && is_preflight(head.method(), head.headers()) => {
            Target::Preflight
        }
        Ok(()) => routes.find(head.method(), uri.path()),
        Err(message) => Target::InvalidHost(message),
    };
    let wants_html = prefers_html(head.headers());
    let policy = match (&target, wants_html) {
        // Who opens a wrong address in a browser has no key to send, and looks for a page.
        (Target::Route(Route::NotFound), true) => Some(RoutePolicy::EXPLAINED),
        _ => routes.policy(&target),
    };
    let name = routes.name(&target);
    let (deprecation, challenges) = (routes.deprecation(&target), routes.challenges(&target));
    let operation = match &target {
        Target::Route(Route::Found { operation, .. }) => Some(*operation),
        _ => None,
    };
    let method = head.method().clone();
    let errors = ErrorWriter {
        gate: &gate,
        request_id: &request_id,
        wants_html,
    };
    let lines = &gate.request_lines;
    let mut report = Report {
        log: lines,
        metrics: gate.metrics(),
        activity: &gate.activity,
        clock: &gate.time,
        request_id: &request_id,
        time,
        operation: name,
        status: CLIENT_DISCONNECTED,
        key_prefix: None,
        logging: Logging::LOGGED,
        client: lines
            .has_client()
            .then(|| gate.admission.find_address(head)),
        path: lines.has_path().then(|| uri.path().to_owned()),
        streams: &gate.streams,
        watched: None,
        span: None,
    };
    if gate.streams.are_open() && !matches!(target, Target::Tail) {
        report.watched = Some(Box::new(Watched::new(head.method(), uri.path())));
    }
    if let Some(traces) = &gate.traces {
        report.span = Some(traces.begin(SpanStart {
            time: time.wall.into(),
            request_id: &request_id,
            method: head.method(),
            version: head.version(),
            headers: head.headers(),
            route: routes.template(&target),
            path: report.path.as_deref(),
            client: report.client,
        }));
    }

    let admission = async {
        Ok(match policy {
            // A browser sends it without the key of its page.
            _ if matches!(target, Target::Preflight) => Admission::uncharged(),
            Some(policy) => {
                let demand = Demand {
                    operation,
                    policy,
                    places: &challenges.places,
                };
                gate.admission
                    .admit(&rqctx.request, demand, time, log)
                    .await
            }
            None => gate.admission.admit_page(&rqctx.request, time),
        })
    };
    let Admission {
        rate_limit,
        key_prefix,
        key_id,
        outcome,
        challenge,
        logging,
    } = catch_panic(admission, name, log)
        .await
        .unwrap_or_else(|error| gate.admission.failed(error, time));
    (report.key_prefix, report.logging) = (key_prefix, logging);
    if let Some(watched) = &mut report.watched {
        (watched.key_id, watched.rate_limit) = (key_id, rate_limit);
    }
    let result = match outcome {
        Err(error) => Err(error),
        Ok(Admitted { permit, principals }) => match (target, permit) {
            (Target::Route(Route::Found { parameters, .. }), Some(permit)) => {
                let (executor, senders) = (&gate.executor, (principals, time));
                let executed = executor.execute(rqctx, permit, &parameters, senders, body, log);
                let mut executed = pin!(executed);
                let span = report.span.as_deref();
                // What the handler calls belongs to the span of the request.
                let executed = poll_fn(|context| {
                    let _current = span.map(RequestSpan::attach);
                    executed.as_mut().poll(context)
                });
                catch_panic(executed, name, log).await
            }
            (Target::Tail, _) => match key_id {
                Some(key_id) => {
                    let credentials = tail::Credentials::of(&rqctx.request);
                    tail::open(&gate, key_id, credentials)
                }
                // It is admitted with a sender only.
                None => Err(GateError::internal()),
            },
            (target, _) => gate.respond_without_operation(target, &rqctx.request, &errors),
        },
    };
    if let (Some(watched), Err(error)) = (&mut report.watched, &result) {
        watched.code = Some(error.kind.code().to_owned());
    }
    let mut response = result.unwrap_or_else(|error| errors.write(error));
    if let Some(watched) = &mut report.watched {
        // Boxed, so that the common case stays small.
        Box::pin(watched.find_code(&mut response)).await;
    }
    report.status = response.status();
    // A handler that answers 401 itself found no credentials that it accepts; 403 is an answer of its own.
    let reason =
        challenge.or((report.status == StatusCode::UNAUTHORIZED).then_some(Reason::Missing));
    let challenges = reason.map_or(&[][..], |reason| challenges.select(reason));
    framing::remove(&mut response, &method);
    gate.response_headers.apply(
        &mut response,
        &method,
        rate_limit.as_ref(),
        deprecation,
        challenges,
    );
    if let Some(cross_origin) = cross_origin {
        cross_origin.apply(&mut response, origin);
    }
    response
}
