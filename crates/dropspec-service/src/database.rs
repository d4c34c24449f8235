//! The database of a program, on either engine: opens it, and knows and changes its schema version.

use std::fs;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use dropspec_gate::{Database, DatabaseConfig};
#[cfg(feature = "postgres")]
use dropspec_store::postgres::{PostgresEngine, Schema};
use dropspec_store::sqlite::{Engine, EngineConfig};

use crate::program::Program;

/// Opens the database for a server, and creates or migrates it if necessary.
///
/// # Errors
///
/// If it cannot be used. Then nothing was created.
pub(crate) async fn open<P: Program>(config: &DatabaseConfig) -> Result<Database> {
    Ok(match config {
        DatabaseConfig::Sqlite(config) => Arc::new(Engine::open(P::SCHEMA, config)?).into(),
        #[cfg(feature = "postgres")]
        DatabaseConfig::Postgres(config) => {
            let engine = PostgresEngine::open(postgres_schema::<P>(), config).await?;
            Arc::new(engine).into()
        }
    })
}

/// Opens a database that exists, while a server may be running.
pub(crate) async fn open_existing<P: Program>(config: &DatabaseConfig) -> Result<Database> {
    Ok(match config {
        DatabaseConfig::Sqlite(config) => {
            // The file must exist: a mistyped path must not create a second database.
            let file = fs::metadata(&config.path);
            let exists = file.is_ok_and(|file| !file.is_file() || file.len() > 0);
            ensure!(exists, describe_missing::<P>(config));
            Arc::new(Engine::open_beside_server(P::SCHEMA, config)?).into()
        }
        #[cfg(feature = "postgres")]
        DatabaseConfig::Postgres(config) => {
            let engine = PostgresEngine::open_existing(postgres_schema::<P>(), config).await?;
            Arc::new(engine).into()
        }
    })
}

/// The schema version of this program on the engine of a database.
pub(crate) fn schema_version<P: Program>(config: &DatabaseConfig) -> i64 {
    match config {
        DatabaseConfig::Sqlite(_) => P::SCHEMA.version(),
        #[cfg(feature = "postgres")]
        DatabaseConfig::Postgres(_) => postgres_schema::<P>().version(),
    }
}

/// The schema version of a database that exists.
pub(crate) async fn read_version<P: Program>(config: &DatabaseConfig) -> Result<i64> {
    match config {
        DatabaseConfig::Sqlite(config) => {
            dropspec_store::sqlite::read_version(P::SCHEMA, &config.path)?
                .with_context(|| describe_missing::<P>(config))
        }
        #[cfg(feature = "postgres")]
        DatabaseConfig::Postgres(config) => {
            Ok(dropspec_store::postgres::read_version(postgres_schema::<P>(), config).await?)
        }
    }
}

/// Migrates a database, and returns the name of the copy from before, if there is one.
pub(crate) async fn migrate<P: Program>(config: &DatabaseConfig) -> Result<Option<String>> {
    match config {
        DatabaseConfig::Sqlite(config) => {
            let engine = Engine::open(P::SCHEMA, config)?;
            let migration = engine.migration();
            let copy = migration.map(|it| it.copy.display().to_string());
            engine.close().await.context("cannot close the database")?;
            Ok(copy)
        }
        #[cfg(feature = "postgres")]
        DatabaseConfig::Postgres(config) => {
            PostgresEngine::open_existing(postgres_schema::<P>(), config).await?;
            Ok(None)
        }
    }
}

/// The tables of a service on PostgreSQL. Its name is how it recognizes its databases.
#[cfg(feature = "postgres")]
pub(crate) fn postgres_schema<P: Program>() -> Schema {
    Schema {
        application: P::NAME,
        migrations: P::POSTGRES_MIGRATIONS,
    }
}

fn describe_missing<P: Program>(config: &EngineConfig) -> String {
    format!(
        "there is no {name} database at {}; name another with --database, or create one with `{name} serve`",
        config.path.display(),
        name = P::NAME
    )
}
