//! A store on a new database, and short constructors of request bodies.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use dropspec_gate::conditional::Precondition;
use dropspec_store::postgres::PostgresEngine;
use dropspec_store::sqlite::Engine;
use petstore_server::categories::{Category, NewCategory};
use petstore_server::orders::OrderBody;
use petstore_server::pets::{NewPet, Pet};
use petstore_server::store::{EngineConfig, POSTGRES_SCHEMA, PageRequest, SCHEMA, Store};
use tempfile::TempDir;
use test_postgres::TestDatabase;

/// Makes tests of functions that take a [`fixture::Fixture`]: one on each kind of database.
macro_rules! on_every_store {
    ($($test:ident),* $(,)?) => {
        $(mod $test {
            use crate::store::fixture::Fixture;

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn on_sqlite() {
                super::$test(Fixture::on_sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn on_postgres() {
                if let Some(fixture) = Fixture::on_postgres(stringify!($test)).await {
                    super::$test(fixture).await;
                }
            }
        })*
    };
}

pub(crate) use on_every_store;

/// The first page, with the maximum length.
pub const ALL: PageRequest = PageRequest {
    after: 0,
    limit: 100,
};

/// An open store and its database, which is deleted at the end.
pub struct Fixture {
    pub store: Arc<Store>,
    _database: Database,
}

/// What deletes the database.
enum Database {
    File(#[allow(dead_code)] TempDir),
    Server(#[allow(dead_code)] Arc<TestDatabase>),
}

impl Fixture {
    /// A store on SQLite, in a temporary directory.
    pub fn on_sqlite() -> Fixture {
        let directory = TempDir::new().unwrap();
        let engine = Engine::open(SCHEMA, &config(directory.path().join("pets.db"))).unwrap();
        Fixture {
            store: Arc::new(Store::new(Arc::new(engine))),
            _database: Database::File(directory),
        }
    }

    /// A store on PostgreSQL, in a new database. `None` if the test is skipped, as there is no server.
    pub async fn on_postgres(test: &str) -> Option<Fixture> {
        let database = TestDatabase::create(test)?;
        Some(Fixture::on(&Arc::new(database)).await)
    }

    /// A store on a database of PostgreSQL, which other stores may use, too.
    pub async fn on(database: &Arc<TestDatabase>) -> Fixture {
        let config = database.url().parse().unwrap();
        let engine = PostgresEngine::open(POSTGRES_SCHEMA, &config)
            .await
            .unwrap();
        Fixture {
            store: Arc::new(Store::new(Arc::new(engine))),
            _database: Database::Server(Arc::clone(database)),
        }
    }

    /// Creates a pet with `stock` free units in a new category, and returns its id.
    pub async fn pet_with_stock(&self, stock: i64) -> i64 {
        let fish = self
            .create::<Category>(category("Fish"), None)
            .await
            .unwrap();
        let nemo = pet("Nemo", fish.record.id);
        let pet = self.create::<Pet>(nemo, None).await.unwrap().record.id;
        let set = self.set_inventory(pet, stock, Precondition::NONE).await;
        set.unwrap().pet_id
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
