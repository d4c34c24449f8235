//! Outages: whether the database can be reached. One is noticed by the call that cannot connect, and ends when a connection works
//! again, whether anybody calls or not.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{HookError, Pool, PoolError, TimeoutType};
use thiserror::Error;
use tokio::sync::watch;

use crate::postgres::sql_error::cause;
use crate::{Cause, EngineError};

/// The time between two attempts to reach the database.
const PROBE_PAUSE: Duration = Duration::from_millis(500);

/// How long a connection may take to answer an attempt.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// The database cannot be reached, or refuses connections.
#[derive(Clone, Debug, Error)]
#[error("the database server cannot be reached")]
pub struct Outage(#[source] Cause);

/// Knows whether there is an outage.
#[derive(Debug)]
pub(crate) struct OutageWatch {
    pool: Pool,
    outage: Arc<watch::Sender<Option<Outage>>>,
}

impl OutageWatch {
    pub(crate) fn new(pool: Pool) -> OutageWatch {
        OutageWatch {
            pool,
            outage: Arc::new(watch::Sender::new(None)),
        }
    }

    /// The outage, and each beginning and end of one.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Option<Outage>> {
        self.outage.subscribe()
    }

    /// Converts the error of a connection that could not be taken out of the pool. If the database cannot be reached, an outage
    /// begins.
    pub(crate) fn note(&self, error: PoolError) -> EngineError {
        let cause: Cause = match error {
            // It answers, but has had no connection left for all the time that a call may wait.
            PoolError::Backend(error) if is_full(&error) => {
                return EngineError::Unavailable(cause(error).into());
            }
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                cause(error).into()
            }
            PoolError::Timeout(TimeoutType::Create) => {
                Arc::from(Box::<dyn std::error::Error + Send + Sync>::from(
                    "no connection was made in time",
                ))
            }
            // All connections are in use, or the engine is closed.
            other => return EngineError::unavailable(other),
        };
        let outage = Outage(cause);
        self.begin(outage.clone());
        EngineError::Unavailable(Arc::new(outage))
    }

    fn begin(&self, outage: Outage) {
        let is_first = self.outage.send_if_modified(|current| {
            let is_first = current.is_none();
            *current = Some(outage);
            is_first
        });
        if is_first {
            let (pool, outage) = (self.pool.clone(), Arc::clone(&self.outage));
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(PROBE_PAUSE).await;
                    if pool.is_closed() {
                        return;
                    }
                    if answers(&pool).await {
                        outage.send_replace(None);
                        return;
                    }
                }
            });
        }
    }
}

/// Whether the database has reached a limit (class 53: insufficient resources).
pub(crate) fn is_full(error: &tokio_postgres::Error) -> bool {
    error
        .code()
        .is_some_and(|code| code.code().starts_with("53"))
}

/// Whether a connection can be made and answers.
async fn answers(pool: &Pool) -> bool {
    let asked = tokio::time::timeout(PROBE_TIMEOUT, async {
        let connection = pool.get().await.ok()?;
        connection.batch_execute("SELECT 1").await.ok()
    });
    matches!(asked.await, Ok(Some(())))
}
