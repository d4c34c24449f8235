//! The document as the server gives it away.

use serde_json::Value;
use test_support::TestApp;

const SPEC: &str = include_str!("../../spec/petstore.yaml");

#[tokio::test]
async fn the_yaml_is_the_file_byte_for_byte() {
    let app = TestApp::start().await;
    let answer = app.get("/openapi.yaml").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("Content-Type"), Some("application/yaml"));
    assert!(answer.body == SPEC.as_bytes());
}

#[tokio::test]
async fn the_json_says_the_same_in_the_same_order() {
    let app = TestApp::start().await;
    let answer = app.get("/openapi.json").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("Content-Type"), Some("application/json"));
    let served: Value = answer.json();
    let written = written();
    assert_eq!(served, written);
    // Objects are equal in any order; their texts are not.
    let (served, written) = (served.to_string(), written.to_string());
    assert!(served == written, "keys changed places");
}

/// The file as JSON, read without the generator.
fn written() -> Value {
    let file = spec_model::Document::parse("petstore.yaml", SPEC).unwrap();
    file.root().to_json()
}
