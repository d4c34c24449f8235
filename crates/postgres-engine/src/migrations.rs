//! Migrations: each is applied once, in a transaction with all others, under a lock that all servers respect. The text of each
//! is remembered by its hash, so that an edited one is noticed.

use deadpool_postgres::Pool;
use engine_types::EngineError;
use tokio::time::{Instant, timeout_at};

use crate::config::PostgresConfig;
use crate::connection::Lent;
use crate::db::Db;
use crate::error::OpenError;
use crate::mark;
use crate::pool;
use crate::schema::Schema;
use crate::sql_error::{cause, is_undone};

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
    let migrated = timeout_at(deadline, migrate_with(lent.db(), schema, config, &address));
    let migrated = migrated.await.unwrap_or_else(|_| {
        let too_long = EngineError::unavailable("the migrations took too long");
        Err(OpenError::database(&address, too_long))
    });
    if migrated.is_ok() {
        lent.give_back();
    }
    migrated
}

/// Checks that the database is not an unfinished copy.
pub(crate) async fn refuse_mark(pool: &Pool, config: &PostgresConfig) -> Result<(), OpenError> {
    let lent = Lent::new(pool::connect_first(pool, config).await?);
    let address = config.to_string();
    match mark::read(lent.db()).await {
        Ok(None) => {
            lent.give_back();
            Ok(())
        }
        Ok(Some(source)) => Err(OpenError::unfinished_copy(&address, &source)),
        Err(error) => Err(OpenError::database(&address, error)),
    }
}

/// Checks that the database has the tables of the application in the version of this program.
pub(crate) async fn require_current(
    db: &Db,
    schema: Schema,
    config: &PostgresConfig,
) -> Result<(), OpenError> {
    let address = config.to_string();
    let failed = |source| OpenError::statement(&address, source);
    if !exists(db).await.map_err(failed)? {
        return Err(no_tables(schema, config));
    }
    let missing = check(&read_applied(db).await.map_err(failed)?, schema, &address)?;
    let known = schema.version();
    match missing {
        0 => Ok(()),
        missing => Err(OpenError::Refused(format!(
            "{address} has schema version {}, this command needs version {known}; start and stop a server once with this version of the program, which migrates it",
            known - missing as i64
        ))),
    }
}

/// Checks that the database has tables of the application.
pub(crate) async fn require_tables(
    pool: &Pool,
    schema: Schema,
    config: &PostgresConfig,
) -> Result<(), OpenError> {
    let lent = Lent::new(pool::connect_first(pool, config).await?);
    let found = exists(lent.db()).await;
    if found.map_err(|error| OpenError::database(&config.to_string(), error))? {
        Ok(())
    } else {
        Err(no_tables(schema, config))
    }
}

fn no_tables(schema: Schema, config: &PostgresConfig) -> OpenError {
    OpenError::Refused(format!(
        "{config} has no tables of the application {:?}, which its server creates; name another database, or start the server first",
        schema.application
    ))
}

/// Reads the schema version of a database that has tables of the application. Nothing is changed, and servers may run.
///
/// # Errors
///
/// If the database cannot be reached, has no tables of the application, or is of another application, of a newer version, or an
/// unfinished copy.
pub async fn read_version(schema: Schema, config: &PostgresConfig) -> Result<i64, OpenError> {
    let pool = pool::create(config)?;
    refuse_mark(&pool, config).await?;
    require_tables(&pool, schema, config).await?;
    let lent = Lent::new(pool::connect_first(&pool, config).await?);
    let address = config.to_string();
    let applied = read_applied(lent.db()).await;
    let applied = applied.map_err(|source| OpenError::statement(&address, source))?;
    let missing = check(&applied, schema, &address)?;
    Ok(schema.version() - missing as i64)
}

async fn migrate_with(
    db: &Db,
    schema: Schema,
    config: &PostgresConfig,
    address: &str,
) -> Result<bool, OpenError> {
    let failed = |source| OpenError::statement(address, source);
    // Without a lock, which other servers may hold: most starts find everything in place.
    if exists(db).await.map_err(failed)?
        && check(&read_applied(db).await.map_err(failed)?, schema, address)? == 0
    {
        return Ok(false);
    }
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
    let first = schema.migrations.len() - missing;
    let migrations = (1_i64..).zip(schema.migrations).zip(schema.hashes());
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
    let committed = db.execute_batch("COMMIT").await;
    committed.map_err(|error| {
        let undone = is_undone(&error);
        let cause = cause(error).into();
        failed(if undone {
            EngineError::Unavailable(cause)
        } else {
            EngineError::OutcomeUnknown(cause)
        })
    })?;
    Ok(first == 0 && missing > 0)
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

pub(crate) async fn exists(db: &Db) -> Result<bool, EngineError> {
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
    Ok(schema.migrations.len() - applied.hashes.len())
}
