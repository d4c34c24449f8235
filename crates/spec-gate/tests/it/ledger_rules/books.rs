//! The ledgers that the suite tests, each with keys that it knows.

use std::sync::atomic::{AtomicI64, Ordering};

use spec_gate::ApiKeys;
use spec_gate::rate_limit::{Ledger, MemoryLedger};

use crate::fixture::{Fixture, NOON, new_key, plan_limits, time};

/// A ledger without entries.
pub trait Books {
    type Ledger: Ledger;

    async fn open() -> Self;

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

impl Books for MemoryBooks {
    type Ledger = MemoryLedger;

    async fn open() -> MemoryBooks {
        MemoryBooks::default()
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

    async fn open() -> SqliteBooks {
        SqliteBooks(Fixture::new())
    }

    fn ledger(&self) -> &ApiKeys {
        &self.0.keys
    }

    async fn new_key(&self) -> i64 {
        let keys = &self.0.keys;
        let secret = keys.generate_secret().unwrap();
        let created = keys.create(new_key(plan_limits("free")), &secret, time(NOON));
        created.await.unwrap()
    }
}
