//! `Idempotency-Key`: a repeated request is answered as the first time, and nothing is created twice.

use chrono::TimeDelta;
use http::{Method, Request};
use petstore_client::types::{NewCategory, NewPet, Order};
use test_support::{TestApp, refusal, wire};

#[tokio::test]
async fn a_repeated_request_is_answered_as_the_first_time() {
    let app = TestApp::start().await;
    let category = || {
        let body = NewCategory::builder().name("Cat");
        let create = app.client.create_category().body(body);
        create.idempotency_key("one").send()
    };
    let pet = || {
        let body = NewPet::builder().name("Mittens").category_id(1);
        let create = app.client.create_pet().body(body);
        create.idempotency_key("one").send()
    };
    let order = || {
        let place = app.client.place_order().body(Order::builder().pet_id(1));
        place.idempotency_key("one").send()
    };

    // The same key, yet three requests: it belongs to its operation.
    let first = category().await.unwrap();
    assert!(!first.headers().contains_key("idempotency-replayed"));
    let again = category().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.headers()["location"], first.headers()["location"]);
    assert_eq!((again.status(), again.id), (first.status(), first.id));

    let first = pet().await.unwrap();
    let again = pet().await.unwrap();
    assert!(!first.headers().contains_key("idempotency-replayed"));
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.id, first.id);

    let first = order().await.unwrap();
    assert!(!first.headers().contains_key("idempotency-replayed"));
    // The answer is that of the first time, whatever became of the order.
    app.complete(first.id.unwrap()).await;
    let again = order().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!((again.id, again.complete), (first.id, Some(false)));

    let orders = app.client.list_orders().send().await.unwrap();
    let pets = app.client.list_pets().send().await.unwrap();
    let categories = app.client.list_categories().send().await.unwrap();
    let counts = (orders.len(), pets.len(), categories.len());
    assert_eq!(counts, (1, 1, 1), "nothing was created twice");
}

#[tokio::test]
async fn the_same_body_is_the_same_json_however_it_is_written() {
    let app = TestApp::start().await;
    app.pet_with_stock("Mittens", 5).await;
    let place = async |body: &str| {
        let request = Request::builder()
            .method(Method::POST)
            .uri("/store/orders")
            .header("content-type", "application/json")
            .header("idempotency-key", "key");
        let request = request.body(wire::whole(body.to_owned())).unwrap();
        let answer = app.send(request).await;
        let replayed = answer.header("Idempotency-Replayed").map(str::to_owned);
        (answer.status.as_u16(), replayed)
    };
    let replayed = (201, Some("true".to_owned()));
    assert_eq!(place(r#"{"petId":1,"quantity":2}"#).await, (201, None));
    assert_eq!(place(r#"{ "quantity" : 2, "petId" : 1 }"#).await, replayed);
    assert_eq!(place(r#"{"petId":1,"quantity":3}"#).await.0, 422);
    assert_eq!(place(r#"{"petId":1}"#).await.0, 422);
}

#[tokio::test]
async fn only_a_success_is_kept() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 1).await;
    let place = || {
        let body = Order::builder().pet_id(pet).quantity(2);
        let place = app.client.place_order().body(body);
        place.idempotency_key("key").send()
    };
    assert_eq!(refusal(place().await), "409 insufficient_stock");
    app.stock(pet, 2).await;
    let placed = place().await.unwrap();
    assert!(!placed.headers().contains_key("idempotency-replayed"));
}

#[tokio::test]
async fn a_key_is_kept_for_a_day() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 5).await;
    let place = async || {
        let place = app.client.place_order().body(Order::builder().pet_id(pet));
        let placed = place.idempotency_key("key").send().await.unwrap();
        placed.id.unwrap()
    };
    let first = place().await;
    app.clock
        .advance(TimeDelta::hours(24) - TimeDelta::milliseconds(1));
    assert_eq!(place().await, first, "just within");
    app.clock.advance(TimeDelta::milliseconds(1));
    assert_ne!(place().await, first, "forgotten");
}

#[tokio::test]
async fn a_key_is_visible_ascii_of_bounded_length() {
    let app = TestApp::start().await;
    let create = |key: &str, name: &str| {
        let body = NewCategory::builder().name(name);
        let create = app.client.create_category().body(body);
        create.idempotency_key(key).send()
    };
    let longest = "~".repeat(255);
    assert_eq!(create(&longest, "Cat").await.unwrap().status(), 201);
    for key in ["", "a b", "a\tb", &"~".repeat(256)] {
        let refused = refusal(create(key, "Dog").await);
        assert_eq!(refused, "400 invalid_parameter", "{key:?}");
    }
}
