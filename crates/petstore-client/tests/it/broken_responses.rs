//! Broken, incomplete and foreign responses.

use std::time::Duration;

use petstore_client::{Clock, ErrorCode, ErrorCodeExt, RequestError, ResponseMetadata, types};

use crate::scripted_server::Step;
use crate::{CUT_IN_BODY, OK, RATE_LIMIT_EXCEEDED, scripted, with_deadline};

/// Responses that break off.
const BROKEN: [Step; 4] = [
    Step::CloseConnection,
    Step::RawBytes("HTTP/1.1 200 O"),
    CUT_IN_BODY,
    Step::RawBytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nmany\r\n[]\r\n0\r\n\r\n"),
];

#[tokio::test]
async fn repeats_get_after_each_kind_of_broken_response() {
    for step in BROKEN {
        let (client, service, _clock) = scripted(&[step.clone(), OK]).await;
        let pets = client.list_pets().send().await;
        assert_eq!(pets.unwrap().len(), 1, "{step:?}");
        assert_eq!(service.requests().len(), 2, "{step:?}");
    }
}

#[tokio::test]
async fn does_not_repeat_patch_after_any_kind_of_broken_response() {
    for step in BROKEN {
        let (client, service, _clock) = scripted(&[step.clone(), OK]).await;
        let change = client.update_order().order_id(1);
        let sent = change.body(types::Order::default()).send().await;
        assert!(
            matches!(sent, Err(RequestError::Custom(_))),
            "{step:?}: {sent:?}"
        );
        assert_eq!(service.requests().len(), 1, "{step:?}");
    }
}

#[tokio::test]
async fn ignores_103_before_the_final_response() {
    let hinted = Step::RawBytes(
        "HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n\
         HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]",
    );
    let (client, _service, _clock) = scripted(&[hinted]).await;
    assert_eq!(client.list_pets().send().await.unwrap().len(), 0);
}

#[tokio::test]
async fn follows_no_redirect() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Step::Respond(status, &["location: /elsewhere"], "");
        let (client, service, _clock) = scripted(&[elsewhere, OK]).await;

        let error = client.list_pets().send().await.unwrap_err();

        assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
        assert_eq!(service.requests().len(), 1);
    }
}

#[tokio::test]
async fn keeps_headers_and_body_of_foreign_error() {
    let odd = Step::Respond(
        503,
        &[
            "retry-after: 1000",
            "x-ratelimit-limit: 60",
            "x-ratelimit-remaining: 59",
            "x-ratelimit-reset: 1795233600",
        ],
        "<html>",
    );
    let (client, service, _clock) = scripted(&[odd, OK]).await;

    let error = client.list_pets().send().await.unwrap_err();

    assert_eq!(
        service.requests().len(),
        1,
        "the wait is longer than the deadline"
    );
    assert_eq!(error.status().map(|status| status.as_u16()), Some(503));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1000)));
    assert_eq!(error.rate_limit().unwrap().remaining, 59);
    assert_eq!(error.error_code(), None);
    let RequestError::UnexpectedResponse(response) = error else {
        panic!("{error}");
    };
    assert_eq!(response.text().await.unwrap(), "<html>");
}

#[tokio::test]
async fn reads_code_of_undeclared_error() {
    let lost = r#"{"status": 404, "code": "route_not_found", "message": "no such path"}"#;
    let (client, _service, _clock) = scripted(&[Step::Respond(404, &[], lost)]).await;

    let error = client.list_pets().send().await.unwrap_err();

    assert!(
        matches!(error, RequestError::UnexpectedResponse(_)),
        "{error}"
    );
    assert_eq!(error.error_code(), Some(ErrorCode::RouteNotFound));
}

#[tokio::test]
async fn accepts_retry_after_of_u64_max() {
    let endless = Step::Respond(
        429,
        &["retry-after: 18446744073709551615"],
        RATE_LIMIT_EXCEEDED,
    );
    let (client, service, clock) = scripted(&[endless]).await;
    clock.sleep(Duration::from_secs(1)).await;
    let client = client.with_retries(with_deadline(10));

    for _ in 0..2 {
        let error = client.list_pets().send().await.unwrap_err();
        assert_eq!(error.retry_after(), Some(Duration::from_secs(u64::MAX)));
    }
    assert_eq!(service.requests().len(), 1);
}
