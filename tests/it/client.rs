//! The client against rate limits and broken connections.

use std::time::Duration;

use chrono::TimeDelta;
use futures::TryStreamExt;
use futures::future::join_all;
use petstore_client::types::{Order, PetStatus};
use petstore_client::{CallErrorExt, Client, ErrorCode, ResponseMetadata, RetryPolicy};
use test_support::{FlakyProxy, InstantClock, TestApp};

#[tokio::test]
async fn client_waits_three_times_to_send_200_calls_at_60_a_minute() {
    let app = TestApp::start().await;
    let clock = InstantClock::advancing(&app.clock);
    let key = app.create_free_key().await;
    let client = Client::new(&app.base_url(), key.text()).with_clock(clock.clone());
    let start = app.clock.seconds();

    for _ in 0..200 {
        client.list_pets().send().await.unwrap();
    }

    let sleeps = clock.sleeps();
    assert_eq!(sleeps.len(), 3, "one 429 a minute: {sleeps:?}");
    assert_eq!((app.clock.seconds() - start) / 60, 3);
}

#[tokio::test]
async fn client_without_retries_returns_the_wait_of_the_61st_call() {
    let app = TestApp::start().await;
    let client = app.client_with_key(&app.create_free_key().await);

    for number in 1..=60 {
        let pets = client.list_pets().send().await.unwrap();
        let quota = pets.rate_limit().unwrap();
        assert_eq!((quota.limit, quota.remaining), (60, 60 - number));
    }
    let limited = client.list_pets().send().await.unwrap_err();

    assert_eq!(limited.code(), Some(ErrorCode::RateLimitExceeded));
    let wait = limited.retry_after().unwrap();
    let quota = limited.rate_limit().unwrap();
    assert_eq!((quota.limit, quota.remaining), (60, 0));
    let reset = quota.reset.timestamp() - app.clock.seconds();
    assert_eq!(wait, Duration::from_secs(reset.try_into().unwrap()));

    app.clock.advance(TimeDelta::from_std(wait).unwrap());
    client.list_pets().send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn client_places_100_orders_exactly_once_over_broken_connections() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 1000).await;
    let proxy = FlakyProxy::start(app.address(), 7).await;
    let client = Client::new(&proxy.base_url(), app.owner_key())
        .with_clock(InstantClock::advancing(&app.clock))
        .with_retries(RetryPolicy {
            max_attempts: 100,
            deadline: Duration::MAX / 2,
            ..RetryPolicy::default()
        });

    let calls = (0..100).map(|_| {
        let order = Order::builder().pet_id(pet).quantity(1);
        client.place_order().body(order).send()
    });
    for placed in join_all(calls).await {
        placed.unwrap();
    }

    let orders: Vec<Order> = app.client.orders_all().try_collect().await.unwrap();
    assert_eq!(orders.len(), 100);
    assert_eq!(app.get_stock(pet).await, (900, PetStatus::Available));
    assert!(proxy.cuts() > 25, "only {} cuts", proxy.cuts());
}
