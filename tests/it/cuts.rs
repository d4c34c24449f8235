//! The client over a network that breaks.

use futures::TryStreamExt;
use futures::future::join_all;
use petstore_client::types::{Order, PetStatus};
use petstore_client::{Client, RetryPolicy};
use test_support::{Cutter, TestApp, Timeless};

const ORDERS: i64 = 100;

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_orders_over_broken_connections_are_a_hundred_orders() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 1000).await;
    let cutter = Cutter::start(app.address(), 7).await;
    let client = Client::new(&cutter.base_url(), app.owner_key())
        .with_clock(Timeless::moving(&app.clock))
        .with_retries(RetryPolicy {
            max_attempts: 100,
            deadline: std::time::Duration::MAX / 2,
            ..RetryPolicy::default()
        });

    let calls = (0..ORDERS).map(|_| {
        let order = Order::builder().pet_id(pet).quantity(1);
        client.place_order().body(order).send()
    });
    for placed in join_all(calls).await {
        placed.unwrap();
    }

    let orders: Vec<Order> = app.client.orders_all().try_collect().await.unwrap();
    assert_eq!(orders.len(), 100);
    assert_eq!(app.stock_of(pet).await, (900, PetStatus::Available));
    assert!(cutter.cuts() > 25, "only {} cuts", cutter.cuts());
}
