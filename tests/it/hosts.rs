//! The `Host` of requests: each must name exactly one valid host, whatever its path and whoever sends it.

use http::{Request, Version};
use test_support::{Response, TestApp, raw_http};

const MISSING: &str = "400 malformed_request: the Host header is missing";
const INVALID: &str =
    "400 malformed_request: the Host header is not a host name or address with an optional port";
const SEVERAL: &str = "400 malformed_request: there is more than one Host header";
const INVALID_TARGET: &str = "400 malformed_request: the host in the request target is not a host name or address with an optional port";
const DIFFERENT: &str = "400 malformed_request: the Host header differs from :authority";

#[tokio::test]
async fn request_without_exactly_one_valid_host_is_malformed() {
    let app = TestApp::start().await;
    let rows = [
        ("GET /pets HTTP/1.1", "", MISSING),
        ("GET /pets HTTP/1.1", "Host: a\r\nHost: a\r\n", SEVERAL),
        ("GET /pets HTTP/1.1", "Host: a b\r\n", INVALID),
        ("GET /pets HTTP/1.1", "Host: a\r\n", "200"),
        // The host in the request target takes precedence, but the header is still required.
        ("GET http://b/pets HTTP/1.1", "", MISSING),
        ("GET http://b/pets HTTP/1.1", "Host: a\r\n", "200"),
        (
            "GET http://ann@b/pets HTTP/1.1",
            "Host: b\r\n",
            INVALID_TARGET,
        ),
        // HTTP/1.0 has no such duty.
        ("GET /pets HTTP/1.0", "", "200"),
        ("OPTIONS /pets HTTP/1.1", "", MISSING),
        ("GET /docs HTTP/1.1", "", MISSING),
    ];
    for (line, host, expected) in rows {
        let response = app.send_head(&format!("{line}\r\n{host}")).await;
        assert_eq!(describe(&response), expected, "{line} {host:?}");
    }
    // It is charged like any other, to the address where there is no valid key.
    let anonymous = app.anonymous().send_head("GET /pets HTTP/1.1\r\n").await;
    assert_eq!(anonymous.error(), MISSING);
    assert_eq!(anonymous.rate_limit().1, 59);
}

#[tokio::test]
async fn http2_request_needs_authority_or_host_and_both_must_agree() {
    let app = TestApp::start().await;
    let rows = [
        ("http://a/pets", None, "200"),
        ("/pets", Some("a"), "200"),
        ("/pets", None, MISSING),
        ("http://a/pets", Some("b"), DIFFERENT),
    ];
    for (target, host, expected) in rows {
        let mut request = Request::builder()
            .uri(target)
            .header("X-API-Key", app.owner_key());
        if let Some(host) = host {
            request = request.header("Host", host);
        }
        // The client refuses a relative target of version 2, and sends it if it comes from version 1.
        let request = request
            .version(Version::HTTP_11)
            .body(raw_http::empty_body());
        let response = raw_http::send_http2(app.address(), request.unwrap()).await;
        assert_eq!(describe(&response), expected, "{target} {host:?}");
    }
}

fn describe(response: &Response) -> String {
    match response.status {
        400.. => response.error(),
        status => status.to_string(),
    }
}
