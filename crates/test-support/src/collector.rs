//! A collector of traces: it takes what servers export by OTLP over HTTP, on a thread of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Map, Value};

/// A collector on a port of this machine. It collects until the test ends.
pub struct Collector {
    address: SocketAddr,
    exports: Arc<Mutex<Vec<Export>>>,
}

/// One request to a collector.
#[derive(Clone)]
pub struct Export {
    /// The request line and the headers, in lower case.
    pub head: String,
    /// The body, as it was sent.
    pub body: Vec<u8>,
}

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
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let exports = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&exports);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                receive(&mut stream, &collected);
            }
        });
        Collector { address, exports }
    }

    /// The URL of the collector.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn exports(&self) -> Vec<Export> {
        self.exports.lock().unwrap().clone()
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

/// Reads one request, keeps it, and answers it. `None` if the client leaves before its end.
fn receive(stream: &mut TcpStream, collected: &Mutex<Vec<Export>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1)?;
    let length = length.split("\r\n").next()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    // Before the answer, after which the server may end and the test read.
    collected.lock().unwrap().push(Export { head, body });
    stream.write_all(answer.as_bytes()).ok()
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
