//! The client against rate limits and broken connections.

use std::time::Duration;

use futures::TryStreamExt;
use futures::future::join_all;
use petstore_client::types::{Order, PetStatus};
use petstore_client::{Client, ResponseMetadata, RetryPolicy};
use test_support::{AutoAdvanceClock, FlakyProxy, TestApp};

#[tokio::test]
async fn client_waits_three_times_to_send_200_calls_at_60_a_minute() {
    let app = TestApp::start().await;
    let clock = AutoAdvanceClock::driving(&app.clock);
    let key = app.create_free_key().await;
    let client = Client::connect(&app.base_url(), key.text())
        .unwrap()
        .with_clock(clock.clone());
    let start = app.clock.seconds();

    let first = client.list_pets().send().await.unwrap();
    let limit = first.rate_limit().unwrap();
    assert_eq!((limit.limit, limit.remaining), (60, 59));
    assert_eq!(limit.reset.timestamp(), start + 60);
    for _ in 1..200 {
        client.list_pets().send().await.unwrap();
    }

    let sleeps = clock.sleeps();
    assert_eq!(sleeps.len(), 3, "one 429 a minute: {sleeps:?}");
    assert_eq!((app.clock.seconds() - start) / 60, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn client_places_100_orders_exactly_once_over_broken_connections() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 1000).await;
    let proxy = FlakyProxy::start(app.address(), 7).await;
    let client = Client::connect(&proxy.base_url(), app.owner_key())
        .unwrap()
        .with_clock(AutoAdvanceClock::driving(&app.clock))
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
