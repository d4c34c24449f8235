//! When keys were used, as the database stores it while an engine beside it counts requests.

use std::collections::BTreeMap;

use dropspec_rate_limit::{Adjustment, Window};
use dropspec_store::EngineError;

use super::database::Database;
use super::db::{Db, Parameter, Sqlite, run};

/// Stores in the database when keys were used, as far as the adjustments of the day say. Most keys have few of them.
pub(super) async fn store_last_use(database: Database, adjustments: &[Adjustment], now: i64) {
    let of_day = adjustments.iter().filter(|it| it.window == Window::Day);
    let used = of_day.filter(|it| it.key_id >= 0 && (it.amount > 0 || it.last_seen.is_some()));
    // In their order, so that no two servers wait for each other.
    let used: BTreeMap<i64, i64> = used
        .map(|it| (it.key_id, it.last_seen.unwrap_or(now)))
        .collect();
    if used.is_empty() {
        return;
    }
    let is_return = adjustments.iter().all(|it| it.last_seen.is_some());
    // No request depends on it.
    let stored = async move { drop(store(&database, used).await) };
    if is_return {
        stored.await
    } else {
        // A request may wait for this lease.
        drop(tokio::spawn(stored))
    }
}

async fn store(database: &Database, used: BTreeMap<i64, i64>) -> Result<(), EngineError> {
    match database {
        Database::Sqlite(engine) => {
            let store = engine.write(move |db| run(store_times(&Sqlite(db), &used)));
            store.await
        }
        #[cfg(feature = "postgres")]
        Database::Postgres(engine) => {
            let store = engine.write(&used, |db, used| Box::pin(store_times(db, used)));
            store.await
        }
    }
}

async fn store_times<D: Db>(db: &D, used: &BTreeMap<i64, i64>) -> Result<(), EngineError> {
    let update = "UPDATE api_keys SET last_used_at = $2
        WHERE id = $1 AND last_used_at IS DISTINCT FROM $2";
    let rows = used
        .iter()
        .map(|(id, time)| -> Vec<&dyn Parameter> { vec![id, time] });
    db.query_each(update, &rows.collect::<Vec<_>>()).await
}
