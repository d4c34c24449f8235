//! Broken, incomplete and foreign responses.

use std::time::Duration;

use futures::TryStreamExt;
use petstore_client::{Client, Clock, Error, ErrorCode, ResponseMetadata, types};

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
        let change = client.update_order(1);
        let sent = change.body(types::Order::default()).send().await;
        assert!(matches!(sent, Err(Error::Custom(_))), "{step:?}: {sent:?}");
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
    assert_eq!(error.code(), None);
    let Error::UnexpectedResponse(response) = error else {
        panic!("{error}");
    };
    assert_eq!(response.text().await.unwrap(), "<html>");
}

#[tokio::test]
async fn keeps_headers_of_foreign_error_on_a_later_page() {
    let first = Step::Respond(200, &["link: </pets?after=2>; rel=\"next\""], "[]");
    let odd = Step::Respond(500, &["x-request-id: 7"], "<html>");
    let (client, _service, _clock) = scripted(&[first, odd]).await;

    let mut pets = client.pets_all();
    let error = pets.try_next().await.unwrap_err();

    assert_eq!(error.request_id(), Some("7"));
}

#[tokio::test]
async fn reads_code_of_undeclared_error() {
    let lost = r#"{"status": 404, "code": "route_not_found", "message": "no such path"}"#;
    let (client, _service, _clock) = scripted(&[Step::Respond(404, &[], lost)]).await;

    let error = client.list_pets().send().await.unwrap_err();

    assert!(matches!(error, Error::UnexpectedResponse(_)), "{error}");
    assert_eq!(error.code(), Some(ErrorCode::RouteNotFound));
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

#[tokio::test]
async fn waits_until_retry_after_date() {
    let until = Step::Respond(
        503,
        &[
            "date: Sat, 21 Nov 2026 12:00:00 GMT",
            "retry-after: Sat, 21 Nov 2026 12:00:17 GMT",
        ],
        "",
    );
    let (client, _service, clock) = scripted(&[until, OK]).await;

    client.list_pets().send().await.unwrap();

    assert_eq!(clock.delays(), [Duration::from_secs(17)]);
}

#[tokio::test]
async fn rejects_invalid_base_url_with_what_to_write() {
    let cases = [
        (
            "",
            "the base URL is empty: write the address of the service, such as http://",
        ),
        ("garbage", "has no scheme: write `http://garbage`"),
        (
            "127.0.0.1:8080",
            "has no scheme: write `http://127.0.0.1:8080`",
        ),
        (
            "localhost:8080/",
            "has no scheme: write `http://localhost:8080`",
        ),
        ("pets.test/v1", "has no scheme: write `http://pets.test/v1`"),
        (
            "ftp://pets.test",
            "its scheme is `ftp`; begin it with http:// or https://",
        ),
        ("http://", "empty host"),
        ("https:///", "empty host"),
        ("http://pets.test:99999", "invalid port number"),
        ("http://127.0.0.1:1?pets=all", "query or a fragment"),
        ("http://127.0.0.1:1#pets", "query or a fragment"),
        ("http://me:secret@127.0.0.1:1", "user name or a password"),
    ];
    for (base_url, why) in cases {
        let client = Client::new(base_url, "pst_key");
        let sent = client.list_pets().send().await;
        let Err(Error::InvalidRequest(message)) = sent else {
            panic!("{base_url}: {sent:?}");
        };
        assert!(message.contains(why), "{base_url}: {message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[tokio::test]
async fn ignores_spaces_and_slashes_around_the_base_url() {
    let (_, service, _clock) = scripted(&[OK]).await;
    let client = Client::new(&format!(" {}/ \n", service.url()), "pst_key");
    client.list_pets().send().await.unwrap();
}
