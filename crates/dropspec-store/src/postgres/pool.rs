//! The pool of connections.

use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
    Timeouts,
};
use tokio_postgres::NoTls;

use crate::postgres::config::PostgresConfig;
use crate::postgres::error::OpenError;
use crate::postgres::tls;

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
    let session = session_limits(config);
    let begin = Hook::async_fn(move |client, _| {
        let session = session.clone();
        Box::pin(async move {
            let begun = client.batch_execute(&session).await;
            begun.map_err(HookError::Backend)
        })
    });
    let pool = Pool::builder(manager)
        .max_size(config.max_connections)
        .wait_timeout(Some(config.pool_timeout))
        .create_timeout(Some(config.pool_timeout))
        .runtime(Runtime::Tokio1)
        .post_create(begin)
        .build();
    // It fails only without a runtime.
    pool.map_err(OpenError::tls)
}

/// How long a start and a command wait for their first connection. No request waits for it, and a busy machine may need longer
/// than a request should wait (`pool_timeout`).
const FIRST_CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens the first connection of a pool.
pub(crate) async fn connect_first(
    pool: &Pool,
    config: &PostgresConfig,
) -> Result<Object, OpenError> {
    let address = config.to_string();
    let timeouts = Timeouts {
        create: Some(FIRST_CONNECTION_TIMEOUT),
        ..pool.timeouts()
    };
    let opened = pool.timeout_get(&timeouts).await;
    opened.map_err(|error| match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            OpenError::connect(&address, config.database(), error)
        }
        PoolError::Timeout(_) => {
            let seconds = FIRST_CONNECTION_TIMEOUT.as_secs();
            let silent = format!("nothing answered there within {seconds} seconds");
            OpenError::unreachable(&address, &silent)
        }
        other => OpenError::unreachable(&address, &other.to_string()),
    })
}

/// The limits of each connection. They are not sent with its start, as proxies refuse that.
fn session_limits(config: &PostgresConfig) -> String {
    let milliseconds = |time: Duration| time.as_millis().max(1);
    format!(
        "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}",
        milliseconds(config.statement_timeout),
        milliseconds(config.lock_timeout),
        milliseconds(config.call_timeout),
    )
}
