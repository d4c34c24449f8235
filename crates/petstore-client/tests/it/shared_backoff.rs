//! The effect of a 429 on other calls of the client, and the number of calls in flight.

use std::time::Duration;

use futures::future::join_all;
use petstore_client::{Client, Clock, ErrorCode, ErrorCodeExt, ResponseMetadata, RetryPolicy};

use crate::scripted_server::{ScriptedServer, Step};
use crate::{BANNED, OK, PETS, RATE_LIMITED, UNAVAILABLE, scripted, with_deadline};

const FOREIGN_429: &str =
    r#"{"status": 429, "code": "only_one_at_a_time", "message": "wait for the other"}"#;
const BANNED_FOR_TWO_MINUTES: Step = Step::Respond(429, &["retry-after: 120"], BANNED);

#[tokio::test]
async fn waits_for_429_of_another_call() {
    let (client, service, clock) = scripted(&[RATE_LIMITED, OK]).await;
    let hasty = client.clone().with_retries(with_deadline(10));
    hasty.list_pets().send().await.unwrap_err();
    assert_eq!(clock.delays(), []);

    let calls = (0..5).map(|_| client.list_pets().send());
    for sent in join_all(calls).await {
        sent.unwrap();
    }

    assert_eq!(
        clock.delays()[0],
        Duration::from_secs(20),
        "before it was sent"
    );
    assert_eq!(service.requests().len(), 6, "no other call got a 429");
}

#[tokio::test]
async fn does_not_hold_back_other_calls_after_503_or_foreign_429() {
    for busy in [
        Step::Respond(503, &["retry-after: 20"], UNAVAILABLE),
        Step::Respond(503, &["retry-after: 20"], "<html>"),
        Step::Respond(429, &["retry-after: 20"], FOREIGN_429),
    ] {
        let (client, service, clock) = scripted(&[busy.clone(), OK]).await;
        let hasty = client.with_retries(with_deadline(10));
        hasty.list_pets().send().await.unwrap_err();

        hasty.list_pets().send().await.unwrap();

        assert_eq!(service.requests().len(), 2, "{busy:?}");
        assert_eq!(clock.delays(), []);
    }
}

#[tokio::test]
async fn sends_one_request_a_minute_after_a_ban() {
    let (client, service, clock) = scripted(&[BANNED_FOR_TWO_MINUTES, OK]).await;

    for _ in 0..10 {
        let error = client.list_pets().send().await.unwrap_err();
        assert_eq!(error.error_code(), Some(ErrorCode::ApiKeyBanned));
    }
    clock.sleep(Duration::from_millis(3500)).await;
    let banned = client.list_pets().send().await.unwrap_err();
    let left = Duration::from_secs(117);
    assert_eq!(banned.retry_after(), Some(left), "a second that has begun");
    assert_eq!(service.requests().len(), 1);

    clock.sleep(Duration::from_secs(60)).await;
    let lifted = client.list_pets().send().await;
    lifted.expect("the ban was lifted and the client asks again");
}

#[tokio::test]
async fn sends_at_most_max_in_flight_at_once() {
    let (client, service, _clock) = scripted(&[Step::RespondLater(PETS)]).await;
    let policy = RetryPolicy {
        max_in_flight: 3,
        ..RetryPolicy::default()
    };
    let client = client.with_retries(policy);

    let calls = join_all((0..12).map(|_| client.list_pets().send()));

    assert!(calls.await.iter().all(Result::is_ok));
    assert_eq!(service.max_in_flight_seen(), 3);
}

#[tokio::test]
async fn sends_free_operation_while_banned() {
    let body = r#"{
        "plan": "free", "strikes": 1, "bannedUntil": 1795233600,
        "minute": {"limit": 60, "remaining": 0, "reset": 1795233600},
        "day": {"limit": 1000, "remaining": 9, "reset": 1795233600}
    }"#;
    let (client, service, clock) =
        scripted(&[BANNED_FOR_TWO_MINUTES, Step::Respond(200, &[], body)]).await;
    client.list_pets().send().await.unwrap_err();

    let limits = client.get_rate_limit().send().await.unwrap();

    assert_eq!(limits.banned_until, Some(1_795_233_600));
    assert_eq!(service.requests().len(), 2);
    assert_eq!(clock.delays(), []);
}

#[tokio::test(start_paused = true)]
async fn returns_last_result_if_permit_comes_after_deadline() {
    let later = Step::Respond(503, &["retry-after: 7"], UNAVAILABLE);
    let service = ScriptedServer::start(&[later, Step::NoResponse, OK]);
    let client = Client::connect(&service.url(), "pst_key")
        .unwrap()
        .with_retries(RetryPolicy {
            max_in_flight: 1,
            ..with_deadline(10)
        });

    let calls = join_all((0..2).map(|_| client.list_pets().send()));
    let ended = tokio::time::timeout(Duration::from_secs(60), calls).await;

    let ended = ended.expect("no call keeps its permit while it waits");
    let first = ended[0].as_ref().unwrap_err();
    assert_eq!(
        first.error_code(),
        Some(ErrorCode::Unavailable),
        "the last result"
    );
    assert!(ended[1].is_err(), "no response until the deadline");
    assert_eq!(service.requests().len(), 2);
}

#[tokio::test]
async fn releases_permit_of_aborted_call() {
    let (client, service, _clock) = scripted(&[Step::NoResponse, Step::NoResponse, OK]).await;
    let client = client.with_retries(RetryPolicy {
        max_in_flight: 1,
        ..RetryPolicy::default()
    });
    for sent in 1..=2 {
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.list_pets().send().await.map(drop) }
        });
        while service.requests().len() < sent {
            tokio::task::yield_now().await;
        }
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
    }

    client.list_pets().send().await.unwrap();
}
