//! A store in a temporary directory, and short constructors of request bodies.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use petstore_server::categories::NewCategory;
use petstore_server::orders::OrderBody;
use petstore_server::pets::NewPet;
use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::{EngineConfig, PageRequest, Store, StoreError};
use spec_gate::conditional::Precondition;
use tempfile::TempDir;

/// The first page, with the maximum length.
pub const ALL: PageRequest = PageRequest {
    after: 0,
    limit: 100,
};

/// An open store and its temporary directory.
pub struct Fixture {
    pub store: Arc<Store>,
    _directory: TempDir,
}

impl Fixture {
    pub fn new() -> Fixture {
        let directory = TempDir::new().unwrap();
        let store = Arc::new(Store::open(&config(directory.path().join("pets.db"))).unwrap());
        Fixture {
            store,
            _directory: directory,
        }
    }

    /// Creates a pet with `stock` free units in a new category, and returns its id.
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
        self.set_inventory(pet, stock, Precondition::NONE)
            .await
            .unwrap();
        pet
    }
}

impl Deref for Fixture {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

/// The default limits, with two reader connections.
pub fn config(path: PathBuf) -> EngineConfig {
    EngineConfig {
        read_connections: 2,
        ..EngineConfig::new(path)
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

pub fn order(pet_id: i64, quantity: i64) -> OrderBody {
    OrderBody {
        pet_id: Some(pet_id),
        quantity: Some(quantity),
        ..OrderBody::default()
    }
}

/// Returns the rule violation of a failed call. Panics if it succeeded or failed otherwise.
pub fn violation<T: std::fmt::Debug>(result: Result<T, StoreError>) -> RuleViolation {
    match result {
        Err(StoreError::RuleViolation(violation)) => violation,
        other => panic!("not a rule violation: {other:?}"),
    }
}
