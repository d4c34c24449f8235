//! Broken, incomplete and foreign responses.

use std::time::Duration;

use petstore_client::{ErrorCode, ErrorCodeExt, RequestError, ResponseMetadata, types};

use crate::scripted_server::Step;
use crate::{CUT_IN_BODY, OK, scripted};

#[tokio::test]
async fn broken_response_is_repeated_where_that_is_safe() {
    for step in [
        Step::CloseConnection,
        Step::RawBytes("HTTP/1.1 200 O"),
        CUT_IN_BODY,
        Step::RawBytes(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nmany\r\n[]\r\n0\r\n\r\n",
        ),
    ] {
        let (client, service, _clock) = scripted(&[step.clone(), OK]).await;
        let pets = client.list_pets().send().await;
        assert_eq!(pets.unwrap().len(), 1, "{step:?}");
        assert_eq!(service.requests().len(), 2, "{step:?}");

        let (client, service, _clock) = scripted(&[step.clone(), OK]).await;
        let change = client.update_order().order_id(1);
        let sent = change.body(types::Order::default()).send().await;
        assert!(matches!(sent, Err(RequestError::Custom(_))), "{sent:?}");
        assert_eq!(service.requests().len(), 1, "{step:?}");
    }
}

#[tokio::test]
async fn follows_no_redirect() {
    let elsewhere = Step::Respond(307, &["location: /elsewhere"], "");
    let (client, service, _clock) = scripted(&[elsewhere, OK]).await;
    let error = client.list_pets().send().await.unwrap_err();
    assert_eq!(error.status().map(|status| status.as_u16()), Some(307));
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn foreign_error_keeps_its_headers_and_body() {
    let headers = &[
        "retry-after: 1000",
        "x-ratelimit-limit: 60",
        "x-ratelimit-remaining: 59",
        "x-ratelimit-reset: 1795233600",
    ];
    let odd = Step::Respond(503, headers, "<html>");
    let (client, service, _clock) = scripted(&[odd, OK]).await;
    let error = client.list_pets().send().await.unwrap_err();
    // The wait is longer than the deadline.
    assert_eq!(service.requests().len(), 1);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1000)));
    assert_eq!(error.rate_limit().unwrap().remaining, 59);
    assert_eq!(error.error_code(), None);
    let RequestError::UnexpectedResponse(response) = error else {
        panic!("{error}");
    };
    assert_eq!(response.text().await.unwrap(), "<html>");
}

#[tokio::test]
async fn undeclared_error_has_its_code() {
    let lost = r#"{"status": 404, "code": "route_not_found", "message": "no such path"}"#;
    let (client, _service, _clock) = scripted(&[Step::Respond(404, &[], lost)]).await;
    let error = client.list_pets().send().await.unwrap_err();
    assert!(
        matches!(error, RequestError::UnexpectedResponse(_)),
        "{error}"
    );
    assert_eq!(error.error_code(), Some(ErrorCode::RouteNotFound));
}
