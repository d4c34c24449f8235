//! Renders the exchange of a break as text: both messages as they go over the wire, and which document refuses what.

use std::fmt::Write;

use crate::finding::Side;
use crate::finding::{Exchange, MessageKind};

/// The messages.
pub(super) fn render_messages(exchange: &Exchange) -> String {
    let mut out = String::new();
    let request = &exchange.request;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{} {} HTTP/1.1", request.method, request.target);
    write_rest(&mut out, &request.headers, request.body.as_deref());
    out.push('\n');
    let response = &exchange.response;
    let _ = writeln!(out, "HTTP/1.1 {}", response.status);
    write_rest(&mut out, &response.headers, response.body.as_deref());
    out
}

fn write_rest(out: &mut String, headers: &[(String, String)], body: Option<&str>) {
    for (name, value) in headers {
        let _ = writeln!(out, "{name}: {value}");
    }
    if let Some(body) = body {
        let _ = writeln!(out, "\n{body}");
    }
}

/// Which document refuses what, in one line.
pub(super) fn explain(exchange: &Exchange) -> String {
    let refused = &exchange.refused;
    let what = match refused.message {
        MessageKind::Request => "request",
        MessageKind::Response => "response",
    };
    let by = match refused.by {
        Side::Base => "clients of the base refuse",
        Side::Revision => "the revision refuses",
    };
    format!("{by} the {what}: {}: {}", refused.place, refused.reason)
}
