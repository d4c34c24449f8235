//! A store in a directory of its own, and the few words in which the tests speak of it.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use petstore_server::categories::NewCategory;
use petstore_server::orders::NewOrder;
use petstore_server::pets::NewPet;
use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::{EngineConfig, PageRequest, Store, StoreError};
use tempfile::TempDir;

/// The longest page, from the start.
pub const ALL: PageRequest = PageRequest {
    after: 0,
    limit: 100,
};

/// An open store; its directory goes with it.
pub struct Fixture {
    pub store: Arc<Store>,
    pub directory: TempDir,
}

impl Fixture {
    pub fn new() -> Fixture {
        let directory = TempDir::new().unwrap();
        let store = Arc::new(Store::open(&config(directory.path().join("pets.db"))).unwrap());
        Fixture { store, directory }
    }

    /// A pet of a new category, with `stock` free units.
    pub async fn pet_with_stock(&self, stock: i64) -> i64 {
        let category = self
            .create_category(category("Fish"), None)
            .await
            .unwrap()
            .record
            .id;
        let pet = self
            .create_pet(pet("Nemo", category), None)
            .await
            .unwrap()
            .record
            .id;
        self.set_inventory(pet, stock).await.unwrap();
        pet
    }
}

impl Deref for Fixture {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

/// The usual bounds, with no more connections than a test needs.
pub fn config(path: PathBuf) -> EngineConfig {
    EngineConfig {
        read_connections: 2,
        ..EngineConfig::at(path)
    }
}

pub fn category(name: &str) -> NewCategory {
    NewCategory {
        name: name.to_owned(),
        description: None,
    }
}

pub fn pet(name: &str, category_id: i64) -> NewPet {
    NewPet {
        name: name.to_owned(),
        category_id,
        status: None,
    }
}

pub fn order(pet_id: i64, quantity: i64) -> NewOrder {
    NewOrder {
        pet_id: Some(pet_id),
        quantity: Some(quantity),
        ..NewOrder::default()
    }
}

/// The refusal that a call ended in.
pub fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> RuleViolation {
    match result {
        Err(StoreError::RuleViolation(refusal)) => refusal,
        other => panic!("not a refusal: {other:?}"),
    }
}
