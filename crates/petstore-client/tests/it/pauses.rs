//! What one refusal means for the other calls of a client, and who may be under way at once.

use std::time::Duration;

use futures::future::join_all;
use petstore_client::{Answered, Client, Clock, ErrorCode, Refused, RetryPolicy};

use crate::service::{Service, Step};
use crate::timeless::Timeless;
use crate::{BANNED, OK, PETS, TIRED, UNAVAILABLE, scripted, with_deadline};

const OTHERWISE_REFUSED: &str =
    r#"{"status": 429, "code": "only_one_at_a_time", "message": "wait for the other"}"#;
const FOR_LONG: Step = Step::Answer(429, &["retry-after: 120"], BANNED);

#[tokio::test]
async fn one_refusal_holds_back_the_whole_client() {
    let (client, service, clock) = scripted(&[TIRED, OK]).await;
    let hasty = client.clone().with_retries(with_deadline(10));
    hasty.list_pets().send().await.unwrap_err();
    assert_eq!(clock.slept(), []);

    let calls = (0..5).map(|_| client.list_pets().send());
    for sent in join_all(calls).await {
        sent.unwrap();
    }

    assert_eq!(
        clock.slept()[0],
        Duration::from_secs(20),
        "before anything was sent"
    );
    assert_eq!(service.seen().len(), 6, "nobody else was refused");
}

#[tokio::test]
async fn who_cannot_wait_is_refused_without_being_sent() {
    let (client, service, clock) = scripted(&[TIRED, OK]).await;
    let hasty = client.with_retries(with_deadline(10));
    hasty.list_pets().send().await.unwrap_err();
    clock.sleep(Duration::from_secs(4)).await;

    let error = hasty.list_pets().send().await.unwrap_err();

    assert_eq!(service.seen().len(), 1);
    assert_eq!(error.code(), Some(ErrorCode::RateLimitExceeded));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(16)));
}

#[tokio::test]
async fn what_is_no_limit_holds_nobody_else_back() {
    for busy in [
        Step::Answer(503, &["retry-after: 20"], UNAVAILABLE),
        Step::Answer(503, &["retry-after: 20"], "<html>"),
        Step::Answer(429, &["retry-after: 20"], OTHERWISE_REFUSED),
    ] {
        let (client, service, clock) = scripted(&[busy.clone(), OK]).await;
        let hasty = client.with_retries(with_deadline(10));
        hasty.list_pets().send().await.unwrap_err();

        hasty.list_pets().send().await.unwrap();

        assert_eq!(service.seen().len(), 2, "{busy:?}");
        assert_eq!(clock.slept(), []);
    }
}

#[tokio::test]
async fn a_ban_is_not_asked_about_at_every_call() {
    let (client, service, clock) = scripted(&[FOR_LONG, OK]).await;

    for _ in 0..10 {
        let error = client.list_pets().send().await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::ApiKeyBanned));
    }
    assert_eq!(service.seen().len(), 1);

    clock.sleep(Duration::from_secs(60)).await;
    let lifted = client.list_pets().send().await;
    lifted.expect("the operator has lifted the ban, and the client asks");
}

#[tokio::test]
async fn a_crowd_is_sent_a_few_at_a_time() {
    let (client, service, _clock) = scripted(&[Step::Slow(PETS)]).await;
    let policy = RetryPolicy {
        max_in_flight: 3,
        ..RetryPolicy::default()
    };
    let client = client.with_retries(policy);

    let crowd = join_all((0..12).map(|_| client.list_pets().send()));

    assert!(crowd.await.iter().all(Result::is_ok));
    assert_eq!(service.most_at_once(), 3);
}

#[tokio::test]
async fn what_costs_nothing_is_asked_even_while_banned() {
    let standing = r#"{
        "plan": "free", "strikes": 1, "bannedUntil": 1795233600,
        "minute": {"limit": 60, "remaining": 0, "reset": 1795233600},
        "day": {"limit": 1000, "remaining": 9, "reset": 1795233600}
    }"#;
    let (client, service, clock) = scripted(&[FOR_LONG, Step::Answer(200, &[], standing)]).await;
    client.list_pets().send().await.unwrap_err();

    let told = client.get_rate_limit().send().await.unwrap();

    assert_eq!(told.banned_until, Some(1_795_233_600));
    assert_eq!(service.seen().len(), 2);
    assert_eq!(clock.slept(), []);
}

#[tokio::test]
async fn another_clock_knows_of_no_pause() {
    let (client, service, clock) = scripted(&[FOR_LONG, OK]).await;
    clock.sleep(Duration::from_secs(1_000_000)).await;
    client.list_pets().send().await.unwrap_err();

    let client = client.with_clock(Timeless::default());

    client.list_pets().send().await.unwrap();
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_makes_room() {
    let service = Service::start(&[Step::Silence, OK]).await;
    let client = Client::new(&service.url(), "pst_key").with_retries(one_at_a_time());

    let dropped = tokio::time::timeout(Duration::from_secs(5), client.list_pets().send());
    dropped.await.expect_err("nothing was answered");

    client.list_pets().send().await.unwrap();
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn any_number_may_be_under_way() {
    let (client, _service, _clock) = scripted(&[OK]).await;
    let client = client.with_retries(RetryPolicy {
        max_in_flight: usize::MAX,
        ..RetryPolicy::default()
    });
    client.list_pets().send().await.unwrap();
}

fn one_at_a_time() -> RetryPolicy {
    RetryPolicy {
        max_in_flight: 1,
        ..RetryPolicy::default()
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_leaves_the_turn_to_others() {
    let later = Step::Answer(503, &["retry-after: 7"], UNAVAILABLE);
    let service = Service::start(&[later, OK]).await;
    let client = Client::new(&service.url(), "pst_key").with_retries(RetryPolicy {
        max_in_flight: 1,
        ..RetryPolicy::default()
    });
    let started = tokio::time::Instant::now();
    let call = || async {
        client.list_pets().send().await.unwrap();
        started.elapsed().as_secs()
    };

    let both = tokio::time::timeout(Duration::from_secs(60), join_all([call(), call()])).await;

    assert_eq!(both.expect("nobody keeps a turn"), [7, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_after_the_deadline_is_not_taken() {
    let later = Step::Answer(503, &["retry-after: 7"], UNAVAILABLE);
    let service = Service::start(&[later, Step::Silence, OK]).await;
    let client = Client::new(&service.url(), "pst_key").with_retries(RetryPolicy {
        max_in_flight: 1,
        ..with_deadline(10)
    });

    let calls = join_all((0..2).map(|_| client.list_pets().send()));
    let ended = tokio::time::timeout(Duration::from_secs(60), calls).await;

    let ended = ended.expect("nobody keeps a turn");
    let first = ended[0].as_ref().unwrap_err();
    assert_eq!(
        first.code(),
        Some(ErrorCode::Unavailable),
        "what it was last told"
    );
    assert!(ended[1].is_err(), "it met with silence until the deadline");
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn a_call_that_is_dropped_gives_its_turn_back() {
    let (client, service, _clock) = scripted(&[Step::Silence, Step::Silence, OK]).await;
    let client = client.with_retries(RetryPolicy {
        max_in_flight: 1,
        ..RetryPolicy::default()
    });
    for sent in 1..=2 {
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.list_pets().send().await.map(drop) }
        });
        while service.seen().len() < sent {
            tokio::task::yield_now().await;
        }
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
    }

    client.list_pets().send().await.unwrap();
}
