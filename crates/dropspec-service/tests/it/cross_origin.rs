//! Requests from pages of other sites (CORS).

use dropspec_gate::{CorsOrigin, RequestPolicy};
use dropspec_service::Server;
use reqwest::{Client, Method, RequestBuilder};

use super::tiny_service::{Notes, TOKEN, policy, send, start_with, three_a_day};

const SHOP: &str = "https://shop.example";

fn start(origins: &[&str]) -> Server<Notes> {
    let origins = origins.iter().map(|origin| origin.parse().unwrap());
    start_with(RequestPolicy {
        cors_origins: origins.collect::<Vec<CorsOrigin>>(),
        limits: three_a_day(),
        ..policy()
    })
}

fn request(server: &Server<Notes>, method: Method, path: &str, origin: &str) -> RequestBuilder {
    let request = Client::new().request(method, server.base_url() + path);
    request.header("origin", origin)
}

fn preflight(server: &Server<Notes>, path: &str, origin: &str) -> RequestBuilder {
    request(server, Method::OPTIONS, path, origin)
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,content-type",
        )
}

#[tokio::test]
async fn preflight_of_an_allowed_site_needs_no_key_and_is_not_counted() {
    let server = start(&["http://localhost:3000", SHOP]);
    // Whether there is something at the path is not said.
    for path in ["/notes", "/notes", "/notes", "/nowhere", "/docs"] {
        let response = preflight(&server, path, SHOP).send().await.unwrap();
        assert_eq!(response.status(), 204, "{path}");
        for (name, expected) in [
            ("access-control-allow-origin", SHOP),
            ("access-control-allow-methods", "*"),
            ("access-control-allow-headers", "*, Authorization"),
            ("access-control-max-age", "7200"),
        ] {
            assert_eq!(response.headers()[name], expected, "{path}: {name}");
        }
        let credentials = response.headers().get("access-control-allow-credentials");
        assert_eq!(credentials, None);
    }
    let first = send(&server, "/status", None, None).await;
    assert_eq!(first.header("x-ratelimit-remaining"), Some("2"), "of three");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn allowed_site_can_read_responses_and_errors_with_their_limits() {
    let server = start(&[SHOP]);
    for (path, status) in [("/status", 200), ("/notes", 401), ("/docs", 200)] {
        let response = request(&server, Method::GET, path, SHOP)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), status, "{path}");
        let headers = response.headers();
        assert_eq!(headers["access-control-allow-origin"], SHOP, "{path}");
        let exposed = headers["access-control-expose-headers"].to_str().unwrap();
        for name in ["X-RateLimit-Remaining", "Retry-After", "X-Request-Id"] {
            assert!(exposed.contains(name), "{exposed}");
        }
        let vary: Vec<_> = headers.get_all("vary").iter().collect();
        assert!(vary.iter().any(|it| *it == "origin"), "{path}: {vary:?}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn other_sites_are_answered_as_if_there_were_no_setting() {
    for (server, varies) in [(start(&[]), false), (start(&[SHOP]), true)] {
        let other = "https://shop.example.evil.example";
        let response = preflight(&server, "/notes", other).send().await.unwrap();
        assert_eq!(response.status(), 401, "a request like any other");
        let keyed = preflight(&server, "/notes", other).bearer_auth(TOKEN);
        let responses = [response, keyed.send().await.unwrap()];
        assert_eq!(responses[1].status(), 204);
        assert!(responses[1].headers().contains_key("allow"));
        for response in responses {
            let mut names = response.headers().keys();
            assert!(!names.any(|name| name.as_str().starts_with("access-control-")));
            let mut vary = response.headers().get_all("vary").iter();
            assert_eq!(vary.any(|it| it == "origin"), varies);
        }
        server.stop().await.unwrap();
    }
}

#[tokio::test]
async fn every_site_is_allowed_by_a_star() {
    let server = start(&[SHOP, "*"]);
    let response = preflight(&server, "/notes", "null").send().await.unwrap();
    assert_eq!(response.status(), 204);
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    let plain = send(&server, "/status", None, None).await;
    assert_eq!(
        plain.header("access-control-allow-origin"),
        None,
        "from no site"
    );
    server.stop().await.unwrap();
}
