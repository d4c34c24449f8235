//! The client against the limits of the free plan: 60 requests a minute.

use std::time::Duration;

use petstore_client::{CallErrorExt, Client, ErrorCode, ResponseMetadata, RetryPolicy};
use test_support::{TestApp, Timeless};

#[tokio::test]
async fn two_hundred_calls_finish_at_the_pace_of_the_plan() {
    let app = TestApp::start().await;
    let waits = Timeless::moving(&app.clock);
    let key = app.free_key().await;
    let client = Client::new(&app.base_url(), key.text()).with_clock(waits.clone());
    let start = app.clock.seconds();

    for _ in 0..200 {
        client.list_pets().send().await.unwrap();
    }

    // A second 429 in a row would have been waited for, too.
    let slept = waits.slept();
    assert_eq!(slept.len(), 3, "one refusal a minute: {slept:?}");
    assert_eq!((app.clock.seconds() - start) / 60, 3, "60, 60, 60 and 20");
}

#[tokio::test]
async fn without_retries_the_61st_call_says_when_to_come_back() {
    let app = TestApp::start().await;
    let key = app.free_key().await;
    let client = Client::new(&app.base_url(), key.text()).with_retries(RetryPolicy::off());

    for number in 1..=60 {
        let pets = client.list_pets().send().await.unwrap();
        let quota = pets.rate_limit().unwrap();
        assert_eq!((quota.limit, quota.remaining), (60, 60 - number));
    }
    let refused = client.list_pets().send().await.unwrap_err();

    assert_eq!(refused.code(), Some(ErrorCode::RateLimitExceeded));
    let wait = refused.retry_after().unwrap();
    let quota = refused.rate_limit().unwrap();
    assert_eq!((quota.limit, quota.remaining), (60, 0));
    let reset = quota.reset.timestamp() - app.clock.seconds();
    assert_eq!(wait, Duration::from_secs(reset.try_into().unwrap()));

    app.clock
        .advance(chrono::TimeDelta::from_std(wait).unwrap());
    client
        .list_pets()
        .send()
        .await
        .expect("it was worth the wait");
}
