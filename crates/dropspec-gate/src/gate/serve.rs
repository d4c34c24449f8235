//! The way of a request through the gate: the steps of [`serve`], in their order.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use dropshot::{Body, RequestContext, RequestInfo};
use dropspec_runtime::Route;
use http::{HeaderValue, Method, Response, StatusCode};

use super::admission::{Admission, Admitted, Demand};
use super::catch_panic::catch_panic;
use super::challenge::Reason;
use super::credentials::Credentials;
use super::cross_origin::is_preflight;
use super::host::{check_host, check_path};
use super::in_flight::InFlightGuard;
use super::refused_keys::Logging;
use super::report::{CLIENT_DISCONNECTED, Report};
use super::request_body::RequestBody;
use super::route::{SelectedTarget, Target};
use super::state::{Gate, Identity, Service};
use super::tail::{self, Watched};
use super::{framing, no_operation};
use crate::clock::Time;
use crate::error::GateError;
use crate::rate_limit::RateLimitInfo;
use crate::reference::prefers_html;
use crate::request_log::RequestLog;
use crate::traces::{RequestSpan, SpanStart};

/// A request on its way: what its steps share.
struct Passage<'a, S: Service> {
    gate: &'a Arc<Gate<S>>,
    log: RequestLog<'a>,
    time: Time,
    method: Method,
    /// The origin whose pages may read the response, as the response names it.
    origin: Option<HeaderValue>,
    selected: SelectedTarget<'a>,
    request_id: &'a str,
    /// Whether the sender is a browser that shows a page.
    wants_html: bool,
}

/// What the steps before the response decided about the headers of the response.
struct ResponseHeaderInputs {
    rate_limit: Option<RateLimitInfo>,
    challenge: Option<Reason>,
}

/// Serves a request that arrived at `time`, from routing to the log line. It never fails: every error becomes a response.
pub async fn serve<S: Service>(
    rqctx: RequestContext<Arc<Gate<S>>>,
    body: RequestBody,
    (_in_flight, time): (InFlightGuard, Time),
) -> Response<Body> {
    // The context moves into the handler of the operation.
    let (gate, request_id) = (Arc::clone(rqctx.context()), rqctx.request_id.clone());
    let passage = Passage::route(&gate, &rqctx.request, &request_id, time);
    let mut report = passage.begin_report(&rqctx.request);
    // A sender is authenticated and charged before it learns whether the target exists.
    let admission = passage.admit(&rqctx.request).await;
    report.set_sender(&admission);
    let inputs = ResponseHeaderInputs {
        rate_limit: admission.rate_limit,
        challenge: admission.challenge,
    };
    let result = match admission.outcome {
        Ok(admitted) => passage.execute(rqctx, body, admitted, &report).await,
        Err(error) => Err(error),
    };
    report.set_error(result.as_ref().err());
    let mut response =
        result.unwrap_or_else(|error| gate.write_error(error, &request_id, passage.wants_html));
    report.set_response(&mut response).await;
    passage.apply_response_headers(&mut response, &inputs);
    response
}

impl<'a, S: Service> Passage<'a, S> {
    /// Finds the target of a request, which determines what is charged and who may call it.
    fn route(
        gate: &'a Arc<Gate<S>>,
        head: &RequestInfo,
        request_id: &'a str,
        time: Time,
    ) -> Passage<'a, S> {
        let (method, uri, headers) = (head.method(), head.uri(), head.headers());
        let origin = gate.cross_origin.as_ref().and_then(|it| it.allow(headers));
        let checked =
            check_host(head.version(), uri, headers).and_then(|()| check_path(uri.path()));
        let target = match checked {
            Ok(()) if origin.is_some() && is_preflight(method, headers) => Target::Preflight,
            Ok(()) => gate.routes.find(method, uri.path()),
            Err(message) => Target::Malformed(message),
        };
        let wants_html = prefers_html(headers);
        Passage {
            gate,
            log: gate.request_log(request_id),
            time,
            method: method.clone(),
            origin,
            selected: gate.routes.describe(target, wants_html),
            request_id,
            wants_html,
        }
    }

    /// Begins the report of the request, which is made however the request ends.
    fn begin_report(&self, head: &RequestInfo) -> Report<'a, S> {
        let (gate, request_id) = (self.gate, self.request_id);
        let lines = &gate.request_lines;
        let (method, path) = (head.method(), head.uri().path());
        let route = gate.routes.template(&self.selected.target);
        let mut report = Report {
            gate,
            request_id,
            time: self.time,
            method: method.clone(),
            operation: self.selected.name,
            status: CLIENT_DISCONNECTED,
            key_prefix: None,
            key_id: None,
            code: None,
            logging: Logging::LOGGED,
            client: lines.has_client().then(|| gate.find_address(head)),
            path: (lines.has_path() || route.is_none()).then(|| path.to_owned()),
            route,
            watched: None,
            span: None,
        };
        if gate.streams.are_open() && !matches!(self.selected.target, Target::Tail) {
            report.watched = Some(Box::new(Watched::new(method, path)));
        }
        if let Some(traces) = &gate.traces {
            report.span = Some(traces.begin(SpanStart {
                time: self.time.wall.into(),
                request_id,
                method,
                version: head.version(),
                headers: head.headers(),
                route: report.route.clone(),
                path: report.path.as_deref().filter(|_| lines.has_path()),
                client: report.client,
            }));
        }
        report
    }

    /// Authenticates the sender, charges its limit and checks its access.
    async fn admit(&self, head: &RequestInfo) -> Admission<S::Interface, Identity<S>> {
        let (gate, selected) = (self.gate, &self.selected);
        let admission = async {
            Ok(match selected.policy {
                // A browser sends it without the key of its page.
                None if matches!(selected.target, Target::Preflight) => Admission::uncharged(),
                None => gate.admit_page(head, self.time),
                Some(policy) => {
                    let demand = Demand {
                        operation: selected.target.operation(),
                        policy,
                        places: &selected.challenges.places,
                    };
                    gate.admit(head, demand, self.time, self.log).await
                }
            })
        };
        let admission = catch_panic(admission, selected.name, self.log).await;
        admission.unwrap_or_else(|error| gate.failed_admission(error, self.time))
    }

    /// Calls the operation of an admitted request, or responds as its target says that has none.
    async fn execute(
        &self,
        rqctx: RequestContext<Arc<Gate<S>>>,
        body: RequestBody,
        admitted: Admitted<S::Interface, Identity<S>>,
        report: &Report<'_, S>,
    ) -> Result<Response<Body>, GateError> {
        let (permit, principals) = admitted;
        let key_id = principals.first().map(|sender| sender.account.key_id);
        match (&self.selected.target, permit) {
            (Target::Route(Route::Found { parameters, .. }), Some(permit)) => {
                let senders = (principals, self.time);
                let gate = self.gate;
                let executed = gate.execute(rqctx, permit, parameters, senders, body, self.log);
                let mut executed = pin!(executed);
                let span = report.span.as_deref();
                // What the handler calls belongs to the span of the request.
                let executed = poll_fn(|context| {
                    let _current = span.map(RequestSpan::attach);
                    executed.as_mut().poll(context)
                });
                catch_panic(executed, self.selected.name, self.log).await
            }
            (Target::Tail, _) => match key_id {
                Some(key_id) => {
                    let credentials = Credentials::of(&rqctx.request, None, key_id);
                    tail::open(self.gate, key_id, credentials)
                }
                // It is admitted with a sender only.
                None => Err(GateError::internal()),
            },
            (target, _) => no_operation::respond(target, &rqctx, self.wants_html),
        }
    }

    /// Adds the headers that every response has, and removes those that belong to the connection.
    fn apply_response_headers(self, response: &mut Response<Body>, inputs: &ResponseHeaderInputs) {
        let SelectedTarget {
            challenges,
            deprecation,
            ..
        } = &self.selected;
        // A handler that answers 401 itself found no credentials that it accepts; 403 is an answer of its own.
        let is_unauthorized = response.status() == StatusCode::UNAUTHORIZED;
        let reason = inputs
            .challenge
            .or(is_unauthorized.then_some(Reason::Missing));
        let challenges = reason.map_or(&[][..], |reason| challenges.select(reason));
        framing::remove(response, &self.method);
        self.gate.response_headers.apply(
            response,
            &self.method,
            inputs.rate_limit.as_ref(),
            *deprecation,
            challenges,
        );
        if let Some(cross_origin) = &self.gate.cross_origin {
            cross_origin.apply(response, self.origin);
        }
    }
}
