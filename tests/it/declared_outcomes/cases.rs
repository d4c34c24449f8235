//! The table of cases: operation (`*` for any), error code (`*` for any beginning or end), `not_modified` or `success`, and the change that
//! makes the succeeding request end so.

use super::case::Case;
use super::sender::Sender;
use super::store_fault::StoreFault;

type Arrange = fn(&mut Case);

pub const CASES: &[(&str, &str, Arrange)] = &[
    ("*", "success", |case| case.sender = Sender::FreeKey),
    ("*", "invalid_parameter", |case| {
        case.target.push_str("?unknown=1");
    }),
    ("*", "malformed_request", |case| set_body(case, "{")),
    ("*", "request_timeout", |case| {
        case.body_is_unfinished = true;
    }),
    ("*", "body_too_large", |case| {
        set_body(case, &" ".repeat(64 * 1024 + 1));
    }),
    ("*", "unsupported_media_type", |case| {
        case.set_content_type("text/plain");
    }),
    ("*", "validation_failed", |case| set_body(case, "[]")),
    ("*", "*_not_found", Case::use_unknown_id),
    ("*", "unknown_*", Case::use_unknown_reference),
    ("*", "*_exists", |case| case.is_taken = true),
    ("*", "internal_error", |case| {
        case.fault = StoreFault::TablesDropped;
    }),
    ("*", "outcome_unknown", |case| {
        case.fault = StoreFault::OutcomeLost;
    }),
    // A key that was never used has no lease, this one has no credit either, and none can be had.
    ("*", "unavailable", |case| {
        case.sender = Sender::UnusedKey;
        case.fault = StoreFault::LedgerLocked;
    }),
    // It needs no lease and no record, only the API key. One that was never used must be read.
    ("getRateLimit", "internal_error", |case| {
        case.sender = Sender::UnusedKey;
        case.fault = StoreFault::SecretsDropped;
    }),
    ("getRateLimit", "unavailable", |case| {
        case.sender = Sender::UnusedKey;
        case.fault = StoreFault::SecretsBusy;
    }),
    // Keys and limits.
    ("*", "missing_api_key", |case| {
        case.sender = Sender::Anonymous;
    }),
    ("*", "invalid_api_key", |case| {
        case.sender = Sender::UnknownKey;
    }),
    ("*", "revoked_api_key", |case| {
        case.sender = Sender::RevokedKey;
    }),
    ("*", "insufficient_access", |case| {
        case.sender = Sender::ReadKey;
    }),
    ("getRateLimit", "rate_limit_exceeded", |case| {
        case.sender = Sender::ExhaustedAddress;
    }),
    ("*", "rate_limit_exceeded", |case| {
        case.sender = Sender::ExhaustedKey;
    }),
    ("*", "api_key_banned", |case| {
        case.sender = Sender::BannedKey;
    }),
    ("*", "idempotency_key_reused", |case| {
        case.earlier_bodies = case.body.clone().into_iter().collect();
        case.headers.push(("idempotency-key", "once".to_owned()));
        case.body = case.example.clone();
        assert_ne!(
            case.body.as_slice(),
            case.earlier_bodies,
            "{}: `own_request` needs a body that is not the example",
            case.target
        );
    }),
    // Entity tags.
    ("*", "not_modified", |case| {
        case.headers.push(("if-none-match", "*".to_owned()));
    }),
    ("*", "precondition_failed", |case| {
        case.headers.push(("if-match", "\"another\"".to_owned()));
    }),
    // Pets.
    ("replacePet", "invalid_status_transition", |case| {
        case.target = "/pets/3".to_owned();
        set_body(
            case,
            r#"{"name": "Tom", "categoryId": 1, "status": "available"}"#,
        );
    }),
    ("replacePet", "pet_has_open_orders", |case| {
        set_body(
            case,
            r#"{"name": "Mittens", "categoryId": 1, "status": "sold"}"#,
        );
    }),
    ("replacePet", "insufficient_stock", |case| {
        case.target = "/pets/4".to_owned();
        set_body(
            case,
            r#"{"name": "Fay", "categoryId": 1, "status": "available"}"#,
        );
    }),
    ("deletePet", "pet_has_open_orders", |case| {
        case.target = "/pets/1".to_owned();
    }),
    // Categories.
    ("deleteCategory", "category_in_use", |case| {
        case.target = "/categories/1".to_owned();
    }),
    // Orders.
    ("placeOrder", "pet_not_available", |case| {
        set_body(case, r#"{"petId": 3}"#);
    }),
    ("placeOrder", "insufficient_stock", |case| {
        set_body(case, r#"{"petId": 1, "quantity": 100}"#);
    }),
    ("updateOrder", "insufficient_stock", |case| {
        set_body(case, r#"{"quantity": 100}"#);
    }),
    ("*", "order_already_complete", |case| {
        case.target = "/store/orders/2".to_owned();
    }),
];

fn set_body(case: &mut Case, body: &str) {
    case.body = Some(body.to_owned());
}
