//! Answers that the service does not give, or not whole.

use std::time::Duration;

use futures::TryStreamExt;
use petstore_client::{Answered, Client, Clock, Error, ErrorCode, Refused, types};

use crate::service::Step;
use crate::{CUT_IN_BODY, EXCEEDED, OK, scripted, with_deadline};

/// Connections that break, or might as well have.
const BROKEN: [Step; 5] = [
    Step::Cut,
    Step::Raw("HTTP/1.1 200 O"),
    CUT_IN_BODY,
    Step::Raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nmany\r\n[]\r\n0\r\n\r\n"),
    Step::Raw("220 mail.example.com\r\n\r\n"),
];

#[tokio::test]
async fn a_read_outlives_whatever_breaks() {
    for step in BROKEN {
        let (client, service, _clock) = scripted(&[step.clone(), OK]).await;
        let pets = client.list_pets().send().await;
        assert_eq!(pets.unwrap().len(), 1, "{step:?}");
        assert_eq!(service.seen().len(), 2, "{step:?}");
    }
}

#[tokio::test]
async fn a_change_is_not_repeated_whatever_breaks() {
    for step in BROKEN {
        let (client, service, _clock) = scripted(&[step.clone(), OK]).await;
        let change = client.update_order().order_id(1);
        let sent = change.body(types::Order::default()).send().await;
        assert!(
            matches!(sent, Err(Error::CommunicationError(_))),
            "{step:?}: {sent:?}"
        );
        assert_eq!(service.seen().len(), 1, "{step:?}");
    }
}

#[tokio::test]
async fn an_early_hint_is_no_answer() {
    let hinted = Step::Raw(
        "HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n\
         HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]",
    );
    let (client, _service, _clock) = scripted(&[hinted]).await;
    assert_eq!(client.list_pets().send().await.unwrap().len(), 0);
}

#[tokio::test]
async fn the_key_follows_no_redirect() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Step::Answer(status, &["location: /elsewhere"], "");
        let (client, service, _clock) = scripted(&[elsewhere, OK]).await;

        let error = client.list_pets().send().await.unwrap_err();

        assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
        assert_eq!(service.seen().len(), 1);
    }
}

#[tokio::test]
async fn an_error_that_nobody_understands_keeps_its_headers() {
    let odd = Step::Answer(
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

    assert_eq!(service.seen().len(), 1, "nobody waits for so long");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(503));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1000)));
    assert_eq!(error.quota().unwrap().remaining, 59);
    assert_eq!(error.code(), None);
    let Error::UnexpectedResponse(answer) = error else {
        panic!("{error}");
    };
    assert_eq!(answer.text().await.unwrap(), "<html>");
}

#[tokio::test]
async fn a_later_page_that_nobody_understands_keeps_its_headers() {
    let first = Step::Answer(200, &["link: </pets?after=2>; rel=\"next\""], "[]");
    let odd = Step::Answer(500, &["x-request-id: 7"], "<html>");
    let (client, _service, _clock) = scripted(&[first, odd]).await;

    let mut pets = client.pets_all();
    let error = pets.try_next().await.unwrap_err();

    assert_eq!(error.request_id(), Some("7"));
}

#[tokio::test]
async fn an_error_that_the_operation_does_not_declare_has_a_code() {
    let lost = r#"{"status": 404, "code": "route_not_found", "message": "no such path"}"#;
    let (client, _service, _clock) = scripted(&[Step::Answer(404, &[], lost)]).await;

    let error = client.list_pets().send().await.unwrap_err();

    assert!(matches!(error, Error::UnexpectedResponse(_)), "{error}");
    assert_eq!(error.code(), Some(ErrorCode::RouteNotFound));
}

#[tokio::test]
async fn a_wait_may_be_longer_than_any_clock_runs() {
    let endless = Step::Answer(429, &["retry-after: 18446744073709551615"], EXCEEDED);
    let (client, service, clock) = scripted(&[endless]).await;
    clock.sleep(Duration::from_secs(1)).await;
    let client = client.with_retries(with_deadline(10));

    for _ in 0..2 {
        let error = client.list_pets().send().await.unwrap_err();
        assert_eq!(error.retry_after(), Some(Duration::from_secs(u64::MAX)));
    }
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn a_wait_may_be_given_as_a_date() {
    let until = Step::Answer(
        503,
        &[
            "date: Sat, 21 Nov 2026 12:00:00 GMT",
            "retry-after: Sat, 21 Nov 2026 12:00:17 GMT",
        ],
        "",
    );
    let (client, _service, clock) = scripted(&[until, OK]).await;

    client.list_pets().send().await.unwrap();

    assert_eq!(clock.slept(), [Duration::from_secs(17)]);
}

#[tokio::test]
async fn a_base_url_that_no_path_can_follow_is_reported() {
    let cases = [
        ("http://127.0.0.1:1?pets=all", "query or a fragment"),
        ("http://127.0.0.1:1#pets", "query or a fragment"),
        ("http://", "empty host"),
        ("https:///", "empty host"),
        ("ftp://pets.test", "begins with ftp:"),
    ];
    for (base_url, why) in cases {
        let client = Client::new(base_url, "pst_key");
        let sent = client.list_pets().send().await;
        let Err(Error::InvalidRequest(told)) = sent else {
            panic!("{base_url}: {sent:?}");
        };
        assert!(told.contains(why), "{base_url}: {told}");
    }
    for garbage in ["", "garbage", "localhost:8080", "127.0.0.1:8080"] {
        let client = Client::new(garbage, "pst_key");
        let sent = client.list_pets().send().await;
        let reported = matches!(&sent, Err(Error::CommunicationError(error)) if error.is_builder());
        assert!(reported, "{garbage}: {sent:?}");
    }
}
