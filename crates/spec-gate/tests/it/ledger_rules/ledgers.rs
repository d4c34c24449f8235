//! The ledgers that the suite tests, each with keys that it knows.

use std::sync::atomic::{AtomicI64, Ordering};

use spec_gate::ApiKeys;
use spec_gate::rate_limit::{Ledger, MemoryLedger, TimeSource};
use spec_gate::redis_ledger::RedisLedger;
use test_postgres::TestDatabase;
use test_redis::{TestCluster, TestRedis};

use crate::fixture::{Fixture, create_key, open_postgres};

/// A ledger without entries.
pub trait TestedLedger {
    type Ledger: Ledger;

    /// Opens a ledger; `None` if its engine is missing, and the test is skipped.
    async fn open() -> Option<Self>
    where
        Self: Sized;

    fn ledger(&self) -> &Self::Ledger;

    /// Makes a key that the ledger may store, and returns its id.
    async fn new_key(&self) -> i64;
}

/// [`MemoryLedger`], which counts any id.
#[derive(Default)]
pub struct TestedMemory {
    ledger: MemoryLedger,
    keys: AtomicI64,
}

/// [`ApiKeys`] over a SQLite database, which counts the keys in it.
pub struct TestedSqlite(Fixture);

/// [`ApiKeys`] over a PostgreSQL database, which counts the keys in it.
pub struct TestedPostgres {
    keys: ApiKeys,
    _database: TestDatabase,
}

/// [`RedisLedger`] on an engine of its own, by the time of the test.
pub struct TestedRedis {
    ledger: RedisLedger,
    keys: AtomicI64,
    _engine: TestRedis,
}

/// [`RedisLedger`] on a cluster.
pub struct TestedCluster {
    ledger: RedisLedger,
    keys: AtomicI64,
    _engines: TestCluster,
}

impl TestedLedger for TestedRedis {
    type Ledger = RedisLedger;

    async fn open() -> Option<TestedRedis> {
        let engine = TestRedis::start("ledger_rules::redis")?;
        Some(TestedRedis {
            ledger: redis_ledger(&engine.url()).await,
            keys: AtomicI64::new(0),
            _engine: engine,
        })
    }

    fn ledger(&self) -> &RedisLedger {
        &self.ledger
    }

    async fn new_key(&self) -> i64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }
}

impl TestedLedger for TestedCluster {
    type Ledger = RedisLedger;

    async fn open() -> Option<TestedCluster> {
        let engines = TestCluster::start("ledger_rules::cluster")?;
        Some(TestedCluster {
            ledger: redis_ledger(&engines.url()).await,
            keys: AtomicI64::new(0),
            _engines: engines,
        })
    }

    fn ledger(&self) -> &RedisLedger {
        &self.ledger
    }

    async fn new_key(&self) -> i64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }
}

async fn redis_ledger(url: &str) -> RedisLedger {
    let ledger = RedisLedger::connect(url.parse().unwrap(), "test", TimeSource::Caller);
    ledger.await.unwrap()
}

impl TestedLedger for TestedMemory {
    type Ledger = MemoryLedger;

    async fn open() -> Option<TestedMemory> {
        Some(TestedMemory::default())
    }

    fn ledger(&self) -> &MemoryLedger {
        &self.ledger
    }

    async fn new_key(&self) -> i64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }
}

impl TestedLedger for TestedSqlite {
    type Ledger = ApiKeys;

    async fn open() -> Option<TestedSqlite> {
        Some(TestedSqlite(Fixture::new()))
    }

    fn ledger(&self) -> &ApiKeys {
        &self.0.keys
    }

    async fn new_key(&self) -> i64 {
        create_key(&self.0.keys).await
    }
}

impl TestedLedger for TestedPostgres {
    type Ledger = ApiKeys;

    async fn open() -> Option<TestedPostgres> {
        let database = TestDatabase::create("ledger_rules::postgres")?;
        Some(TestedPostgres {
            keys: open_postgres(database.url()).await,
            _database: database,
        })
    }

    fn ledger(&self) -> &ApiKeys {
        &self.keys
    }

    async fn new_key(&self) -> i64 {
        create_key(&self.keys).await
    }
}
