//! Sends 304 instead of a representation that the client has already (RFC 9110, section 13.1.2).

use dropshot::Body;
use headers::{ETag, HeaderMapExt, IfNoneMatch};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, Method, Response, StatusCode};

/// The condition of a request under which its response is sent: the header `If-None-Match` of a GET or HEAD.
#[derive(Debug)]
pub struct Revalidation(Option<IfNoneMatch>);

impl Revalidation {
    /// Reads the condition of a request. A malformed tag equals no tag, so that the response is sent.
    pub fn of_request(method: &Method, headers: &HeaderMap) -> Revalidation {
        let reads = [Method::GET, Method::HEAD].contains(method);
        Revalidation(reads.then(|| headers.typed_get()).flatten())
    }

    /// Replaces a 200 by an empty 304 if its `ETag` is one of the request, by the weak comparison. The other headers
    /// stay; those that describe the body go (RFC 9110, section 15.4.5).
    pub fn apply(&self, mut response: Response<Body>) -> Response<Body> {
        let (Some(condition), StatusCode::OK) = (&self.0, response.status()) else {
            return response;
        };
        let tag = response.headers().typed_get::<ETag>();
        if tag.is_some_and(|tag| !condition.precondition_passes(&tag)) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Body::empty();
            response.headers_mut().remove(CONTENT_TYPE);
            response.headers_mut().remove(CONTENT_LENGTH);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use http::header::{ETAG, IF_NONE_MATCH, LINK};

    use super::*;

    /// The response to a request with `If-None-Match`, where the handler's response has this status and tag.
    fn respond(method: &Method, if_none_match: &str, status: u16, tag: &str) -> Response<Body> {
        let mut headers = HeaderMap::new();
        if let Ok(value) = if_none_match.parse() {
            headers.insert(IF_NONE_MATCH, value);
        }
        let response = Response::builder()
            .status(status)
            .header(CONTENT_TYPE, "application/json")
            .header(LINK, "</pets?after=2>")
            .header(ETAG, tag)
            .body(Body::from("[]"))
            .unwrap_or_default();
        Revalidation::of_request(method, &headers).apply(response)
    }

    #[test]
    fn sends_304_if_the_client_has_the_tag() {
        let (get, head, put) = (&Method::GET, &Method::HEAD, &Method::PUT);
        let cases = [
            (get, r#""a""#, 200, r#""a""#, 304, "the same tag"),
            (head, r#""a""#, 200, r#""a""#, 304, "HEAD"),
            (
                get,
                r#""b", W/"a""#,
                200,
                r#""a""#,
                304,
                "a weak one of several",
            ),
            (get, "*", 200, r#""a""#, 304, "any tag"),
            (get, r#""b""#, 200, r#""a""#, 200, "another tag"),
            (get, "a", 200, r#""a""#, 200, "malformed"),
            (get, "*", 200, "", 200, "a response without a tag"),
            (get, "*", 404, r#""a""#, 404, "an error"),
            (put, "*", 200, r#""a""#, 200, "a write"),
        ];
        for (method, if_none_match, status, tag, expected, reason) in cases {
            let response = respond(method, if_none_match, status, tag);
            assert_eq!(response.status(), expected, "{reason}");
        }
    }

    #[test]
    fn response_304_keeps_the_headers_that_do_not_describe_the_body() {
        let response = respond(&Method::GET, "*", 200, r#""a""#);
        let names: HashSet<_> = response.headers().keys().collect();
        assert_eq!(names, HashSet::from([&LINK, &ETAG]));
    }
}
