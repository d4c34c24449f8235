//! The table of scenes: operation (`*` for any), code (`success` for none), and what makes of the request that
//! succeeds one that ends in that code.

use super::scene::{Scene, Sending};
use super::sender::Sender;
use super::trouble::Trouble;

type Arrange = fn(&mut Scene);

pub const SCENES: &[(&str, &str, Arrange)] = &[
    ("*", "success", |_| {}),
    ("*", "invalid_parameter", |scene| {
        scene.target.push_str("?unheardOf=1");
    }),
    ("*", "malformed_request", |scene| body(scene, "{")),
    ("*", "request_timeout", |scene| {
        scene.sending = Sending::Halfway;
    }),
    ("*", "body_too_large", |scene| {
        body(scene, &" ".repeat(64 * 1024 + 1));
    }),
    ("*", "unsupported_media_type", |scene| {
        scene.content_type("text/plain");
    }),
    ("*", "validation_failed", |scene| body(scene, "[]")),
    ("*", "pet_not_found", Scene::nowhere),
    ("*", "category_not_found", Scene::nowhere),
    ("*", "order_not_found", Scene::nowhere),
    ("*", "internal_error", |scene| {
        scene.trouble = Trouble::TablesAreGone;
    }),
    // Nothing is leased for a newcomer yet, and nothing can be.
    ("*", "unavailable", |scene| {
        scene.sender = Sender::Newcomer;
        scene.trouble = Trouble::DatabaseIsTaken;
    }),
    // It needs no lease and no record, only to know who asks.
    ("getRateLimit", "internal_error", |scene| {
        scene.trouble = Trouble::KeysAreGone;
    }),
    ("getRateLimit", "unavailable", |scene| {
        scene.trouble = Trouble::ConnectionIsTaken;
    }),
    // Keys and limits.
    ("*", "missing_api_key", |scene| {
        scene.sender = Sender::Anonymous;
    }),
    ("*", "invalid_api_key", |scene| {
        scene.sender = Sender::Inventor;
    }),
    ("*", "revoked_api_key", |scene| {
        scene.sender = Sender::Revoked;
    }),
    ("*", "insufficient_access", |scene| {
        scene.sender = Sender::Reader;
    }),
    ("getRateLimit", "rate_limit_exceeded", |scene| {
        scene.sender = Sender::AnonymousTooOften;
    }),
    ("*", "rate_limit_exceeded", |scene| {
        scene.sender = Sender::Exhausted;
    }),
    ("*", "api_key_banned", |scene| {
        scene.sender = Sender::Banned;
    }),
    ("*", "idempotency_key_reused", |scene| {
        scene.before = scene.body.clone().into_iter().collect();
        scene.headers.push(("idempotency-key", "once".to_owned()));
        let other = match scene.target.as_str() {
            "/store/orders" => r#"{"petId": 1, "quantity": 2}"#,
            "/pets" => r#"{"name": "Somebody else", "categoryId": 1}"#,
            _ => r#"{"name": "Something else"}"#,
        };
        body(scene, other);
    }),
    // Pets.
    ("*", "unknown_category", |scene| {
        body(scene, r#"{"name": "Mittens", "categoryId": 424242}"#);
    }),
    ("replacePet", "invalid_status_transition", |scene| {
        scene.target = "/pets/3".to_owned();
        body(
            scene,
            r#"{"name": "Tom", "categoryId": 1, "status": "available"}"#,
        );
    }),
    ("replacePet", "pet_has_open_orders", |scene| {
        body(
            scene,
            r#"{"name": "Mittens", "categoryId": 1, "status": "sold"}"#,
        );
    }),
    ("replacePet", "insufficient_stock", |scene| {
        scene.target = "/pets/4".to_owned();
        body(
            scene,
            r#"{"name": "Fay", "categoryId": 1, "status": "available"}"#,
        );
    }),
    ("deletePet", "pet_has_open_orders", |scene| {
        scene.target = "/pets/1".to_owned();
    }),
    // Categories.
    ("createCategory", "category_exists", |scene| {
        body(scene, r#"{"name": "cat"}"#);
    }),
    ("replaceCategory", "category_exists", |scene| {
        scene.target = "/categories/2".to_owned();
        body(scene, r#"{"name": "CAT"}"#);
    }),
    ("deleteCategory", "category_in_use", |scene| {
        scene.target = "/categories/1".to_owned();
    }),
    // Orders.
    ("placeOrder", "unknown_pet", |scene| {
        body(scene, r#"{"petId": 424242}"#);
    }),
    ("placeOrder", "pet_not_available", |scene| {
        body(scene, r#"{"petId": 3}"#);
    }),
    ("placeOrder", "insufficient_stock", |scene| {
        body(scene, r#"{"petId": 1, "quantity": 100}"#);
    }),
    ("updateOrder", "insufficient_stock", |scene| {
        body(scene, r#"{"quantity": 100}"#);
    }),
    ("*", "order_already_complete", |scene| {
        scene.target = "/store/orders/2".to_owned();
    }),
];

fn body(scene: &mut Scene, body: &str) {
    scene.body = Some(body.to_owned());
}
