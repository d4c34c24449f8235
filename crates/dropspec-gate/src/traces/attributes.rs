//! The name and the attributes of a request's span.

use std::borrow::Cow;

use http::{Method, Version};
use opentelemetry::{Array, KeyValue, StringValue, Value};

use super::SpanStart;

/// The longest path that a span has, in bytes. What is longer is cut, as thousands of spans may wait.
const MAX_PATH: usize = 1024;

/// The methods that the conventions know (RFC 9110, and RFC 5789); any other is `_OTHER`.
const KNOWN_METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::CONNECT,
    Method::OPTIONS,
    Method::TRACE,
    Method::PATCH,
];

/// The name of a span: few different ones, so without anything that a client chooses.
pub(super) fn span_name(method: &Method, route: Option<&str>) -> Cow<'static, str> {
    let method = if KNOWN_METHODS.contains(method) {
        method.as_str()
    } else {
        "HTTP"
    };
    match route {
        Some(route) => format!("{method} {route}").into(),
        None => method.to_owned().into(),
    }
}

/// The attributes that are known when a span begins.
pub(super) fn attributes(start: SpanStart<'_>, scheme: &'static str) -> Vec<KeyValue> {
    let mut attributes = Vec::with_capacity(9);
    let mut set = |name, value: Value| attributes.push(KeyValue::new(name, value));
    let method = start.method.as_str().to_owned();
    if KNOWN_METHODS.contains(start.method) {
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
