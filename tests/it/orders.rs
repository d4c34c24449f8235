//! Orders through the generated client. Their rules are tested beside their functions.

use chrono::{DateTime, Utc};
use http::Method;
use petstore_client::types::{Order, PetStatus};
use serde_json::{Value, json};
use test_support::{TestApp, error_code};

fn date(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[tokio::test]
async fn order_is_placed_read_and_cancelled() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 5).await;
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
    assert_eq!(seen(&placed), expected, "one unit by default");
    assert_eq!(app.get_stock(pet).await, (4, PetStatus::Available));

    let get = || app.client.get_order().order_id(id).send();
    assert_eq!(seen(&get().await.unwrap()), expected);

    let cancel = || app.client.cancel_order().order_id(id).send();
    assert_eq!(cancel().await.unwrap().status(), 204);
    assert_eq!(app.get_stock(pet).await, (5, PetStatus::Available));
    assert_eq!(error_code(get().await), "404 order_not_found");
    assert_eq!(error_code(cancel().await), "404 order_not_found");
}

#[tokio::test]
async fn update_keeps_the_properties_that_it_omits() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 10).await;
    let first_date = date("2026-12-01T09:00:00Z");
    let second_date = date("2026-12-02T09:00:00.5Z");
    let body = Order::builder().pet_id(pet).quantity(4);
    let body = body.ship_date(first_date);
    let order = app.client.place_order().body(body).send().await.unwrap();
    let order = order.id.unwrap();
    let change = async |body: fn(i64, i64) -> petstore_client::types::builder::Order| {
        let update = app.client.update_order().order_id(order);
        let updated = update.body(body(order, pet)).send().await.unwrap();
        let free = app.get_stock(pet).await.0;
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
async fn ship_date_cannot_be_cleared() {
    let app = TestApp::start().await;
    let pet = app.create_pet("Mittens").await;
    let target = format!("/store/orders/{}", app.place_order(pet, 1).await);
    let body = r#"{"shipDate": null}"#;
    let response = app.send_text(Method::PATCH, &target, body).await;
    assert_eq!(response.outcome(), "422 validation_failed");
}

#[tokio::test]
async fn order_with_unknown_properties_is_placed_and_ignores_them() {
    let app = TestApp::start().await;
    let pet = app.create_pet("Mittens").await;
    let body = json!({"petId": pet, "giftWrap": "red"});
    let placed = app.send_json(Method::POST, "/store/orders", body).await;
    assert_eq!(placed.json::<Value>().get("giftWrap"), None);
}
