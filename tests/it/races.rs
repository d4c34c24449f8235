//! Many clients at once, over HTTP.

use std::collections::BTreeMap;

use futures::future::join_all;
use petstore_client::types::{Order, PetStatus};
use test_support::{TestApp, refusal};

const CLIENTS: usize = 64;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_last_units_go_to_as_many_clients_as_there_are_units() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 10).await;
    let clients = (0..CLIENTS).map(|_| async {
        let place = app.client.place_order().body(Order::builder().pet_id(pet));
        match place.send().await {
            Ok(placed) => placed.status().to_string(),
            refused => refusal(refused),
        }
    });
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in join_all(clients).await {
        *counts.entry(outcome).or_default() += 1;
    }
    // The tenth order makes the pet pending, and so the others find it.
    let expected = [("201 Created", 10), ("409 pet_not_available", 54)];
    let expected = expected.map(|(outcome, count)| (outcome.to_owned(), count));
    assert_eq!(counts, BTreeMap::from(expected));

    assert_eq!(app.stock_of(pet).await, (0, PetStatus::Pending));
    let orders = app.client.list_orders().limit(100).send().await.unwrap();
    let held: i64 = orders.iter().filter_map(|order| order.quantity).sum();
    assert_eq!((orders.len(), held), (10, 10), "nothing oversold");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn duplicates_in_flight_are_one_order() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 10).await;
    let clients = (0..CLIENTS).map(|_| async {
        let place = app.client.place_order().body(Order::builder().pet_id(pet));
        let placed = place.idempotency_key("once").send().await.unwrap();
        let replayed = placed.headers().contains_key("idempotency-replayed");
        (placed.id, replayed)
    });
    let answers = join_all(clients).await;
    let first: Vec<_> = answers.iter().filter(|(_, replayed)| !replayed).collect();
    assert_eq!(first.len(), 1, "one was first, the others replayed it");
    assert!(answers.iter().all(|(id, _)| *id == first[0].0));
    assert_eq!(app.stock_of(pet).await, (9, PetStatus::Available));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn units_are_neither_made_nor_lost_while_orders_come_and_go() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 40).await;
    let clients = (0..CLIENTS).map(|client| {
        let app = &app;
        async move {
            let units = 1 + client as i64 % 3;
            let body = Order::builder().pet_id(pet).quantity(units);
            let placed = app.client.place_order().body(body).send().await;
            let Ok(placed) = placed else {
                return assert!(refusal(placed).starts_with("409 "));
            };
            let order = placed.id.unwrap();
            match client % 4 {
                0 => {
                    let cancel = app.client.cancel_order().order_id(order);
                    cancel.send().await.unwrap();
                }
                1 => app.complete(order).await,
                _ => {}
            }
        }
    });
    join_all(clients).await;
    let (free, _) = app.stock_of(pet).await;
    let orders = app.client.list_orders().limit(100).send().await.unwrap();
    let taken: i64 = orders.iter().filter_map(|order| order.quantity).sum();
    assert_eq!(free + taken, 40);
}
