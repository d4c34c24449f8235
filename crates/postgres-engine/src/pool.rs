//! The pool of connections.

use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use engine_types::EngineError;
use tokio_postgres::NoTls;

use crate::config::PostgresConfig;
use crate::error::OpenError;
use crate::sql_error::cause;
use crate::tls;

/// Creates the pool. It opens connections when they are needed.
pub(crate) fn create(config: &PostgresConfig) -> Result<Pool, OpenError> {
    let settings = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let server = config.server.clone();
    let manager = match tls::connector(&config.tls)? {
        Some(tls) => Manager::from_config(server, tls, settings),
        None => Manager::from_config(server, NoTls, settings),
    };
    let limits = session_limits(config);
    let set_limits = Hook::async_fn(move |client, _| {
        let limits = limits.clone();
        Box::pin(async move {
            let set = client.batch_execute(&limits).await;
            set.map_err(HookError::Backend)
        })
    });
    let pool = Pool::builder(manager)
        .max_size(config.max_connections)
        .wait_timeout(Some(config.pool_timeout))
        .create_timeout(Some(config.pool_timeout))
        .runtime(Runtime::Tokio1)
        .post_create(set_limits)
        .build();
    // It fails only without a runtime.
    pool.map_err(OpenError::tls)
}

/// Takes a connection out of the pool.
pub(crate) async fn connect(pool: &Pool) -> Result<Object, EngineError> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) => EngineError::Unavailable(cause(error).into()),
        other => EngineError::unavailable(other),
    })
}

/// The limits of each connection. They are not sent with its start, as proxies refuse that.
fn session_limits(config: &PostgresConfig) -> String {
    let milliseconds = |time: Duration| time.as_millis().max(1);
    format!(
        "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {};",
        milliseconds(config.statement_timeout),
        milliseconds(config.lock_timeout),
        milliseconds(config.call_timeout),
    )
}
