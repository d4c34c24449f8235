//! The headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` of deprecated operations.

use http::Method;
use petstore_api::OPERATIONS;
use test_support::{TestApp, examples};

#[tokio::test]
async fn only_responses_of_a_deprecated_operation_have_the_deprecation_headers() {
    let app = TestApp::start().await;
    app.create_pet("Mittens").await;
    for (target, status) in [("/pets/1", 200), ("/pets/424242", 404), ("/pets/zero", 400)] {
        for method in [Method::GET, Method::HEAD] {
            let response = app.call(method, target).await;
            let expected = [
                // The dates of the document.
                ("Deprecation", "@1795219200"),
                ("Sunset", "Wed, 30 Jun 2027 00:00:00 GMT"),
                ("Link", r#"</pets>; rel="successor-version""#),
            ];
            for (name, value) in expected {
                assert_eq!(response.header(name), Some(value), "{target}");
            }
            assert_eq!(response.status, status);
        }
    }
    let others = OPERATIONS.iter().filter(|info| info.deprecation.is_none());
    assert_eq!(others.clone().count(), OPERATIONS.len() - 1);
    for info in others {
        let method = Method::from_bytes(info.method.as_str().as_bytes()).unwrap();
        let response = app.call(method, &examples::path_with_ids(info)).await;
        for name in ["Deprecation", "Sunset", "Link"] {
            assert_eq!(response.header(name), None, "{}", info.operation_id);
        }
    }
}
