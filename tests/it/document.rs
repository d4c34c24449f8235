//! The pages that need no API key: the document and its reference page.

use serde_json::Value;
use test_support::TestApp;

const SPEC: &str = include_str!("../../crates/petstore-api/src/openapi.yaml");

#[tokio::test]
async fn openapi_yaml_is_the_file_byte_for_byte() {
    let app = TestApp::start().await;
    let response = app.get("/openapi.yaml").await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("Content-Type"), Some("application/yaml"));
    assert!(response.body == SPEC.as_bytes());
}

#[tokio::test]
async fn openapi_json_equals_the_file_in_the_same_order() {
    let app = TestApp::start().await;
    let response = app.get("/openapi.json").await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("Content-Type"), Some("application/json"));
    let served: Value = response.json();
    let file = dropspec_model::Document::parse("petstore.yaml", SPEC).unwrap();
    let written = file.root().to_json();
    assert_eq!(served, written);
    // Objects are equal in any order; their texts are not.
    let (served, written) = (served.to_string(), written.to_string());
    assert!(served == written, "the order of the members changed");
}

#[tokio::test]
async fn pages_have_their_media_type() {
    let app = TestApp::start().await;
    for (path, media_type) in [
        ("/", "text/plain; charset=utf-8"),
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/scalar.js", "text/javascript; charset=utf-8"),
        ("/docs/start.js", "text/javascript; charset=utf-8"),
        ("/docs/openapi.json", "application/json"),
    ] {
        let page = app.anonymous().get(path).await;
        assert_eq!(page.header("Content-Type"), Some(media_type), "{path}");
        assert!(!page.body.is_empty(), "{path}");
    }
    let root = app.get("/").await;
    assert_eq!(root.header("Location"), Some("/docs"));
}

#[tokio::test]
async fn reference_page_loads_and_sends_nothing_from_or_to_other_hosts() {
    let app = TestApp::start().await;
    let page = app.get("/docs").await;
    assert!(!page.text().contains("://"), "the page names another host");
    let policy = page.header("Content-Security-Policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for directive in policy.split("; ") {
        let (name, sources) = directive.split_once(' ').unwrap();
        for source in sources.split(' ') {
            let inline_style = (name, source) == ("style-src", "'unsafe-inline'");
            let own = ["'none'", "'self'", "data:"].contains(&source);
            assert!(own || inline_style, "{directive}");
        }
    }
}
