//! Records that most tests need, created through the generated client, and the error codes of its calls.

use std::fmt::Debug;

use petstore_client::types::{self, PetStatus};
use petstore_client::{RequestError, ResponseValue};

use crate::TestApp;

impl TestApp {
    /// Creates a category, and returns its id.
    pub async fn create_category(&self, name: &str) -> i64 {
        let body = types::NewCategory::builder().name(name);
        let created = self.client.create_category().body(body).send().await;
        created.unwrap().id
    }

    /// Creates an available pet with one unit in stock, in a category of its own, and returns its id.
    pub async fn create_pet(&self, name: &str) -> i64 {
        let category = self.create_category(&format!("{name}'s kind")).await;
        let body = types::NewPet::builder().name(name).category_id(category);
        let created = self.client.create_pet().body(body).send().await;
        created.unwrap().id
    }

    /// Creates a pet with this stock, and returns its id.
    pub async fn create_pet_with_stock(&self, name: &str, units: i64) -> i64 {
        let pet = self.create_pet(name).await;
        self.set_stock(pet, units).await;
        pet
    }

    /// Sets the stock of a pet.
    pub async fn set_stock(&self, pet: i64, units: i64) {
        let body = types::InventoryUpdate::builder().quantity(units);
        let set = self.client.set_inventory().pet_id(pet).body(body);
        set.send().await.unwrap();
    }

    /// Places an order, and returns its id.
    pub async fn place_order(&self, pet: i64, units: i64) -> i64 {
        let body = types::Order::builder().pet_id(pet).quantity(units);
        let placed = self.client.place_order().body(body).send().await;
        placed.unwrap().id.unwrap()
    }

    /// Completes an order.
    pub async fn complete_order(&self, order: i64) {
        let body = types::Order::builder().complete(true);
        let update = self.client.update_order().order_id(order).body(body);
        update.send().await.unwrap();
    }

    /// The free units and the status of a pet.
    pub async fn get_stock(&self, pet: i64) -> (i64, PetStatus) {
        let item = self.client.get_inventory().pet_id(pet).send().await;
        let item = item.unwrap();
        (item.quantity, item.status)
    }
}

/// The error of a call, as `status code`. Panics if the call succeeded.
pub fn error_code<T: Debug>(result: Result<ResponseValue<T>, RequestError>) -> String {
    match result {
        Err(RequestError::ErrorResponse(error)) => {
            assert_eq!(error.status, i64::from(error.status().as_u16()));
            format!("{} {}", error.status, error.code)
        }
        other => panic!("no error: {other:?}"),
    }
}
