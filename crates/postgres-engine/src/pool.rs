//! The pool of connections. Each connection of a server holds a lock, shared with other servers, that a copy of the database
//! takes for itself alone: while one has it, the other cannot connect.

use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use tokio_postgres::{NoTls, SimpleQueryMessage};

use crate::config::PostgresConfig;
use crate::error::OpenError;
use crate::tls;

/// The advisory lock of everybody who uses the database (`spec`, `copy` in hexadecimal digits of ASCII), held by each connection.
const LOCK: &str = "1936745827, 1668247673";

/// Why a connection of a server was refused.
const COPYING: &str = "the database is being copied";

/// Why a connection of a copy was refused.
const IN_USE: &str = "the database is in use";

/// Creates the pool of a server. It opens connections when they are needed.
pub(crate) fn create(config: &PostgresConfig) -> Result<Pool, OpenError> {
    let session = format!(
        "{}; SELECT pg_try_advisory_lock_shared({LOCK})",
        session_limits(config)
    );
    create_with(config, config.max_connections, session, COPYING)
}

/// Creates the pool of a copy: one connection without limits of time that writes numbers with all of their
/// digits, and only while nobody else uses the database.
pub(crate) fn create_exclusive(config: &PostgresConfig) -> Result<Pool, OpenError> {
    let session = format!(
        "SET extra_float_digits = 3; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SELECT pg_try_advisory_lock({LOCK})"
    );
    create_with(config, 1, session, IN_USE)
}

/// Creates a pool whose connections begin with the statements `session`. The last one says whether the lock was taken;
/// `refusal` is the error if not.
fn create_with(
    config: &PostgresConfig,
    connections: usize,
    session: String,
    refusal: &'static str,
) -> Result<Pool, OpenError> {
    let settings = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let server = config.server.clone();
    let manager = match tls::connector(&config.tls)? {
        Some(tls) => Manager::from_config(server, tls, settings),
        None => Manager::from_config(server, NoTls, settings),
    };
    let begin = Hook::async_fn(move |client, _| {
        let session = session.clone();
        Box::pin(async move {
            let results = client.simple_query(&session).await;
            let results = results.map_err(HookError::Backend)?;
            let is_locked = results.iter().rev().find_map(|result| match result {
                SimpleQueryMessage::Row(row) => Some(row.get(0) == Some("t")),
                _ => None,
            });
            match is_locked {
                Some(true) => Ok(()),
                _ => Err(HookError::message(refusal)),
            }
        })
    });
    let pool = Pool::builder(manager)
        .max_size(connections)
        .wait_timeout(Some(config.pool_timeout))
        .create_timeout(Some(config.pool_timeout))
        .runtime(Runtime::Tokio1)
        .post_create(begin)
        .build();
    // It fails only without a runtime.
    pool.map_err(OpenError::tls)
}

/// Opens the first connection of a pool.
pub(crate) async fn connect_first(
    pool: &Pool,
    config: &PostgresConfig,
) -> Result<Object, OpenError> {
    let address = config.to_string();
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            OpenError::connect(&address, config.database(), error)
        }
        PoolError::PostCreateHook(HookError::Message(refusal)) if refusal == COPYING => {
            OpenError::Copying { address }
        }
        PoolError::PostCreateHook(HookError::Message(_)) => OpenError::InUse { address },
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
