//! The gate before a service that shares nothing with the petstore: no extensions, bearer tokens, problem details.

use dropspec_gate::RequestPolicy;

use super::tiny_service::{EXPIRED, TOKEN, policy, send, start, start_with, three_a_day};

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
        let media_type = reply.header("content-type");
        assert_eq!(media_type, Some("application/problem+json"));
        let id = reply.header("x-request-id").unwrap();
        assert_eq!(reply.body["instance"], format!("urn:uuid:{id}"));
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
async fn error_of_a_body_has_each_of_its_problems() {
    let server = start(None);
    let note = r#"{"text": "too long", "color": 1}"#;
    let response = send(&server, "/notes", Some(TOKEN), Some(note)).await;
    assert_eq!(response.outcome(), "422 validation_failed");
    let errors = serde_json::json!([
        { "pointer": "#/text", "detail": "must be at most 5 characters long" },
        { "pointer": "#/color", "detail": "must be a string" },
    ]);
    assert_eq!(response.body["errors"], errors);
    let refused = send(&server, "/notes", None, Some(note)).await;
    assert_eq!(refused.body.get("errors"), None, "an error of another kind");
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
