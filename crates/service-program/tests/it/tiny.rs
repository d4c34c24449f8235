//! The gate before a service that shares nothing with the petstore: no extensions, bearer tokens, problem details.

use spec_gate::RequestPolicy;

use super::tiny_service::{
    BOB, EXPIRED, TOKEN, policy, send, start, start_with, start_with_clock, three_a_day,
};

const NOTE: &str = r#"{"text": "milk"}"#;

#[tokio::test]
async fn public_operation_answers_without_key_and_knows_the_sender_with_one() {
    let server = start(three_a_day());
    let anonymous = send(&server, "/status", None, None).await;
    assert_eq!(
        (anonymous.status, &anonymous.body["sender"]),
        (200, &"anonymous".into())
    );
    assert_eq!(anonymous.header("x-ratelimit-limit"), Some("3"));
    let invalid = send(&server, "/status", Some("wrong"), None).await;
    assert_eq!(invalid.body["sender"], "anonymous");
    let ann = send(&server, "/status", Some(TOKEN), None).await;
    assert_eq!((ann.status, &ann.body["sender"]), (200, &"ann".into()));
    assert_eq!(ann.header("x-ratelimit-limit"), Some("4"));
    server.stop().await.unwrap();
}

#[tokio::test]
async fn credentials_that_are_missing_invalid_or_expired_are_told_apart() {
    let server = start(None);
    let invalid = "Bearer realm=\"notes\", error=\"invalid_token\"";
    for (token, detail, challenge) in [
        (
            None,
            "send your credentials in the Authorization header after \"Bearer\"",
            "Bearer realm=\"notes\"",
        ),
        (
            Some("other"),
            "the Authorization header after \"Bearer\" holds no valid credentials",
            invalid,
        ),
        (
            Some(EXPIRED),
            "the credentials have expired; ask for new ones",
            invalid,
        ),
    ] {
        let reply = send(&server, "/notes", token, Some(r#"{"text":"a"}"#)).await;
        assert_eq!(reply.outcome(), "401 unauthorized");
        assert_eq!(reply.body["detail"], detail);
        assert_eq!(reply.header("www-authenticate"), Some(challenge));
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn operations_and_pages_are_below_the_base_path() {
    let base_path = "/api/v1".parse().unwrap();
    let server = start_with(RequestPolicy {
        base_path,
        ..policy()
    });
    assert!(server.base_url().ends_with("/api/v1"));
    assert_eq!(send(&server, "/status", None, None).await.status, 200);
    assert_eq!(send(&server, "/openapi.json", None, None).await.status, 200);
    let page = send(&server, "/", None, None).await;
    let page = page.body.as_str().unwrap_or_default().to_owned();
    assert!(page.contains("src=\"/api/v1/docs/start.js\""), "{page}");
    let annotated = send(&server, "/docs/openapi.json", None, None).await;
    assert_eq!(annotated.body["servers"][0]["url"], "/api/v1");
    let nowhere = send(&server, "/nowhere", Some(TOKEN), None).await;
    assert_eq!(nowhere.outcome(), "404 route_not_found");
    let detail = "there is nothing at this path; /api/v1/docs describes what there is";
    assert_eq!(nowhere.body["detail"], detail);
    for path in ["/status", "/docs", "/api/v12/status"] {
        let url = format!("http://{}{path}", server.address());
        let request = reqwest::Client::new().get(url).bearer_auth(TOKEN);
        let outside = request.send().await.unwrap();
        assert_eq!(outside.status(), 404, "{path}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn unknown_route_wrong_method_and_invalid_body_are_errors_in_the_format_of_the_service() {
    let server = start(three_a_day());
    let cases = [
        ("/nowhere", None, "404 route_not_found"),
        ("/notes", None, "405 method_not_allowed"),
        (
            "/notes",
            Some(r#"{"text": "too long"}"#),
            "422 validation_failed",
        ),
        ("/notes", Some("no JSON"), "400 malformed_request"),
    ];
    for (path, body, expected) in cases {
        let reply = send(&server, path, Some(TOKEN), body).await;
        assert_eq!(reply.outcome(), expected, "{path} {body:?}");
        let media_type = reply.header("content-type");
        assert_eq!(media_type, Some("application/problem+json"), "{path}");
        assert!(reply.body["detail"].is_string(), "{path}: {}", reply.body);
        let id = reply.header("x-request-id").unwrap();
        assert_eq!(reply.body["instance"], format!("urn:uuid:{id}"), "{path}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn panic_in_a_handler_returns_internal_error_without_its_reason() {
    let server = start(three_a_day());
    let panicked = send(&server, "/notes", Some(TOKEN), Some(r#"{"text": "panic"}"#)).await;
    assert_eq!(panicked.outcome(), "500 internal_error");
    assert!(
        !panicked.body.to_string().contains("secret"),
        "{}",
        panicked.body
    );
    let admitted = send(&server, "/notes", Some(TOKEN), Some(NOTE)).await;
    assert_eq!(admitted.status, 200);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn service_without_limits_charges_nothing_and_sends_no_rate_limit_headers() {
    let server = start(None);
    for _ in 0..10 {
        let reply = send(&server, "/status", None, None).await;
        assert_eq!(
            (reply.status, reply.header("x-ratelimit-limit")),
            (200, None)
        );
    }
    let missing = send(&server, "/notes", None, Some(NOTE)).await;
    assert_eq!(missing.outcome(), "401 unauthorized");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn pages_and_metrics_have_the_name_of_the_service() {
    let server = start(three_a_day());
    let root = send(&server, "/", Some(TOKEN), None).await;
    assert!(
        root.body.to_string().contains("<title>Notes</title>"),
        "{}",
        root.body
    );
    let panel = format!("http://{}/metrics", server.panel_address());
    let metrics = reqwest::get(panel).await.unwrap().text().await.unwrap();
    // The root leads to the reference page.
    let decision = "notes_limiter_decisions_total{plan=\"pages\",outcome=\"admitted\"} 2";
    assert!(metrics.contains(decision), "{metrics}");
    assert!(!metrics.contains("notes_writer"), "it has no database");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn refused_key_is_answered_the_same_until_its_ban_ends() {
    let (server, clock) = start_with_clock(three_a_day());
    let expected = [
        (1, "200", None),
        (30, "429 rate_limit_exceeded", Some("60")),
        (9, "429 api_key_banned", Some("120")),
    ];
    for (requests, outcome, wait) in expected {
        for number in 1..=requests {
            let reply = send(&server, "/status", Some(BOB), None).await;
            assert_eq!(reply.outcome(), outcome, "{number}");
            assert_eq!(reply.header("retry-after"), wait);
        }
    }
    for (seconds, wait) in [(1, "119"), (9, "110")] {
        clock.advance(seconds);
        for _ in 0..3 {
            let reply = send(&server, "/status", Some(BOB), None).await;
            assert_eq!(reply.outcome(), "429 api_key_banned");
            assert_eq!(reply.header("retry-after"), Some(wait));
        }
    }
    let ann = send(&server, "/status", Some(TOKEN), None).await;
    assert_eq!(ann.status, 200, "another key");
    let panel = format!("http://{}/metrics", server.panel_address());
    let metrics = reqwest::get(panel).await.unwrap().text().await.unwrap();
    for decisions in ["\"refused\"} 30", "\"banned\"} 15", "\"admitted\"} 2"] {
        let line =
            format!("notes_limiter_decisions_total{{plan=\"standard\",outcome={decisions}\n");
        assert!(metrics.contains(&line), "{line} is missing in {metrics}");
    }
    clock.advance(110);
    let after = send(&server, "/status", Some(BOB), None).await;
    assert_eq!(after.status, 200);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn pages_have_limits_of_their_own_for_each_address() {
    let server = start(three_a_day());
    for remaining in ["2", "1", "0"] {
        let missing = send(&server, "/notes", None, None).await;
        assert_eq!(missing.outcome(), "401 unauthorized");
        // The key does not matter.
        let page = send(&server, "/openapi.json", Some(TOKEN), None).await;
        assert_eq!(page.status, 200);
        for reply in [missing, page] {
            assert_eq!(reply.header("x-ratelimit-limit"), Some("3"));
            assert_eq!(reply.header("x-ratelimit-remaining"), Some(remaining));
        }
    }
    for (path, token) in [
        ("/notes", None),
        ("/openapi.json", None),
        ("/docs", Some(TOKEN)),
    ] {
        let reply = send(&server, path, token, None).await;
        assert_eq!(reply.outcome(), "429 rate_limit_exceeded", "{path}");
        assert!(reply.header("retry-after").is_some(), "{path}");
        let media_type = reply.header("content-type");
        assert_eq!(media_type, Some("application/problem+json"), "{path}");
    }
    let ann = send(&server, "/status", Some(TOKEN), None).await;
    assert_eq!(ann.header("x-ratelimit-remaining"), Some("3"), "of four");

    let browser = reqwest::Client::new()
        .get(server.base_url() + "/docs")
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let page = browser.send().await.unwrap();
    assert_eq!(page.status(), 429);
    assert!(page.headers().contains_key("retry-after"));
    assert_eq!(page.headers()["x-ratelimit-remaining"], "0");
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    let text = page.text().await.unwrap();
    assert!(text.contains("<h1>Too Many Requests</h1>"), "{text}");
    assert!(
        text.contains("The limit of 3 requests a day is spent; try again in"),
        "{text}"
    );
    server.stop().await.unwrap();
}
