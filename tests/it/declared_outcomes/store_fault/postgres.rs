//! Faults of PostgreSQL: tables of keys that are gone, and locks that other transactions hold.

use std::time::Duration;

use dropspec_store::postgres::PostgresConfig;
use test_postgres::TestDatabase;
use test_support::Lock;

use super::{ActiveFault, StoreFault};

/// Shortens the waits for locks. Servers of tests lock each other out for less.
pub fn shorten_waits(config: &mut PostgresConfig) {
    config.lock_timeout = Duration::from_millis(200);
}

/// Begins a fault.
pub fn begin(fault: StoreFault, database: &TestDatabase) -> ActiveFault {
    let locked = match fault {
        StoreFault::None | StoreFault::TablesDropped | StoreFault::OutcomeLost => {
            return ActiveFault::None;
        }
        StoreFault::SecretsDropped => {
            database.execute("DROP TABLE api_key_secrets, api_key_changes");
            return ActiveFault::None;
        }
        StoreFault::LedgerLocked => "LOCK TABLE usage IN EXCLUSIVE MODE",
        StoreFault::SecretsBusy => "LOCK TABLE api_key_secrets IN ACCESS EXCLUSIVE MODE",
    };
    ActiveFault::Lock(Lock::Postgres(database.begin(locked)))
}
