//! A connection that is lent to a call. It goes back to the pool only if it is in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use deadpool_postgres::{Object, Pool, PoolError, TimeoutType};
use futures::future::try_join;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};

use crate::postgres::config::PostgresConfig;
use crate::postgres::db::Db;
use crate::postgres::outage::is_full;
use crate::postgres::stats::PoolStats;

/// How long nobody tries to connect in place of a connection that the database refused, as it had none left.
const REFUSED_PAUSE: Duration = Duration::from_secs(1);

/// Lends the connections of a pool. A call needs a place, of which there are as many as the pool may have connections. If the
/// database has no connection left for one, its place stays empty for a while: calls then wait for the connections that there
/// are.
#[derive(Debug)]
pub(crate) struct Lender {
    pool: Pool,
    places: Arc<Semaphore>,
    timeout: Duration,
    refused: AtomicU64,
}

/// A lent connection. It is closed when it is dropped, so that a call that panics or is cancelled leaves no open transaction in
/// the pool; [`Lent::give_back`] returns it.
pub(crate) struct Lent {
    db: Option<Db>,
    /// Given back after the connection, which the next call then finds in the pool.
    _place: Option<OwnedSemaphorePermit>,
}

impl Lender {
    pub(crate) fn new(pool: Pool, config: &PostgresConfig) -> Lender {
        Lender {
            pool,
            places: Arc::new(Semaphore::new(config.max_connections)),
            timeout: config.pool_timeout,
            refused: AtomicU64::new(0),
        }
    }

    /// Lends a connection that is free, or becomes free in time, or a new one.
    ///
    /// # Errors
    ///
    /// If there is none in time, or the database cannot be reached.
    pub(crate) async fn lend(&self) -> Result<Lent, PoolError> {
        let deadline = Instant::now() + self.timeout;
        let mut refusal = None;
        loop {
            let waiting = Arc::clone(&self.places).acquire_owned();
            let place = match timeout_at(deadline, waiting).await {
                Ok(Ok(place)) => place,
                Ok(Err(_)) => return Err(PoolError::Closed),
                Err(_) => return Err(refusal.unwrap_or(PoolError::Timeout(TimeoutType::Wait))),
            };
            match self.pool.get().await {
                Ok(connection) => {
                    return Ok(Lent {
                        db: Some(Db::new(connection)),
                        _place: Some(place),
                    });
                }
                Err(PoolError::Backend(error)) if is_full(&error) => {
                    self.refused.fetch_add(1, Relaxed);
                    refusal = Some(PoolError::Backend(error));
                    tokio::spawn(async move {
                        sleep(REFUSED_PAUSE).await;
                        drop(place);
                    });
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Closes the connections. Calls that come later, or wait, get none.
    pub(crate) fn close(&self) {
        self.pool.close();
        self.places.close();
    }

    pub(crate) fn stats(&self) -> PoolStats {
        let status = self.pool.status();
        // Each call that waits has a reference to the places, and so has each place that is taken.
        let free = self.places.available_permits();
        PoolStats {
            connections: status.size,
            busy: status.size.saturating_sub(status.available),
            waiting: (Arc::strong_count(&self.places) + free).saturating_sub(1 + status.max_size),
            refused: self.refused.load(Relaxed),
        }
    }
}

impl Lent {
    /// Lends a connection without a place, where nobody else uses the pool.
    pub(crate) fn new(connection: Object) -> Lent {
        Lent {
            db: Some(Db::new(connection)),
            _place: None,
        }
    }

    pub(crate) fn db(&self) -> &Db {
        self.db.as_ref().expect("it is only taken at its end")
    }

    /// Returns the connection to the pool, which has no open transaction.
    pub(crate) fn give_back(mut self) {
        drop(self.db.take());
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(db) = self.db.take() {
            // Closes the connection: the server undoes its transaction.
            drop(Object::take(db.into_connection()));
        }
    }
}

/// Begins a transaction and runs `work` in it. Both are sent together, so `work` should begin by a statement that only reads. If
/// the transaction does not begin, `work` is not continued.
pub(crate) async fn in_transaction<T>(
    db: &Db,
    work: impl Future<Output = T>,
) -> Result<T, tokio_postgres::Error> {
    let begin = db.execute_batch("BEGIN");
    let ((), result) = try_join(begin, async { Ok(work.await) }).await?;
    Ok(result)
}

/// Rolls back, and returns whether the connection has no transaction any more.
pub(crate) async fn roll_back(db: &Db, deadline: Instant) -> bool {
    let rolled_back = timeout_at(deadline, db.execute_batch("ROLLBACK")).await;
    matches!(rolled_back, Ok(Ok(())))
}
