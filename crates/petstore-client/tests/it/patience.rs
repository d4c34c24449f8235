//! What is sent again, after how long, and what the caller gets in the end.

use std::time::Duration;

use futures::future::join_all;
use petstore_client::{Answered, Client, Error, ErrorCode, Refused, RetryPolicy, types};

use crate::service::{Service, Step};
use crate::timeless::Timeless;
use crate::{BANNED, BUSY, CUT_IN_BODY, EXCEEDED, GONE, OK, ORDER, TIRED, scripted, with_deadline};

const DELETED: Step = Step::Answer(204, &[], "");

#[tokio::test]
async fn a_read_outlives_a_bad_moment() {
    let (client, service, clock) = scripted(&[BUSY, Step::Cut, CUT_IN_BODY, BUSY, OK]).await;

    let pets = client.list_pets().send().await.unwrap();

    assert_eq!(pets.len(), 1);
    assert_eq!(service.seen().len(), 5);
    let bounds = [250, 500, 1000, 2000].map(Duration::from_millis);
    let slept = clock.slept();
    assert_eq!(slept.len(), 4);
    for (slept, bound) in slept.into_iter().zip(bounds) {
        assert!(slept <= bound, "{slept:?} is past {bound:?}");
    }
}

#[tokio::test]
async fn no_part_of_the_bound_is_likelier_than_another() {
    let service = Service::answering(|number| [BUSY, OK][number % 2].clone()).await;
    let clock = Timeless::default();
    let client = Client::new(&service.url(), "pst_key").with_clock(clock.clone());

    for _ in 0..400 {
        client.list_pets().send().await.unwrap();
    }

    let slept = clock.slept();
    assert_eq!(slept.len(), 400);
    let quarter = RetryPolicy::default().first_delay / 4;
    for number in 0..4 {
        let within = quarter * number..=quarter * (number + 1);
        let count = slept.iter().filter(|wait| within.contains(wait)).count();
        // A hundred, give or take. Less than fifty is as likely as one in ten million.
        assert!(count > 50, "{count} of 400 in {within:?}");
    }
}

#[tokio::test]
async fn retry_after_is_waited_for_to_the_second() {
    let polite = Step::Answer(503, &["retry-after: 7"], EXCEEDED);
    let (client, _service, clock) = scripted(&[TIRED, polite, OK]).await;

    client.list_pets().send().await.unwrap();

    assert_eq!(clock.slept(), [20, 7].map(Duration::from_secs));
}

#[tokio::test]
async fn nothing_is_sent_more_often_than_the_policy_says() {
    let (client, service, clock) = scripted(&[BUSY]).await;
    let policy = RetryPolicy {
        max_attempts: 3,
        ..RetryPolicy::default()
    };

    let error = client
        .with_retries(policy)
        .list_pets()
        .send()
        .await
        .unwrap_err();

    assert_eq!(
        error.code(),
        Some(ErrorCode::Unavailable),
        "the last answer"
    );
    assert_eq!(service.seen().len(), 3);
    assert_eq!(clock.slept().len(), 2);
}

#[tokio::test]
async fn no_wait_outlasts_the_deadline() {
    let (client, service, clock) = scripted(&[TIRED]).await;

    let error = client
        .with_retries(with_deadline(50))
        .list_pets()
        .send()
        .await
        .unwrap_err();

    assert_eq!(
        clock.slept(),
        [20, 20].map(Duration::from_secs),
        "60 would be too late"
    );
    assert_eq!(service.seen().len(), 3);
    assert_eq!(error.code(), Some(ErrorCode::RateLimitExceeded));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(20)));
}

#[tokio::test]
async fn off_means_once() {
    for step in [BUSY, TIRED, Step::Cut] {
        let (client, service, clock) = scripted(&[step, OK]).await;
        let client = client.with_retries(RetryPolicy::off());

        client.list_pets().send().await.unwrap_err();

        assert_eq!(service.seen().len(), 1);
        assert_eq!(clock.slept(), []);
        client.list_pets().send().await.unwrap();
        assert_eq!(clock.slept(), [], "nor is the next call held back");
    }
}

#[tokio::test]
async fn a_ban_is_reported_and_not_hammered() {
    let banned = Step::Answer(429, &["retry-after: 2"], BANNED);
    let (client, service, clock) = scripted(&[banned, OK]).await;

    let error = client.list_pets().send().await.unwrap_err();

    assert_eq!(error.code(), Some(ErrorCode::ApiKeyBanned));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    assert_eq!(service.seen().len(), 1);
    assert_eq!(clock.slept(), []);
}

#[tokio::test]
async fn a_patch_is_not_repeated_after_a_lost_connection() {
    let (client, service, _clock) = scripted(&[Step::Cut, Step::Answer(200, &[], ORDER)]).await;
    let order = types::Order {
        quantity: Some(2),
        ..Default::default()
    };

    let sent = client
        .update_order()
        .order_id(1)
        .body(order.clone())
        .send()
        .await;

    assert!(
        matches!(sent, Err(Error::CommunicationError(_))),
        "{sent:?}"
    );
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn a_patch_is_repeated_when_it_was_not_performed() {
    let (client, service, _clock) = scripted(&[TIRED, BUSY, Step::Answer(200, &[], ORDER)]).await;

    client
        .update_order()
        .order_id(1)
        .body(types::Order::default())
        .send()
        .await
        .unwrap();

    assert_eq!(service.seen().len(), 3);
}

#[tokio::test]
async fn a_delete_whose_answer_was_lost_succeeds() {
    let gone = Step::Answer(404, &["x-ratelimit-remaining: 3"], GONE);
    for script in [
        vec![Step::Cut, gone.clone()],
        // Doubt stays, though the attempt in between was certainly not performed.
        vec![Step::Cut, TIRED, gone],
    ] {
        let (client, _service, _clock) = scripted(&script).await;

        let deleted = client.delete_pet().pet_id(1).send().await.unwrap();

        assert_eq!(deleted.status(), 204, "{script:?}");
        assert!(deleted.headers().contains_key("x-ratelimit-remaining"));
        assert!(!deleted.headers().contains_key("content-length"));
    }
}

#[tokio::test]
async fn a_delete_of_nothing_is_an_error() {
    for script in [
        vec![Step::Answer(404, &[], GONE)],
        vec![TIRED, Step::Answer(404, &[], GONE)],
    ] {
        let (client, _service, _clock) = scripted(&script).await;
        let error = client.delete_pet().pet_id(1).send().await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::PetNotFound), "{script:?}");
    }
    let (client, _service, _clock) = scripted(&[DELETED]).await;
    client.delete_pet().pet_id(1).send().await.unwrap();
}

#[tokio::test]
async fn what_a_proxy_does_not_find_may_still_be_there() {
    let away = Step::Answer(404, &[], "<html>no backend</html>");
    let (client, service, _clock) = scripted(&[Step::Cut, away]).await;

    let error = client.delete_pet().pet_id(1).send().await.unwrap_err();

    assert!(matches!(error, Error::UnexpectedResponse(_)), "{error}");
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_whatever_the_request() {
    // Taken, so that nobody else gets the port, but not listened on.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let clock = Timeless::default();
    let client = Client::new(&url, "pst_key").with_clock(clock.clone());

    let sent = client
        .update_order()
        .order_id(1)
        .body(types::Order::default())
        .send()
        .await;

    assert!(
        matches!(sent, Err(Error::CommunicationError(_))),
        "{sent:?}"
    );
    assert_eq!(clock.slept().len(), 7, "eight attempts");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_takes_too_long_is_given_up() {
    let service = Service::start(&[Step::Silence, OK]).await;
    let client = Client::new(&service.url(), "pst_key");
    let started = tokio::time::Instant::now();

    client.list_pets().send().await.unwrap();

    let waited = started.elapsed();
    let bounds = Duration::from_secs(15)..Duration::from_secs(16);
    assert!(bounds.contains(&waited), "{waited:?}");
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn silence_is_not_waited_for_past_the_deadline() {
    let service = Service::start(&[Step::Silence]).await;
    let client = Client::new(&service.url(), "pst_key").with_retries(with_deadline(40));
    let started = tokio::time::Instant::now();

    client.list_pets().send().await.unwrap_err();

    let waited = started.elapsed();
    let bounds = Duration::from_secs(30)..=Duration::from_secs(41);
    assert!(bounds.contains(&waited), "{waited:?}");
    assert_eq!(service.seen().len(), 3, "15, 15, and what is left");
}

#[tokio::test(start_paused = true)]
async fn the_deadline_counts_from_a_calls_turn() {
    let service = Service::start(&[Step::Silence, OK]).await;
    let client = Client::new(&service.url(), "pst_key").with_retries(RetryPolicy {
        max_in_flight: 1,
        ..with_deadline(10)
    });

    let ended = join_all((0..2).map(|_| client.list_pets().send())).await;

    assert!(ended[0].is_err(), "it met with silence");
    assert!(
        ended[1].is_ok(),
        "its turn came when the first had given up"
    );
}
