//! `Idempotency-Key` over HTTP. How long a response is stored, and of which requests, is tested with the store.

use http::{Method, Request};
use petstore_client::types::{NewCategory, NewPet, Order};
use test_support::{TestApp, error_code, raw_http};

#[tokio::test]
async fn repeated_request_returns_the_first_response_and_creates_nothing() {
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

    // The same key for three operations: each operation has its own keys.
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
    // The response stays the first one, though the order has changed.
    app.complete_order(first.id.unwrap()).await;
    let again = order().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!((again.id, again.complete), (first.id, Some(false)));

    let orders = app.client.list_orders().send().await.unwrap();
    let pets = app.client.list_pets().send().await.unwrap();
    let categories = app.client.list_categories().send().await.unwrap();
    let counts = (orders.len(), pets.len(), categories.len());
    assert_eq!(counts, (1, 1, 1));
}

#[tokio::test]
async fn bodies_with_the_same_json_are_the_same_request() {
    let app = TestApp::start().await;
    app.create_pet_with_stock("Mittens", 5).await;
    let place = async |body: &str| {
        let request = Request::builder()
            .method(Method::POST)
            .uri("/store/orders")
            .header("content-type", "application/json")
            .header("idempotency-key", "key");
        let request = request.body(raw_http::full_body(body.to_owned())).unwrap();
        let response = app.send(request).await;
        let replayed = response.header("Idempotency-Replayed").map(str::to_owned);
        (response.status, replayed)
    };
    let replayed = (201, Some("true".to_owned()));
    assert_eq!(place(r#"{"petId":1,"quantity":2}"#).await, (201, None));
    assert_eq!(place(r#"{ "quantity" : 2, "petId" : 1 }"#).await, replayed);
    assert_eq!(place(r#"{"petId":1,"quantity":3}"#).await.0, 422);
    assert_eq!(place(r#"{"petId":1}"#).await.0, 422);
}

#[tokio::test]
async fn idempotency_key_must_be_1_to_255_visible_ascii_characters() {
    let app = TestApp::start().await;
    let create = |key: &str, name: &str| {
        let body = NewCategory::builder().name(name);
        let create = app.client.create_category().body(body);
        create.idempotency_key(key).send()
    };
    let longest = "~".repeat(255);
    assert_eq!(create(&longest, "Cat").await.unwrap().status(), 201);
    for key in ["", "a b", "a\tb", &"~".repeat(256)] {
        let error = error_code(create(key, "Dog").await);
        assert_eq!(error, "400 invalid_parameter", "{key:?}");
    }
}
