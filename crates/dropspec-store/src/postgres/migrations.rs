//! Migrations: each is applied once, in a transaction with all others, under a lock that all servers respect. The text of each
//! is remembered by its hash, so that an edited one is noticed.

use deadpool_postgres::Pool;
use tokio::time::{Instant, timeout_at};

use crate::EngineError;
use crate::postgres::config::PostgresConfig;
use crate::postgres::connection::Lent;
use crate::postgres::db::Db;
use crate::postgres::error::OpenError;
use crate::postgres::pool;
use crate::postgres::schema::Schema;
use crate::postgres::sql_error::{cause, is_undone};

/// The advisory lock of migrations. Its two numbers (`spec`, `gate` in hexadecimal digits of ASCII) are in a space of their own.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1936745827, 1734440037)";

const TABLE: &str = "CREATE TABLE IF NOT EXISTS applied_migrations (
    version bigint PRIMARY KEY,
    sha256 bytea NOT NULL,
    application text NOT NULL
)";

/// What the database has.
struct Applied {
    application: Option<String>,
    hashes: Vec<Vec<u8>>,
}

/// Applies the migrations that the database does not have yet. Returns whether it had none.
pub(crate) async fn migrate(
    pool: &Pool,
    schema: Schema,
    config: &PostgresConfig,
) -> Result<bool, OpenError> {
    let address = config.to_string();
    let connection = pool::connect_first(pool, config).await?;
    let lent = Lent::new(connection);
    let deadline = Instant::now() + config.migration_timeout;
    let migrated = timeout_at(deadline, async {
        let is_new = apply(lent.db(), schema, config).await?;
        let committed = commit(lent.db()).await;
        committed.map_err(|source| OpenError::statement(&address, source))?;
        Ok(is_new)
    });
    let migrated = migrated.await.unwrap_or_else(|_| {
        let too_long = EngineError::unavailable("the migrations took too long");
        Err(OpenError::database(&address, too_long))
    });
    if migrated.is_ok() {
        lent.give_back();
    }
    migrated
}

/// The number of migrations that the database lacks; `None` if it has no tables of the application.
///
/// # Errors
///
/// If it cannot be read, or was migrated by another application or a newer version.
pub(crate) async fn count_missing(
    db: &Db,
    schema: Schema,
    config: &PostgresConfig,
) -> Result<Option<usize>, OpenError> {
    let address = config.to_string();
    let failed = |source| OpenError::statement(&address, source);
    if !exists(db).await.map_err(failed)? {
        return Ok(None);
    }
    check(&read_applied(db).await.map_err(failed)?, schema, &address).map(Some)
}

/// [`count_missing`] on the first connection of a pool.
pub(crate) async fn count_missing_in(
    pool: &Pool,
    schema: Schema,
    config: &PostgresConfig,
) -> Result<Option<usize>, OpenError> {
    let lent = Lent::new(pool::connect_first(pool, config).await?);
    let missing = count_missing(lent.db(), schema, config).await?;
    lent.give_back();
    Ok(missing)
}

/// The error of a database that has no tables of the application.
pub(crate) fn no_tables(schema: Schema, config: &PostgresConfig) -> OpenError {
    OpenError::Refused(format!(
        "{config} has no tables of the application {:?}, which its server creates; name another database, or start the server first",
        schema.application
    ))
}

/// Reads the schema version of a database that has tables of the application. Nothing is changed, and servers may run.
///
/// # Errors
///
/// If the database cannot be reached, has no tables of the application, or is of another application or of a newer version.
pub async fn read_version(schema: Schema, config: &PostgresConfig) -> Result<i64, OpenError> {
    let missing = count_missing_in(&pool::create(config)?, schema, config).await?;
    let missing = missing.ok_or_else(|| no_tables(schema, config))?;
    Ok(schema.version() - missing as i64)
}

/// Applies the migrations that the database does not have yet, in a transaction that goes on. Returns whether it had none.
pub(crate) async fn apply(
    db: &Db,
    schema: Schema,
    config: &PostgresConfig,
) -> Result<bool, OpenError> {
    let address = &config.to_string();
    let failed = |source| OpenError::statement(address, source);
    let seconds = config.migration_timeout.as_secs();
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = '{seconds}s'; SET LOCAL statement_timeout = '{seconds}s'; {LOCK}; {TABLE}"
    );
    let execute = async |sql: &str| {
        let executed = db.execute_batch(sql).await;
        executed.map_err(|error| failed(EngineError::Unavailable(cause(error).into())))
    };
    execute(&begin).await?;
    let applied = read_applied(db).await.map_err(failed)?;
    let missing = check(&applied, schema, address)?;
    let first = applied.hashes.len();
    let migrations = (1_i64..).zip(schema.each_migration()).zip(schema.hashes());
    for ((version, sql), hash) in migrations.skip(first) {
        db.execute_batch(sql).await.map_err(|error| {
            let message = format!(
                "{address} could not be migrated to schema version {version}; nothing was changed"
            );
            OpenError::failed(message, cause(error))
        })?;
        let insert =
            "INSERT INTO applied_migrations (version, sha256, application) VALUES ($1, $2, $3)";
        let inserted = db
            .query(insert, &[&version, &hash, &schema.application])
            .await;
        inserted.map_err(failed)?;
    }
    Ok(first == 0 && missing > 0)
}

/// Commits the transaction of a connection.
pub(crate) async fn commit(db: &Db) -> Result<(), EngineError> {
    let committed = db.execute_batch("COMMIT").await;
    committed.map_err(|error| {
        let undone = is_undone(&error);
        let cause = cause(error).into();
        if undone {
            EngineError::Unavailable(cause)
        } else {
            EngineError::OutcomeUnknown(cause)
        }
    })
}

/// The schema version of an open database.
pub(crate) async fn version_of(db: &Db) -> Result<i64, EngineError> {
    let rows = db
        .query("SELECT count(*) FROM applied_migrations", &[])
        .await?;
    match rows.first() {
        Some(row) => row.get(0),
        None => Ok(0),
    }
}

async fn exists(db: &Db) -> Result<bool, EngineError> {
    let rows = db
        .query("SELECT to_regclass('applied_migrations') IS NOT NULL", &[])
        .await?;
    rows.first().map_or(Ok(false), |row| row.get(0))
}

async fn read_applied(db: &Db) -> Result<Applied, EngineError> {
    let select = "SELECT sha256, application FROM applied_migrations ORDER BY version";
    let mut applied = Applied {
        application: None,
        hashes: Vec::new(),
    };
    for row in db.query(select, &[]).await? {
        applied.hashes.push(row.get(0)?);
        applied.application = Some(row.get(1)?);
    }
    Ok(applied)
}

/// Checks that the applied migrations are the first ones of the schema, and returns the number of those that are missing.
fn check(applied: &Applied, schema: Schema, address: &str) -> Result<usize, OpenError> {
    if let Some(found) = applied.application.as_ref()
        && found != schema.application
    {
        return Err(OpenError::Refused(format!(
            "{address} is the database of the application {found:?}; nothing was changed, name another database"
        )));
    }
    let (found, known) = (applied.hashes.len() as i64, schema.version());
    if found > known {
        return Err(OpenError::Refused(format!(
            "{address} has schema version {found}, this program supports versions up to {known}; nothing was changed, run a newer version"
        )));
    }
    let pairs = (1_i64..).zip(applied.hashes.iter().zip(schema.hashes()));
    for (version, (applied, own)) in pairs {
        if *applied != own {
            return Err(OpenError::Refused(format!(
                "migration {version} of {address} was edited after it was applied: undo the edit and add another migration at the end; without records that matter, create the database anew instead"
            )));
        }
    }
    Ok((known - found) as usize)
}
