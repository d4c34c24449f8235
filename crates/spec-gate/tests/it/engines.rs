//! The engines on which servers can share a ledger.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use spec_gate::ApiKeys;
use spec_gate::rate_limit::{Ledger, TimeSource};
use spec_gate::redis_ledger::RedisLedger;
use test_postgres::TestDatabase;
use test_redis::TestRedis;

use crate::fixture::{create_key, open_postgres};

/// How long a claim waits for servers that do not give back what they hold, however busy the machine is.
const LAST_WAIT: Duration = Duration::from_secs(3);

/// An engine with an empty ledger.
pub trait Engine: Sized {
    type Ledger: Ledger;

    /// Starts an engine for a test; `None` if its program is missing, and the test is skipped.
    async fn start(test: &str) -> Option<Self>;

    /// Opens the ledger for a further server.
    async fn open(&self) -> Self::Ledger;

    /// Makes a key that the ledger may store, and returns its id.
    async fn new_key(&self) -> i64;
}

/// A Redis that counts any key.
pub struct RedisServer {
    engine: TestRedis,
    keys: AtomicI64,
}

/// A PostgreSQL database that counts the keys in it.
pub struct PostgresServer {
    database: TestDatabase,
    keys: ApiKeys,
}

impl Engine for RedisServer {
    type Ledger = RedisLedger;

    async fn start(test: &str) -> Option<RedisServer> {
        Some(RedisServer {
            engine: TestRedis::start(test)?,
            keys: AtomicI64::new(0),
        })
    }

    async fn open(&self) -> RedisLedger {
        open_redis(&self.engine.url(), TimeSource::Caller).await
    }

    async fn new_key(&self) -> i64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }
}

impl Engine for PostgresServer {
    type Ledger = ApiKeys;

    async fn start(test: &str) -> Option<PostgresServer> {
        let database = TestDatabase::create(test)?;
        Some(PostgresServer {
            keys: open_postgres(database.url()).await,
            database,
        })
    }

    async fn open(&self) -> ApiKeys {
        let keys = open_postgres(self.database.url()).await;
        keys.with_last_wait(LAST_WAIT)
    }

    async fn new_key(&self) -> i64 {
        create_key(&self.keys).await
    }
}

pub async fn open_redis(url: &str, time: TimeSource) -> RedisLedger {
    let ledger = RedisLedger::connect(url.parse().unwrap(), "test", time);
    ledger.await.unwrap().with_last_wait(LAST_WAIT)
}
