//! Keeps handlers from writing headers that belong to the connection (RFC 9110, sections 7.6.1 and 8.6). The HTTP layer writes
//! them; one that contradicts it would break off the response, or the connection.

use dropshot::Body;
use http::header::{CONNECTION, CONTENT_LENGTH, TE, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderName, HeaderValue, Method, Response, StatusCode};
use hyper::body::Body as _;

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");

/// Removes headers of the connection from the response of a handler, except where they say something that the HTTP layer does
/// not know: of an upgrade, and the length of a body that is a stream or is not sent.
pub fn remove(response: &mut Response<Body>, method: &Method) {
    let status = response.status();
    let is_of_connection = |name: &HeaderName| {
        let names = [CONNECTION, TE, TRANSFER_ENCODING, KEEP_ALIVE];
        names.contains(name) || [UPGRADE, PROXY_CONNECTION, CONTENT_LENGTH].contains(name)
    };
    // Hardly any response has one.
    if status == StatusCode::SWITCHING_PROTOCOLS || !response.headers().keys().any(is_of_connection)
    {
        return;
    }
    let keeps_length = match response.body().size_hint().exact() {
        None => true,
        Some(length) => length == 0 && *method == Method::HEAD,
    };
    let headers = response.headers_mut();
    for name in [
        CONNECTION,
        TE,
        TRANSFER_ENCODING,
        KEEP_ALIVE,
        PROXY_CONNECTION,
    ] {
        headers.remove(name);
    }
    // The client must know to what it shall upgrade (RFC 9110, section 15.5.22).
    if status != StatusCode::UPGRADE_REQUIRED {
        headers.remove(UPGRADE);
    }
    let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
    let is_length = |value: &HeaderValue| {
        let text = value.to_str().unwrap_or_default();
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_one_length = lengths.next().is_some_and(is_length) && lengths.next().is_none();
    if !keeps_length || !is_one_length {
        headers.remove(CONTENT_LENGTH);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use futures::stream;
    use http_body_util::StreamBody;
    use hyper::body::Frame;

    use super::*;

    fn stream() -> Body {
        type Item = Result<Frame<Bytes>, Infallible>;
        Body::wrap(StreamBody::new(stream::empty::<Item>()))
    }

    #[test]
    fn headers_of_the_connection_stay_only_where_the_handler_alone_knows_them() {
        // Method, status, body, header; and whether the header stays.
        for (row, stays) in [
            ("GET 200 four content-length 9", false),
            ("GET 200 four content-length 4", false),
            ("GET 200 empty content-length 9", false),
            ("GET 200 stream content-length 9", true),
            ("GET 200 stream content-length many", false),
            ("HEAD 200 empty content-length 9", true),
            ("HEAD 200 four content-length 9", false),
            ("GET 200 empty transfer-encoding gzip", false),
            ("GET 200 empty connection close", false),
            ("GET 200 empty keep-alive timeout=5", false),
            ("GET 200 empty upgrade h2c", false),
            ("GET 426 empty upgrade h2c", true),
            ("GET 101 empty connection upgrade", true),
            ("GET 200 empty x-other 9", true),
        ] {
            let parts: Vec<&str> = row.split(' ').collect();
            let body = match parts[2] {
                "stream" => stream(),
                "empty" => Body::empty(),
                text => text.to_owned().into(),
            };
            let response = Response::builder().status(parts[1]);
            let mut response = response.header(parts[3], parts[4]).body(body).expect(row);
            remove(&mut response, &parts[0].parse().expect(row));
            assert_eq!(response.headers().contains_key(parts[3]), stays, "{row}");
        }
    }

    #[test]
    fn two_lengths_are_removed() {
        let response = Response::builder().header(CONTENT_LENGTH, "1");
        let response = response.header(CONTENT_LENGTH, "2").body(stream());
        let mut response = response.expect("a response");
        remove(&mut response, &Method::GET);
        assert!(!response.headers().contains_key(CONTENT_LENGTH));
    }
}
