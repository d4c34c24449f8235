//! The pages beside the operations: compressed and revalidated; and what a browser gets instead of an error as JSON.

use std::io::Read;

use dropspec_service::Server;
use flate2::read::GzDecoder;
use reqwest::{Client, Method, Response};

use super::tiny_service::{Notes, TOKEN, start, three_a_day};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn get(server: &Server<Notes>, path: &str, header: (&str, &str)) -> Response {
    let client = Client::builder().no_gzip().build().unwrap();
    let request = client.get(server.base_url() + path);
    request.header(header.0, header.1).send().await.unwrap()
}

#[tokio::test]
async fn page_is_compressed_for_clients_that_accept_gzip() {
    let server = start(None);
    let script = "/docs/scalar.js";
    let plain = get(&server, script, ("accept-encoding", "identity")).await;
    assert_eq!(plain.headers().get("content-encoding"), None);
    let small = get(&server, script, ("accept-encoding", "br, gzip")).await;
    assert_eq!(small.headers()["content-encoding"], "gzip");
    for page in [&plain, &small] {
        assert_eq!(page.headers()["vary"], "accept-encoding");
    }
    assert_ne!(plain.headers()["etag"], small.headers()["etag"]);
    let (plain, small) = (plain.bytes().await.unwrap(), small.bytes().await.unwrap());
    assert!(small.len() < 1_500_000, "{}", small.len());
    let mut decompressed = Vec::new();
    let mut decoder = GzDecoder::new(&small[..]);
    decoder.read_to_end(&mut decompressed).unwrap();
    assert!(decompressed == plain, "the bytes differ");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn page_that_the_client_has_is_not_sent_again() {
    let server = start(None);
    for path in [
        "/docs",
        "/docs/scalar.js",
        "/docs/start.js",
        "/openapi.yaml",
    ] {
        let page = get(&server, path, ("accept", "*/*")).await;
        let (tag, caching) = (&page.headers()["etag"], &page.headers()["cache-control"]);
        let again = get(&server, path, ("if-none-match", tag.to_str().unwrap())).await;
        assert_eq!(again.status(), 304, "{path}");
        assert_eq!(again.headers()["etag"], tag, "{path}");
        assert_eq!(again.headers()["cache-control"], caching, "{path}");
        assert!(again.bytes().await.unwrap().is_empty(), "{path}");
        let changed = get(&server, path, ("if-none-match", "\"other\"")).await;
        assert_eq!(changed.status(), 200, "{path}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn browser_at_a_wrong_address_is_told_so_and_counted_like_everybody_without_a_key() {
    let server = start(three_a_day());
    let ask = async |accept: &str| {
        let request = Client::new().get(server.base_url() + "/nowhere");
        let answer = request.header("accept", accept).send().await.unwrap();
        let remaining = answer.headers()["x-ratelimit-remaining"]
            .to_str()
            .unwrap()
            .to_owned();
        assert_eq!(
            answer.headers().contains_key("www-authenticate"),
            answer.status() == 401
        );
        (
            answer.status().as_u16(),
            remaining,
            answer.text().await.unwrap(),
        )
    };
    let (status, remaining, page) = ask(BROWSER).await;
    assert_eq!((status, &*remaining), (404, "2"));
    for part in [
        "There is no page and no operation at this address.",
        "<a href=\"/docs\">",
    ] {
        assert_eq!(page.matches(part).count(), 1, "{page}");
    }
    // A program gets what it got.
    assert_eq!(ask("*/*").await.0, 401);
    assert_eq!(ask(BROWSER).await.0, 404);
    let (status, remaining, page) = ask(BROWSER).await;
    assert_eq!((status, &*remaining), (429, "0"), "{page}");
    assert!(page.contains("<h1>Too Many Requests</h1>"), "{page}");
    let limit = "The limit of 3 requests a day is spent; try again in";
    assert!(page.contains(limit), "{page}");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn browser_gets_an_error_of_the_gate_as_a_page_and_programs_get_it_as_declared() {
    let server = start(three_a_day());
    let rows = [
        (Method::GET, "/notes", None, 401, "unauthorized"),
        (Method::GET, "/nowhere", Some(TOKEN), 404, "route_not_found"),
        (
            Method::DELETE,
            "/notes",
            Some(TOKEN),
            405,
            "method_not_allowed",
        ),
    ];
    for (method, path, token, status, code) in rows {
        let mut seen = Vec::new();
        for accept in [BROWSER, "*/*", "application/json, text/html;q=0.1"] {
            // A server of its own, so that no limit is spent.
            let server = start(three_a_day());
            let mut request = Client::new().request(method.clone(), server.base_url() + path);
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            let response = request.header("accept", accept).send().await.unwrap();
            assert_eq!(response.status(), status, "{path} {accept}");
            assert!(response.headers().contains_key("x-ratelimit-limit"));
            assert_eq!(response.headers().contains_key("allow"), status == 405);
            let media_type = response.headers()["content-type"]
                .to_str()
                .unwrap()
                .to_owned();
            seen.push((media_type, response.text().await.unwrap()));
            server.stop().await.unwrap();
        }
        let (media_type, page) = &seen[0];
        assert_eq!(media_type, "text/html; charset=utf-8");
        for part in [&format!("<code>{code}</code>"), "<a href=\"/docs\">"] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
        for (media_type, text) in &seen[1..] {
            assert_eq!(media_type, "application/problem+json");
            assert!(text.contains(code), "{text}");
        }
    }
    server.stop().await.unwrap();
}
