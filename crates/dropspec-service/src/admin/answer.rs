//! Responses of the panel that are one text: plain for programs, and a small page for browsers.

use bytes::Bytes;
use dropspec_gate::message_page::{escape, message_page};
use dropspec_gate::reference::prefers_html;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{HeaderName, HeaderValue, Response, StatusCode};

use super::listener::{PanelBody, full_body};

pub(super) const PLAIN: &str = "text/plain; charset=utf-8";
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// A response with a body of this media type.
pub(super) fn answer(
    status: StatusCode,
    media_type: &'static str,
    body: impl Into<Bytes>,
) -> Response<PanelBody> {
    let mut response = Response::new(full_body(body));
    *response.status_mut() = status;
    set(&mut response, CONTENT_TYPE, media_type);
    response
}

/// A response that says something to whoever sent these headers. The page of an address that does not exist leads to
/// the page of the operator; one that is refused would lead back to the refusal.
pub(super) fn explain(
    headers: &HeaderMap,
    status: StatusCode,
    message: &str,
) -> Response<PanelBody> {
    if !prefers_html(headers) {
        return answer(status, PLAIN, format!("{message}\n"));
    }
    let title = status.canonical_reason().unwrap_or("Error");
    let message = escape(message);
    let mut content = format!("<p>{message}</p>");
    if status == StatusCode::NOT_FOUND {
        content += "\n<p><a href=\"/\">To the page of the operator</a></p>";
    }
    answer(status, HTML, message_page(title, &content))
}

pub(super) fn set(response: &mut Response<PanelBody>, name: HeaderName, value: &'static str) {
    response
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
}
