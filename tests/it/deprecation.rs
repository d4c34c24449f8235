//! The headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` of deprecated operations.

use http::Method;
use petstore_api::{DOCUMENT, OPERATIONS};
use test_support::TestApp;

#[tokio::test]
async fn every_response_of_a_deprecated_operation_has_the_deprecation_headers() {
    let app = TestApp::start().await;
    let pet = app.create_pet("Mittens").await;
    let since = DOCUMENT
        .find("/paths/~1pets~1{petId}/get/x-deprecated-since")
        .unwrap();
    let sunset = DOCUMENT
        .find("/paths/~1pets~1{petId}/get/x-deprecated-sunset")
        .unwrap();
    let midnight = |date: &serde_json::Value| {
        let date: chrono::NaiveDate = date.as_str().unwrap().parse().unwrap();
        date.and_hms_opt(0, 0, 0).unwrap().and_utc()
    };
    let deprecation = format!("@{}", midnight(since).timestamp());
    let sunset = midnight(sunset)
        .format("%a, %d %b %Y %H:%M:%S GMT")
        .to_string();
    assert_eq!(deprecation, "@1795219200");
    assert_eq!(sunset, "Wed, 30 Jun 2027 00:00:00 GMT");

    let targets = [
        (format!("/pets/{pet}"), 200),
        ("/pets/424242".to_owned(), 404),
        ("/pets/zero".to_owned(), 400),
    ];
    for (target, status) in targets {
        for method in [Method::GET, Method::HEAD] {
            let response = app.call(method, &target).await;
            assert_eq!(response.status, status);
            assert_eq!(response.header("Deprecation"), Some(deprecation.as_str()));
            assert_eq!(response.header("Sunset"), Some(sunset.as_str()));
            let link = response.header("Link");
            assert_eq!(link, Some(r#"</pets>; rel="successor-version""#));
        }
    }
}

#[tokio::test]
async fn other_operations_have_no_deprecation_headers() {
    let app = TestApp::start().await;
    let others = OPERATIONS.iter().filter(|info| info.deprecation.is_none());
    assert_eq!(others.clone().count(), OPERATIONS.len() - 1);
    for info in others {
        let method = Method::from_bytes(info.method.as_str().as_bytes()).unwrap();
        let path = info.path.replace("{petId}", "1").replace("{orderId}", "1");
        let response = app.call(method, &path.replace("{categoryId}", "1")).await;
        for name in ["Deprecation", "Sunset", "Link"] {
            assert_eq!(response.header(name), None, "{}", info.operation_id);
        }
    }
}
