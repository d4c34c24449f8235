//! What the gate reports of each request, however it ends: a count, the latency, and a line in the log.

use std::borrow::Cow;
use std::net::IpAddr;

use dropshot::Body;
use http::{Method, Response, StatusCode};

use super::admission::Admission;
use super::refused_keys::Logging;
use super::state::{Gate, Service};
use super::tail::{Watched, find_code};
use crate::activity::{Sender, Subject};
use crate::auth::KeyPrefix;
use crate::clock::Time;
use crate::error::GateError;
use crate::logging::RequestLine;
use crate::recent_requests::RecentRequest;
use crate::traces::RequestSpan;

/// The status of a request whose client disconnected before its response, in metrics and log. It is that of nginx, and is
/// never sent.
pub const CLIENT_DISCONNECTED: StatusCode = match StatusCode::from_u16(499) {
    Ok(status) => status,
    Err(_) => panic!("499 is a valid status"),
};

/// The report of one request. It is made when this is dropped, so that a request that is cancelled has one as well.
pub struct Report<'a, S: Service> {
    pub gate: &'a Gate<S>,
    pub request_id: &'a str,
    /// When the request arrived.
    pub time: Time,
    pub method: Method,
    /// The path template of the request's target; `None` if it has none.
    pub route: Option<Cow<'static, str>>,
    /// The name of the request's target.
    pub operation: &'static str,
    /// The status of the response, [`CLIENT_DISCONNECTED`] until there is one.
    pub status: StatusCode,
    /// The prefix of the request's key, if it has a valid one.
    pub key_prefix: Option<KeyPrefix>,
    /// The id of the key.
    pub key_id: Option<i64>,
    /// The code of the error, if the response to a key is one.
    pub code: Option<Cow<'static, str>>,
    /// Whether the request has a line in the log.
    pub logging: Logging,
    /// The address of the client, if it is logged.
    pub client: Option<IpAddr>,
    /// The path of the request, if it is logged or there is no template.
    pub path: Option<String>,
    /// What the streams of the request's key show, if anybody watches.
    pub watched: Option<Box<Watched>>,
    /// The span of the request, if requests are traced.
    pub span: Option<Box<RequestSpan>>,
}

impl<S: Service> Report<'_, S> {
    /// Sets what the admission found out about the sender.
    pub fn set_sender<I, T>(&mut self, admission: &Admission<I, T>) {
        (self.key_prefix, self.logging) = (admission.key_prefix, admission.logging);
        self.key_id = admission.key_id;
        if let Some(watched) = &mut self.watched {
            watched.rate_limit = admission.rate_limit;
        }
    }

    /// Sets the error of the gate, if the request has one.
    pub fn set_error(&mut self, error: Option<&GateError>) {
        self.code = error.map(|error| error.kind.code().into());
    }

    /// Sets what the response says.
    pub async fn set_response(&mut self, response: &mut Response<Body>) {
        self.status = response.status();
        if self.status.as_u16() >= 400 && self.key_id.is_some() && self.code.is_none() {
            // Boxed, so that the common case stays small.
            self.code = Box::pin(find_code(response)).await.map(Cow::Owned);
        }
    }
}

impl<S: Service> Drop for Report<'_, S> {
    fn drop(&mut self) {
        let gate = self.gate;
        let latency = gate.time.elapsed_since(&self.time);
        gate.metrics
            .count_response(self.operation, self.status, latency);
        let subject = Subject {
            operation: self.operation,
            status: self.status.as_u16(),
            key: self.key_prefix.map_or(Sender::Anonymous, Sender::Key),
        };
        let second = self.time.wall.timestamp();
        gate.activity.count(subject, latency, second);
        if let Logging::Logged { left_out } = self.logging {
            gate.request_lines.request(&RequestLine {
                request_id: self.request_id,
                method: self.method.as_str(),
                route: self.route.as_deref(),
                operation: self.operation,
                status: self.status.as_u16(),
                latency,
                key: self.key_prefix.as_ref().map(KeyPrefix::as_str),
                left_out,
                client: self.client,
                path: self.path.as_deref(),
                trace_id: self.span.as_ref().map(|span| span.trace_id()),
            });
        }
        if let Some(key_id) = self.key_id {
            let request = RecentRequest {
                time: self.time.wall,
                request_id: self.request_id.into(),
                operation: self.operation,
                status: self.status.as_u16(),
                latency,
                code: self.code.take(),
                // Without a template it is there for a shortened form in the log.
                path: self.path.take().filter(|_| gate.request_lines.has_path()),
            };
            if let Some(watched) = &self.watched {
                gate.streams.publish(key_id, || watched.event(&request));
            }
            gate.recent_requests.add(key_id, request);
        }
        if let Some(span) = self.span.take() {
            let has_response = self.status != CLIENT_DISCONNECTED;
            span.end(has_response.then_some(self.status), latency);
        }
    }
}
