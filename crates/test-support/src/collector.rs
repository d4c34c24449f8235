//! A collector of traces: it takes what servers export by OTLP over HTTP, on a thread of its own.

use std::net::SocketAddr;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Map, Value};
use test_network::{Request, Server, response};

/// A collector on a port of this machine. It collects until the test ends.
pub struct Collector(Server);

/// A span, with the attributes of the server that sent it.
#[derive(Clone, Debug)]
pub struct CollectedSpan {
    /// The span as it was sent.
    pub span: Span,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// The attributes of the server.
    pub resource: Map<String, Value>,
}

impl Collector {
    /// Starts a collector on a free port.
    pub fn start() -> Collector {
        Collector::start_at(SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    /// Starts a collector at an address.
    pub fn start_at(address: SocketAddr) -> Collector {
        let answer = response("200 OK\r\ncontent-type: application/x-protobuf", "");
        Collector(Server::start_at(address, move |_| answer.clone()))
    }

    /// The URL of the collector.
    pub fn url(&self) -> String {
        self.0.url()
    }

    /// The requests so far.
    pub fn exports(&self) -> Vec<Request> {
        self.0.requests()
    }

    /// The spans so far, in the order in which they were sent.
    pub fn spans(&self) -> Vec<CollectedSpan> {
        let requests = self.exports().into_iter().map(|export| {
            ExportTraceServiceRequest::decode(&*export.body).expect("an export of traces")
        });
        let resources = requests.flat_map(|request| request.resource_spans);
        let spans = resources.flat_map(|spans| {
            let resource = spans.resource.unwrap_or_default();
            let resource = to_map(&resource.attributes);
            let spans = spans.scope_spans.into_iter().flat_map(|it| it.spans);
            spans.map(move |span| CollectedSpan {
                attributes: to_map(&span.attributes),
                resource: resource.clone(),
                span,
            })
        });
        spans.collect()
    }
}

impl CollectedSpan {
    /// The id of its trace, as it is written in headers and logs.
    pub fn trace_id(&self) -> String {
        to_hex(&self.span.trace_id)
    }

    /// The id of its parent; empty if it has none.
    pub fn parent_id(&self) -> String {
        to_hex(&self.span.parent_span_id)
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn to_map(attributes: &[KeyValue]) -> Map<String, Value> {
    let pairs = attributes.iter();
    let pairs = pairs.map(|it| (it.key.clone(), to_json(it.value.as_ref())));
    pairs.collect()
}

fn to_json(value: Option<&AnyValue>) -> Value {
    match value.and_then(|it| it.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => text.as_str().into(),
        Some(any_value::Value::IntValue(number)) => (*number).into(),
        Some(any_value::Value::ArrayValue(list)) => {
            list.values.iter().map(|it| to_json(Some(it))).collect()
        }
        other => panic!("no attribute has such a value: {other:?}"),
    }
}
