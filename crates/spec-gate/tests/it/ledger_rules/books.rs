//! The ledgers that the suite tests, each with keys that it knows.

use std::sync::atomic::{AtomicI64, Ordering};

use spec_gate::ApiKeys;
use spec_gate::rate_limit::{Ledger, MemoryLedger};
use spec_gate::redis_ledger::{RedisLedger, TimeSource};
use test_postgres::TestDatabase;
use test_redis::{TestCluster, TestRedis};

use crate::fixture::{Fixture, NOON, new_key, open_postgres, plan_limits, time};

/// A ledger without entries.
pub trait Books {
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
pub struct MemoryBooks {
    ledger: MemoryLedger,
    keys: AtomicI64,
}

/// [`ApiKeys`] over a SQLite database, which counts the keys in it.
pub struct SqliteBooks(Fixture);

/// [`ApiKeys`] over a PostgreSQL database, which counts the keys in it.
pub struct PostgresBooks {
    keys: ApiKeys,
    _database: TestDatabase,
}

/// [`RedisLedger`] on an engine of its own, by the time of the test.
pub struct RedisBooks {
    ledger: RedisLedger,
    keys: AtomicI64,
    _engine: TestRedis,
}

/// [`RedisLedger`] on a cluster.
pub struct ClusterBooks {
    ledger: RedisLedger,
    keys: AtomicI64,
    _engines: TestCluster,
}

impl Books for RedisBooks {
    type Ledger = RedisLedger;

    async fn open() -> Option<RedisBooks> {
        let engine = TestRedis::start("ledger_rules::redis")?;
        Some(RedisBooks {
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

impl Books for ClusterBooks {
    type Ledger = RedisLedger;

    async fn open() -> Option<ClusterBooks> {
        let engines = TestCluster::start("ledger_rules::cluster")?;
        Some(ClusterBooks {
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

impl Books for MemoryBooks {
    type Ledger = MemoryLedger;

    async fn open() -> Option<MemoryBooks> {
        Some(MemoryBooks::default())
    }

    fn ledger(&self) -> &MemoryLedger {
        &self.ledger
    }

    async fn new_key(&self) -> i64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }
}

impl Books for SqliteBooks {
    type Ledger = ApiKeys;

    async fn open() -> Option<SqliteBooks> {
        Some(SqliteBooks(Fixture::new()))
    }

    fn ledger(&self) -> &ApiKeys {
        &self.0.keys
    }

    async fn new_key(&self) -> i64 {
        create_key(&self.0.keys).await
    }
}

impl Books for PostgresBooks {
    type Ledger = ApiKeys;

    async fn open() -> Option<PostgresBooks> {
        let database = TestDatabase::create("ledger_rules::postgres")?;
        Some(PostgresBooks {
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

async fn create_key(keys: &ApiKeys) -> i64 {
    let secret = keys.generate_secret().unwrap();
    let created = keys.create(new_key(plan_limits("free")), &secret, time(NOON));
    created.await.unwrap()
}
