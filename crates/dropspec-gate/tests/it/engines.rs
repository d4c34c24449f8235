//! The engines of ledgers, and tests of rules for each of them.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dropspec_gate::ApiKeys;
use dropspec_gate::rate_limit::{Ledger, MemoryLedger, TimeSource};
use dropspec_gate::redis_ledger::RedisLedger;
use test_postgres::TestDatabase;
use test_redis::{TestCluster, TestRedis};

use crate::fixture::{Fixture, create_key, open_postgres};

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
    async fn new_key(&self) -> i64 {
        static KEYS: AtomicI64 = AtomicI64::new(1);
        KEYS.fetch_add(1, Ordering::Relaxed)
    }
}

/// Makes a test of each rule for each engine, with this attribute.
macro_rules! on_engines {
    (#[$test:meta] $($name:ident: $engine:ty { $($rule:ident,)* })*) => {
        $(mod $name {
            use super::*;

            $(#[$test]
            async fn $rule() {
                if let Some(engine) = <$engine>::start(stringify!($rule)).await {
                    rules::$rule(&engine).await;
                }
            })*
        })*
    };
}

/// [`MemoryLedger`], which counts any key.
pub struct Memory;

/// A SQLite database, which counts the keys in it.
pub struct Sqlite(Fixture);

/// A cluster of Redis, which counts any key.
pub struct Cluster(TestCluster);

/// A Redis that counts any key.
pub struct RedisServer(TestRedis);

/// A PostgreSQL database that counts the keys in it.
pub struct PostgresServer {
    database: TestDatabase,
    keys: ApiKeys,
}

impl Engine for RedisServer {
    type Ledger = RedisLedger;

    async fn start(test: &str) -> Option<RedisServer> {
        TestRedis::start(test).map(RedisServer)
    }

    async fn open(&self) -> RedisLedger {
        open_redis(&self.0.url(), TimeSource::Caller).await
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

impl Engine for Cluster {
    type Ledger = RedisLedger;

    async fn start(test: &str) -> Option<Cluster> {
        TestCluster::start(test).map(Cluster)
    }

    async fn open(&self) -> RedisLedger {
        open_redis(&self.0.url(), TimeSource::Caller).await
    }
}

impl Engine for Memory {
    type Ledger = MemoryLedger;

    async fn start(_: &str) -> Option<Memory> {
        Some(Memory)
    }

    async fn open(&self) -> MemoryLedger {
        MemoryLedger::default()
    }
}

impl Engine for Sqlite {
    type Ledger = ApiKeys;

    async fn start(_: &str) -> Option<Sqlite> {
        Some(Sqlite(Fixture::new()))
    }

    async fn open(&self) -> ApiKeys {
        self.0.open_keys()
    }

    async fn new_key(&self) -> i64 {
        create_key(&self.0.keys).await
    }
}

pub async fn open_redis(url: &str, time: TimeSource) -> RedisLedger {
    let ledger = RedisLedger::connect(url.parse().unwrap(), "test", time);
    ledger.await.unwrap().with_last_wait(LAST_WAIT)
}
