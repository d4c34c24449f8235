//! Which requests are sent again, after which delay, and what the call returns.

use std::time::Duration;

use futures::future::join_all;
use petstore_client::{Client, ErrorCode, ErrorCodeExt, ResponseMetadata, RetryPolicy, types};

use crate::scripted_server::{ScriptedServer, Step};
use crate::test_clock::TestClock;
use crate::{BUSY, CHANGED, CUT_IN_BODY, NOT_FOUND, OK, RATE_LIMITED, scripted, with_deadline};

#[tokio::test]
async fn repeats_get_until_success_with_growing_delays() {
    let (client, service, clock) =
        scripted(&[BUSY, Step::CloseConnection, CUT_IN_BODY, BUSY, OK]).await;

    let pets = client.list_pets().send().await.unwrap();

    assert_eq!(pets.len(), 1);
    assert_eq!(service.requests().len(), 5);
    let bounds = [250, 500, 1000, 2000].map(Duration::from_millis);
    let delays = clock.delays();
    assert_eq!(delays.len(), 4);
    for (delay, bound) in delays.into_iter().zip(bounds) {
        assert!(delay <= bound, "{delay:?} is more than {bound:?}");
    }
}

#[tokio::test]
async fn delays_are_spread_evenly_over_their_bound() {
    let service = ScriptedServer::responding(|number| [BUSY, OK][number % 2].clone());
    let clock = TestClock::default();
    let client = Client::connect(&service.url(), "pst_key").unwrap();
    let client = client.with_clock(clock.clone());
    for _ in 0..200 {
        client.list_pets().send().await.unwrap();
    }
    let half = RetryPolicy::default().first_delay / 2;
    let short = clock.delays().iter().filter(|wait| **wait < half).count();
    // The expected value is 100. Outside of this range it is in one run of 10 million.
    assert!((62..138).contains(&short), "{short} of 200");
}

#[tokio::test]
async fn no_wait_outlasts_the_deadline() {
    let (client, service, clock) = scripted(&[RATE_LIMITED]).await;

    let error = client
        .with_retries(with_deadline(50))
        .list_pets()
        .send()
        .await
        .unwrap_err();

    assert_eq!(
        clock.delays(),
        [20, 20].map(Duration::from_secs),
        "60 would be too late"
    );
    assert_eq!(service.requests().len(), 3);
    assert_eq!(error.error_code(), Some(ErrorCode::RateLimitExceeded));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(20)));
}

#[tokio::test]
async fn sends_request_only_one_time_without_retries() {
    for step in [BUSY, RATE_LIMITED, Step::CloseConnection] {
        let (client, service, clock) = scripted(&[step, OK]).await;
        let client = client.with_retries(RetryPolicy::off());

        client.list_pets().send().await.unwrap_err();

        assert_eq!(service.requests().len(), 1);
        assert_eq!(clock.delays(), []);
        client.list_pets().send().await.unwrap();
        assert_eq!(clock.delays(), [], "nor is the next call held back");
    }
}

#[tokio::test]
async fn delete_succeeds_with_404_after_lost_response() {
    let gone = Step::Respond(404, &["x-ratelimit-remaining: 3"], NOT_FOUND);
    for script in [
        vec![Step::CloseConnection, gone.clone()],
        // The 429 in between does not change that the first attempt may have been performed.
        vec![Step::CloseConnection, RATE_LIMITED, gone],
    ] {
        let (client, _service, _clock) = scripted(&script).await;

        let deleted = client.delete_pet().pet_id(1).send().await.unwrap();

        assert_eq!(deleted.status(), 204, "{script:?}");
        assert!(deleted.headers().contains_key("x-ratelimit-remaining"));
        assert!(!deleted.headers().contains_key("content-length"));
    }
}

#[tokio::test]
async fn replace_has_an_unknown_outcome_with_412_after_lost_response() {
    let changed = Step::Respond(412, &["x-request-id: 7"], CHANGED);
    let replace = async |script: &[Step]| {
        let (client, service, _clock) = scripted(script).await;
        let replace = client.replace_pet().pet_id(1).if_match("\"a\"");
        let pet = types::NewPet::builder().name("Mittens").category_id(1);
        let replaced = replace.body(pet).send().await;
        for request in service.requests() {
            assert_eq!(request.header("if-match"), Some("\"a\""));
        }
        replaced.unwrap_err()
    };
    // Perhaps this request changed the record itself: it is not said that somebody else did.
    let unknown = replace(&[Step::CloseConnection, changed.clone()]).await;
    assert_eq!(unknown.error_code(), Some(ErrorCode::OutcomeUnknown));
    assert_eq!(unknown.request_id(), Some("7"));
    for script in [&[changed.clone()][..], &[RATE_LIMITED, changed]] {
        let error = replace(script).await;
        assert_eq!(
            error.error_code(),
            Some(ErrorCode::PreconditionFailed),
            "{script:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn aborts_attempt_at_the_deadline() {
    let service = ScriptedServer::start(&[Step::NoResponse]);
    let client = Client::connect(&service.url(), "pst_key")
        .unwrap()
        .with_retries(with_deadline(40));
    let started = tokio::time::Instant::now();

    client.list_pets().send().await.unwrap_err();

    let waited = started.elapsed();
    let bounds = Duration::from_secs(30)..=Duration::from_secs(41);
    assert!(bounds.contains(&waited), "{waited:?}");
    assert_eq!(service.requests().len(), 3, "15, 15, and what is left");
}

#[tokio::test(start_paused = true)]
async fn starts_deadline_when_the_call_may_send() {
    let service = ScriptedServer::start(&[Step::NoResponse, OK]);
    let client = Client::connect(&service.url(), "pst_key")
        .unwrap()
        .with_retries(RetryPolicy {
            max_in_flight: 1,
            ..with_deadline(10)
        });

    let ended = join_all((0..2).map(|_| client.list_pets().send())).await;

    assert!(ended[0].is_err(), "no response");
    assert!(ended[1].is_ok(), "it was sent when the first call gave up");
}
