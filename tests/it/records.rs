//! Each kind of record through the generated client. Their rules are tested beside their functions, and the store against a model.

use chrono::{DateTime, Utc};
use http::Method;
use petstore_client::types::{InventoryUpdate, NewCategory, NewPet, Order, PetStatus};
use serde_json::{Value, json};
use test_support::{TestApp, error_code};

#[tokio::test]
async fn category_is_created_read_replaced_and_deleted() {
    let app = TestApp::start().await;
    let body = NewCategory::builder().name("Straße");
    let body = body.description("A kind of cat".to_owned());
    let created = app.client.create_category().body(body).send().await;
    let created = created.unwrap();
    let location = format!("/categories/{}", created.id);
    assert_eq!(created.headers()["location"], location);
    let get = || app.client.get_category().category_id(created.id).send();
    let read = get().await.unwrap();
    let seen = (read.name.as_str(), read.description.as_deref());
    assert_eq!(seen, ("Straße", Some("A kind of cat")));

    let body = NewCategory::builder().name("STRASSE");
    let again = app.client.create_category().body(body.clone()).send().await;
    assert_eq!(error_code(again), "409 category_exists");
    let replace = app.client.replace_category().category_id(created.id);
    let replaced = replace.body(body).send().await.unwrap();
    assert_eq!(replaced.name, "STRASSE", "its own name in another case");
    assert_eq!(
        get().await.unwrap().description,
        None,
        "omitted, so removed"
    );

    let delete = || app.client.delete_category().category_id(created.id).send();
    assert_eq!(delete().await.unwrap().status(), 204);
    assert_eq!(error_code(get().await), "404 category_not_found");
    assert_eq!(error_code(delete().await), "404 category_not_found");
}

#[tokio::test]
async fn pet_is_created_read_replaced_and_deleted() {
    use PetStatus::{Available, Pending, Sold};
    let app = TestApp::start().await;
    let category = app.create_category("Cat").await;
    let body = NewPet::builder().name("Mittens").category_id(category);
    let created = app.client.create_pet().body(body).send().await.unwrap();
    let id = created.id;
    assert_eq!(created.headers()["location"], format!("/pets/{id}"));
    assert!(!created.headers().contains_key("idempotency-replayed"));
    let seen = (created.name.as_str(), created.category_id, created.status);
    assert_eq!(seen, ("Mittens", category, Some(Available)));
    assert_eq!(app.get_stock(id).await, (1, Available));
    let get = || app.client.get_pet().pet_id(id).send();
    assert_eq!(get().await.unwrap().name, "Mittens");

    let other = app.create_category("Dog").await;
    let replace = |status: Option<PetStatus>| {
        let body = NewPet::builder().name("Rex").category_id(other);
        app.client
            .replace_pet()
            .pet_id(id)
            .body(body.status(status))
            .send()
    };
    let replaced = replace(None).await.unwrap();
    let seen = (
        replaced.name.as_str(),
        replaced.category_id,
        replaced.status,
    );
    assert_eq!(
        seen,
        ("Rex", other, Some(Available)),
        "an omitted status stays"
    );

    app.set_stock(id, 5).await;
    let order = app.place_order(id, 2).await;
    let delete = || app.client.delete_pet().pet_id(id).send();
    assert_eq!(error_code(delete().await), "409 pet_has_open_orders");
    assert_eq!(
        error_code(replace(Some(Sold)).await),
        "409 pet_has_open_orders"
    );
    replace(Some(Pending)).await.unwrap();
    assert_eq!(app.get_stock(id).await, (3, Pending));
    app.complete_order(order).await;
    replace(Some(Sold)).await.unwrap();
    assert_eq!(app.get_stock(id).await, (0, Sold));
    assert_eq!(delete().await.unwrap().status(), 204);
    assert_eq!(error_code(get().await), "404 pet_not_found");
    let kept = app.client.get_order().order_id(order).send().await;
    assert_eq!(kept.unwrap().pet_id, Some(id), "the order stays");
}

#[tokio::test]
async fn order_is_placed_read_changed_and_cancelled() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 10).await;
    let date = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    let (first, second) = (date("2026-12-01T09:00:00Z"), date("2026-12-02T09:00:00.5Z"));
    let body = Order::builder().pet_id(pet).ship_date(first);
    let placed = app.client.place_order().body(body).send().await.unwrap();
    let id = placed.id.unwrap();
    assert_eq!(placed.headers()["location"], format!("/store/orders/{id}"));
    let seen = |it: &Order| (it.pet_id, it.quantity, it.ship_date, it.complete);
    let expected = |quantity, date| (Some(pet), Some(quantity), Some(date), Some(false));
    assert_eq!(seen(&placed), expected(1, first), "one unit by default");

    let change = async |body: petstore_client::types::builder::Order| {
        let update = app.client.update_order().order_id(id).body(body);
        (
            seen(&update.send().await.unwrap()),
            app.get_stock(pet).await.0,
        )
    };
    let body = Order::builder;
    for (body, quantity, date, free) in [
        (body(), 1, first, 9),
        (body().quantity(7), 7, first, 3),
        (body().quantity(2), 2, first, 8),
        (body().ship_date(second), 2, second, 8),
        (body().id(id).pet_id(pet).complete(false), 2, second, 8),
    ] {
        assert_eq!(change(body).await, (expected(quantity, date), free));
    }
    let target = format!("/store/orders/{id}");
    let cleared = app.send_text(Method::PATCH, &target, r#"{"shipDate": null}"#);
    assert_eq!(cleared.await.outcome(), "422 validation_failed");

    let get = || app.client.get_order().order_id(id).send();
    assert_eq!(seen(&get().await.unwrap()), expected(2, second));
    let cancel = || app.client.cancel_order().order_id(id).send();
    assert_eq!(cancel().await.unwrap().status(), 204);
    assert_eq!(app.get_stock(pet).await, (10, PetStatus::Available));
    assert_eq!(error_code(get().await), "404 order_not_found");
    assert_eq!(error_code(cancel().await), "404 order_not_found");

    let body = json!({"petId": pet, "giftWrap": "red"});
    let placed = app.send_json(Method::POST, "/store/orders", body).await;
    let ignored = placed.json::<Value>();
    assert_eq!(ignored.get("giftWrap"), None, "an unknown property");
}

#[tokio::test]
async fn stock_is_at_most_1_000_000_except_by_cancelled_orders() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 1_000_000).await;
    for units in [-1, 1_000_001] {
        let body = InventoryUpdate::builder().quantity(units);
        let set = app.client.set_inventory().pet_id(pet).body(body);
        assert_eq!(error_code(set.send().await), "422 validation_failed");
    }
    let order = app.place_order(pet, 5).await;
    app.set_stock(pet, 1_000_000).await;
    let cancel = app.client.cancel_order().order_id(order);
    cancel.send().await.unwrap();
    let seen = app.get_stock(pet).await;
    assert_eq!(seen, (1_000_005, PetStatus::Available));
    app.set_stock(pet, 0).await;
    assert_eq!(app.get_stock(pet).await, (0, PetStatus::Sold));
}
