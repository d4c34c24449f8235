//! The store that every scene of the walk begins with, the requests that succeed on it, and what can befall it.

use http::Method;
use petstore_api::Operation;
use petstore_e2e::TestApp;
use rusqlite::Connection;
use serde_json::json;

/// Fills the store. It only writes: a connection of the server that has never read holds nothing of the database.
pub async fn set(app: &TestApp) {
    let rows = [
        ("/categories", json!({"name": "Cat"})),
        ("/categories", json!({"name": "Nobody's"})),
        // Pet 1 has stock, an open order and a complete one.
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
        app.accepted(Method::POST, path, body).await;
    }
    let stock = json!({"quantity": 9});
    app.accepted(Method::PUT, "/store/inventory/1", stock).await;
    for _ in 1..=2 {
        let order = json!({"petId": 1, "quantity": 2});
        app.accepted(Method::POST, "/store/orders", order).await;
    }
    let complete = json!({"complete": true});
    app.accepted(Method::PATCH, "/store/orders/2", complete)
        .await;
}

/// The target and the body of a request that succeeds.
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

/// What is wrong with the database.
#[derive(Debug, Clone, Copy)]
pub enum Trouble {
    None,
    /// Somebody dropped the tables.
    TablesAreGone,
    /// Another process has the database for itself.
    DatabaseIsTaken,
}

impl Trouble {
    /// Makes it so, until what is returned is dropped.
    pub async fn begin(self, app: &TestApp) -> Option<Connection> {
        let other = match self {
            Trouble::None => return None,
            Trouble::TablesAreGone => {
                let other = Connection::open(app.database()).unwrap();
                other
                    .execute_batch(
                        "PRAGMA foreign_keys = OFF;
                         DROP TABLE orders; DROP TABLE pets; DROP TABLE categories;",
                    )
                    .unwrap();
                other
            }
            Trouble::DatabaseIsTaken => {
                // SQLite lets nobody have a database for himself while the writer is connected to it.
                app.server().service().store.close().await.unwrap();
                let other = Connection::open(app.database()).unwrap();
                other
                    .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
                    .unwrap();
                other
            }
        };
        Some(other)
    }
}
