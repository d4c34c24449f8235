//! Orders through the generated client, and what they do to the stock.

use chrono::{DateTime, Utc};
use petstore_client::types::{Order, PetStatus};
use test_support::{TestApp, refusal};

fn date(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[tokio::test]
async fn an_order_is_placed_read_and_cancelled() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 5).await;
    let ship_date = date("2026-12-01T09:00:00Z");
    let body = Order::builder().pet_id(pet).ship_date(ship_date);
    let placed = app.client.place_order().body(body).send().await.unwrap();
    assert_eq!(placed.status(), 201);
    let id = placed.id.unwrap();
    assert_eq!(placed.headers()["location"], format!("/store/orders/{id}"));
    let expected = (Some(pet), Some(1), Some(ship_date), Some(false));
    let seen = |order: &Order| {
        (
            order.pet_id,
            order.quantity,
            order.ship_date,
            order.complete,
        )
    };
    assert_eq!(seen(&placed), expected, "one unit when none is asked for");
    assert_eq!(app.stock_of(pet).await, (4, PetStatus::Available));

    let get = || app.client.get_order().order_id(id).send();
    assert_eq!(seen(&get().await.unwrap()), expected);

    let cancel = || app.client.cancel_order().order_id(id).send();
    assert_eq!(cancel().await.unwrap().status(), 204);
    assert_eq!(app.stock_of(pet).await, (5, PetStatus::Available));
    assert_eq!(refusal(get().await), "404 order_not_found");
    assert_eq!(refusal(cancel().await), "404 order_not_found");
}

#[tokio::test]
async fn the_last_unit_makes_a_pet_pending_and_its_return_available() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 3).await;
    let order = app.order(pet, 3).await;
    assert_eq!(app.stock_of(pet).await, (0, PetStatus::Pending));
    let another = app.client.place_order().body(Order::builder().pet_id(pet));
    assert_eq!(refusal(another.send().await), "409 pet_not_available");

    let cancel = app.client.cancel_order().order_id(order);
    cancel.send().await.unwrap();
    assert_eq!(app.stock_of(pet).await, (3, PetStatus::Available));
}

#[tokio::test]
async fn the_last_completion_without_stock_sells_a_pet() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 3).await;
    let first = app.order(pet, 1).await;
    let last = app.order(pet, 2).await;
    app.complete(first).await;
    assert_eq!(app.stock_of(pet).await, (0, PetStatus::Pending));
    app.complete(last).await;
    assert_eq!(app.stock_of(pet).await, (0, PetStatus::Sold));

    let body = Order::builder().quantity(1);
    let change = app.client.update_order().order_id(last).body(body);
    assert_eq!(refusal(change.send().await), "409 order_already_complete");
    let cancel = app.client.cancel_order().order_id(last);
    assert_eq!(refusal(cancel.send().await), "409 order_already_complete");
}

#[tokio::test]
async fn a_change_leaves_what_it_does_not_name() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 10).await;
    let first_date = date("2026-12-01T09:00:00Z");
    let second_date = date("2026-12-02T09:00:00.5Z");
    let body = Order::builder().pet_id(pet).quantity(4);
    let body = body.ship_date(first_date);
    let order = app.client.place_order().body(body).send().await.unwrap();
    let order = order.id.unwrap();
    let change = async |body: fn(i64, i64) -> petstore_client::types::builder::Order| {
        let update = app.client.update_order().order_id(order);
        let updated = update.body(body(order, pet)).send().await.unwrap();
        let free = app.stock_of(pet).await.0;
        (updated.quantity, updated.ship_date, updated.complete, free)
    };

    let open = Some(false);
    let seen = change(|_, _| Order::builder()).await;
    assert_eq!(seen, (Some(4), Some(first_date), open, 6), "nothing");
    let seen = change(|_, _| Order::builder().quantity(7)).await;
    assert_eq!(seen, (Some(7), Some(first_date), open, 3), "three more");
    let seen = change(|_, _| Order::builder().quantity(2)).await;
    assert_eq!(seen, (Some(2), Some(first_date), open, 8), "five fewer");
    let seen = change(|_, _| Order::builder().ship_date(date("2026-12-02T09:00:00.5Z"))).await;
    assert_eq!(seen, (Some(2), Some(second_date), open, 8), "a later date");
    let seen = change(|id, pet| Order::builder().id(id).pet_id(pet).complete(false)).await;
    assert_eq!(seen, (Some(2), Some(second_date), open, 8), "its own ids");
    let seen = change(|_, _| Order::builder().complete(true)).await;
    assert_eq!(seen, (Some(2), Some(second_date), Some(true), 8), "shipped");
}

#[tokio::test]
async fn a_change_that_cannot_be_made_changes_nothing() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 3).await;
    let order = app.order(pet, 2).await;
    let rows = [
        (Order::builder().id(order + 1), "422 validation_failed"),
        (Order::builder().pet_id(pet + 1), "422 validation_failed"),
        (Order::builder().quantity(0), "422 validation_failed"),
        (
            Order::builder().quantity(4).complete(true),
            "409 insufficient_stock",
        ),
    ];
    for (body, expected) in rows {
        let update = app.client.update_order().order_id(order).body(body);
        assert_eq!(refusal(update.send().await), expected);
    }
    let cleared = r#"{"shipDate": null}"#;
    let target = format!("/store/orders/{order}");
    let answer = app.send_text(http::Method::PATCH, &target, cleared).await;
    assert_eq!(answer.status, 422, "a date can be moved, not cleared");

    let kept = app.client.get_order().order_id(order).send().await.unwrap();
    assert_eq!((kept.quantity, kept.complete), (Some(2), Some(false)));
    assert_eq!(app.stock_of(pet).await, (1, PetStatus::Available));
}

#[tokio::test]
async fn an_order_must_make_sense() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 3).await;
    let order = Order::builder;
    let rows = [
        (order(), "422 validation_failed", "no pet"),
        (order().pet_id(pet).id(7), "422 validation_failed", "an id"),
        (
            order().pet_id(pet).complete(true),
            "422 validation_failed",
            "complete from the start",
        ),
        (
            order().pet_id(pet).quantity(10_001),
            "422 validation_failed",
            "past the bound",
        ),
        (order().pet_id(pet + 1), "422 unknown_pet", "no such pet"),
        (
            order().pet_id(pet).quantity(4),
            "409 insufficient_stock",
            "more than there is",
        ),
    ];
    for (body, expected, reason) in rows {
        let place = app.client.place_order().body(body);
        assert_eq!(refusal(place.send().await), expected, "{reason}");
    }
    assert_eq!(app.stock_of(pet).await, (3, PetStatus::Available));

    let body = format!(r#"{{"petId": {pet}, "giftWrap": "red"}}"#);
    let target = "/store/orders";
    let answer = app.send_text(http::Method::POST, target, &body).await;
    assert_eq!(answer.status, 201, "what an order does not know it ignores");
}
