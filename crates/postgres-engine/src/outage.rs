//! Outages: whether the database can be reached. One is noticed by the call that cannot connect, and ends with the next one that
//! succeeds.

use std::sync::Arc;

use deadpool_postgres::{HookError, PoolError, TimeoutType};
use engine_types::{Cause, EngineError};
use thiserror::Error;
use tokio::sync::watch;

use crate::sql_error::cause;

/// The database cannot be reached, or refuses connections.
#[derive(Clone, Debug, Error)]
#[error("the database server cannot be reached")]
pub struct Outage(#[source] Cause);

/// Knows whether there is an outage.
#[derive(Debug, Default)]
pub(crate) struct OutageWatch(watch::Sender<Option<Outage>>);

impl Outage {
    /// The outage that caused this error, if it is one.
    pub fn of(error: &EngineError) -> Option<&Outage> {
        match error {
            EngineError::Unavailable(cause) => cause.downcast_ref(),
            EngineError::Internal(_) | EngineError::OutcomeUnknown(_) => None,
        }
    }
}

impl OutageWatch {
    /// The outage, and each beginning and end of one.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Option<Outage>> {
        self.0.subscribe()
    }

    /// Converts the error of a connection that could not be taken out of the pool. If the database cannot be reached, an outage
    /// begins.
    pub(crate) fn note(&self, error: PoolError) -> EngineError {
        let cause: Cause = match error {
            // It answers, but has no connection left.
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

    /// Notes that a call has succeeded, which ends an outage.
    pub(crate) fn end(&self) {
        if self.0.borrow().is_some() {
            self.0.send_replace(None);
        }
    }

    fn begin(&self, outage: Outage) {
        self.0.send_if_modified(|current| {
            let is_first = current.is_none();
            *current = Some(outage);
            is_first
        });
    }
}

/// Whether the database has reached a limit (class 53: insufficient resources).
fn is_full(error: &tokio_postgres::Error) -> bool {
    error
        .code()
        .is_some_and(|code| code.code().starts_with("53"))
}
