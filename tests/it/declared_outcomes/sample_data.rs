//! The records that every case begins with, and a request for each operation that succeeds on them.

use http::Method;
use petstore_api::Operation;
use serde_json::json;
use test_support::{TestApp, examples};

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
    for operation in Operation::ALL {
        let info = operation.info();
        let example = examples::example_of_body(info);
        let is_like_document = own_request(operation).is_none();
        if let (true, "POST", Some(body)) = (is_like_document, info.method.as_str(), example) {
            let path = examples::path_with_ids(info);
            app.send_json(Method::POST, &path, body).await;
        }
    }
}

/// Returns target and body of a request for an operation that succeeds on these records: that of the table below, or the
/// example of the document, with 1 for each id. What is created is like the example of the replacement, as another record is
/// like that of the creation.
pub fn request(operation: Operation) -> (String, Option<String>) {
    if let Some((target, body)) = own_request(operation) {
        return (target.to_owned(), body.map(str::to_owned));
    }
    let info = operation.info();
    let mut operations = Operation::ALL.iter().map(|it| it.info());
    let replacement = operations.find(|it| {
        let item = it.path.strip_prefix(info.path);
        let is_item = item.is_some_and(|rest| rest.starts_with("/{"));
        is_item && info.method.as_str() == "POST" && it.method.as_str() == "PUT"
    });
    let body = examples::example_of_body(replacement.unwrap_or(info));
    let body = body.map(|it| it.to_string());
    (examples::path_with_ids(info), body)
}

/// The request of an operation for which the example of the document does not succeed on these records.
fn own_request(operation: Operation) -> Option<(&'static str, Option<&'static str>)> {
    Some(match operation {
        Operation::CreatePet => ("/pets", Some(r#"{"name": "Ada", "categoryId": 1}"#)),
        Operation::ReplacePet => ("/pets/1", Some(r#"{"name": "Ada", "categoryId": 2}"#)),
        Operation::DeletePet => ("/pets/2", None),
        Operation::CreateCategory => ("/categories", Some(r#"{"name": "Dog"}"#)),
        Operation::ReplaceCategory => ("/categories/1", Some(r#"{"name": "Dog"}"#)),
        Operation::DeleteCategory => ("/categories/2", None),
        Operation::PlaceOrder => ("/store/orders", Some(r#"{"petId": 1}"#)),
        Operation::UpdateOrder => ("/store/orders/1", Some(r#"{"quantity": 3}"#)),
        _ => return None,
    })
}
