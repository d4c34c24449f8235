//! The records that every case begins with, and a request for each operation that succeeds on them.

use http::Method;
use petstore_api::Operation;
use serde_json::json;
use test_support::TestApp;

/// Creates the records that the requests of the cases need.
pub async fn create(app: &TestApp) {
    let rows = [
        ("/categories", json!({"name": "Cat"})),
        ("/categories", json!({"name": "Unused"})),
        // Pet 1 gets stock, an open order and a complete one.
        ("/pets", json!({"name": "Mittens", "categoryId": 1})),
        ("/pets", json!({"name": "Rex", "categoryId": 1})),
        (
            "/pets",
            json!({"name": "Tom", "categoryId": 1, "status": "sold"}),
        ),
        (
            "/pets",
            json!({"name": "Fay", "categoryId": 1, "status": "pending"}),
        ),
    ];
    for (path, body) in rows {
        app.send_json(Method::POST, path, body).await;
    }
    let stock = json!({"quantity": 9});
    app.send_json(Method::PUT, "/store/inventory/1", stock)
        .await;
    for _ in 1..=2 {
        let order = json!({"petId": 1, "quantity": 2});
        app.send_json(Method::POST, "/store/orders", order).await;
    }
    let complete = json!({"complete": true});
    app.send_json(Method::PATCH, "/store/orders/2", complete)
        .await;
}

/// Returns target and body of a request for an operation that succeeds on these records.
pub fn request(operation: Operation) -> (&'static str, Option<&'static str>) {
    match operation {
        Operation::ListPets => ("/pets", None),
        Operation::CreatePet => ("/pets", Some(r#"{"name": "Ada", "categoryId": 1}"#)),
        Operation::GetPet => ("/pets/1", None),
        Operation::ReplacePet => ("/pets/1", Some(r#"{"name": "Ada", "categoryId": 2}"#)),
        Operation::DeletePet => ("/pets/2", None),
        Operation::ListCategories => ("/categories", None),
        Operation::CreateCategory => ("/categories", Some(r#"{"name": "Dog"}"#)),
        Operation::GetCategory => ("/categories/1", None),
        Operation::ReplaceCategory => ("/categories/1", Some(r#"{"name": "Dog"}"#)),
        Operation::DeleteCategory => ("/categories/2", None),
        Operation::ListOrders => ("/store/orders", None),
        Operation::PlaceOrder => ("/store/orders", Some(r#"{"petId": 1}"#)),
        Operation::GetOrder => ("/store/orders/1", None),
        Operation::UpdateOrder => ("/store/orders/1", Some(r#"{"quantity": 3}"#)),
        Operation::CancelOrder => ("/store/orders/1", None),
        Operation::ListInventory => ("/store/inventory", None),
        Operation::GetInventory => ("/store/inventory/1", None),
        Operation::SetInventory => ("/store/inventory/1", Some(r#"{"quantity": 4}"#)),
        Operation::GetRateLimit => ("/rate-limit", None),
    }
}
