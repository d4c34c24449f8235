//! The span of one request.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::{HeaderMap, Method, StatusCode, Version};
use opentelemetry::context::ContextGuard;
use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceContextExt, TraceId};
use opentelemetry::{Array, Context, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use super::queue::SpanQueue;

/// The longest path that a span has, in bytes. What is longer is cut, as thousands of spans may wait.
const MAX_PATH: usize = 1024;

/// What is known of a request when its span begins.
pub(crate) struct SpanStart<'a> {
    pub(crate) time: SystemTime,
    pub(crate) request_id: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) version: Version,
    pub(crate) headers: &'a HeaderMap,
    /// The path template of the operation, or the path of the page; `None` if the request selects neither.
    pub(crate) route: Option<Cow<'static, str>>,
    /// The path, if it may be shown.
    pub(crate) path: Option<&'a str>,
    /// The address of the client, if it may be shown.
    pub(crate) client: Option<IpAddr>,
}

/// The span of a request that is being served.
#[derive(Debug)]
pub(crate) struct RequestSpan {
    /// The context whose span is this one.
    context: Context,
    parent: Option<SpanId>,
    /// `None` if the span is not exported.
    recorded: Option<Recorded>,
}

#[derive(Debug)]
struct Recorded {
    name: Cow<'static, str>,
    start: SystemTime,
    attributes: Vec<KeyValue>,
    scope: InstrumentationScope,
    queue: Arc<SpanQueue>,
}

impl RequestSpan {
    /// Begins a span. It is exported if it has a `scope`.
    pub(super) fn new(
        start: SpanStart<'_>,
        scheme: &'static str,
        context: SpanContext,
        parent: Option<SpanId>,
        scope: Option<InstrumentationScope>,
        queue: Arc<SpanQueue>,
    ) -> RequestSpan {
        RequestSpan {
            context: Context::new().with_remote_span_context(context),
            parent,
            recorded: scope.map(|scope| Recorded {
                name: span_name(start.method, start.route.as_deref()),
                start: start.time,
                attributes: attributes(start, scheme),
                scope,
                queue,
            }),
        }
    }

    /// The id of the trace to which the span belongs.
    pub(crate) fn trace_id(&self) -> TraceId {
        self.context.span().span_context().trace_id()
    }

    /// Makes this span the current one of the thread until the guard is dropped.
    pub(crate) fn attach(&self) -> ContextGuard {
        self.context.clone().attach()
    }

    /// Ends the span with the status of the response; `None` if the client disconnected before.
    pub(crate) fn end(self, status: Option<StatusCode>, latency: Duration) {
        let Some(recorded) = self.recorded else {
            return;
        };
        let mut attributes = recorded.attributes;
        let mut outcome = Status::Unset;
        match status {
            None => {
                attributes.push(KeyValue::new("error.type", "client_disconnected"));
            }
            Some(status) => {
                let code = i64::from(status.as_u16());
                attributes.push(KeyValue::new("http.response.status_code", code));
                if status.is_server_error() {
                    attributes.push(KeyValue::new("error.type", status.as_str().to_owned()));
                    outcome = Status::error("");
                }
            }
        }
        recorded.queue.push(SpanData {
            span_context: self.context.span().span_context().clone(),
            parent_span_id: self.parent.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: self.parent.is_some(),
            span_kind: SpanKind::Server,
            name: recorded.name,
            start_time: recorded.start,
            end_time: recorded.start + latency,
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: outcome,
            instrumentation_scope: recorded.scope,
        });
    }
}

/// The methods that the conventions know (RFC 9110, and RFC 5789); any other is `_OTHER`.
fn is_known(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET
            | Method::HEAD
            | Method::POST
            | Method::PUT
            | Method::DELETE
            | Method::CONNECT
            | Method::OPTIONS
            | Method::TRACE
            | Method::PATCH
    )
}

/// The name of a span: few different ones, so without anything that a client chooses.
fn span_name(method: &Method, route: Option<&str>) -> Cow<'static, str> {
    let method = if is_known(method) {
        method.as_str()
    } else {
        "HTTP"
    };
    match route {
        Some(route) => format!("{method} {route}").into(),
        None => method.to_owned().into(),
    }
}

fn attributes(start: SpanStart<'_>, scheme: &'static str) -> Vec<KeyValue> {
    let mut attributes = Vec::with_capacity(9);
    let mut set = |name, value: Value| attributes.push(KeyValue::new(name, value));
    let method = start.method.as_str().to_owned();
    if is_known(start.method) {
        set("http.request.method", method.into())
    } else {
        set("http.request.method", "_OTHER".into());
        set("http.request.method_original", method.into());
    }
    if let Some(route) = start.route {
        set("http.route", route.into());
    }
    set("url.scheme", scheme.into());
    if let Some(path) = start.path {
        let end = path.floor_char_boundary(MAX_PATH);
        set("url.path", path[..end].to_owned().into());
    }
    if let Some(client) = start.client {
        set("client.address", client.to_string().into());
    }
    let version = match start.version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    };
    set("network.protocol.version", version.into());
    // A list, as every header in the conventions.
    let id = StringValue::from(start.request_id.to_owned());
    let id = Value::Array(Array::String(vec![id]));
    set("http.response.header.x-request-id", id);
    attributes
}
