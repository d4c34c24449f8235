//! A database as one side of a copy to or from another engine. One connection does all of it and holds the lock that keeps
//! servers away, so a copy that loses the connection cannot go on beside a server.

mod rows;
mod tables;

use engine_types::EngineError;
use engine_types::transfer::{Row, Side, Table, UNFINISHED_COPY};

use crate::config::PostgresConfig;
use crate::db::Db;
use crate::error::OpenError;
use crate::schema::Schema;
use crate::sql_error::to_engine_error;
use crate::{mark, migrations, pool};

/// The transaction of reads: one snapshot.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A database from or to which rows are copied. Neither servers nor commands can connect meanwhile.
pub struct PostgresSide {
    db: Db,
    is_complete: bool,
}

impl PostgresSide {
    /// Opens a database for reading, in one snapshot.
    ///
    /// # Errors
    ///
    /// If it is in use, or has not the tables of the application in the version of this program.
    pub async fn open_source(
        schema: Schema,
        config: &PostgresConfig,
    ) -> Result<PostgresSide, OpenError> {
        let pool = pool::create_exclusive(config)?;
        let db = Db::new(pool::connect_first(&pool, config).await?);
        PostgresSide::read(db, schema, config).await
    }

    /// Opens a database to be filled from `source`, and creates its tables. If it has them already and is not an unfinished
    /// copy, it is opened for reading, as it may be the copy that was finished before.
    ///
    /// # Errors
    ///
    /// If it is in use, has other tables, or is to be a copy from another source.
    pub async fn open_target(
        schema: Schema,
        config: &PostgresConfig,
        source: &str,
    ) -> Result<PostgresSide, OpenError> {
        let pool = pool::create_exclusive(config)?;
        let db = Db::new(pool::connect_first(&pool, config).await?);
        let failed = |source| failed(config, source);
        match mark::read(&db).await.map_err(failed)? {
            Some(found) if found != source => {
                return Err(OpenError::Refused(format!(
                    "{config} holds an unfinished copy from {found}; run that copy again, or name a new database"
                )));
            }
            Some(_) => {}
            None if migrations::exists(&db).await.map_err(failed)? => {
                return PostgresSide::read(db, schema, config).await;
            }
            None => {
                if let Some(table) = tables::find_any(&db).await.map_err(failed)? {
                    return Err(OpenError::Refused(format!(
                        "{config} is not empty: it has the table {table:?}; name a new database, for example by `createdb`"
                    )));
                }
                mark::create(&db, source).await.map_err(failed)?;
            }
        }
        // The migrations run on the same connection, which keeps the lock.
        drop(db.into_connection());
        migrations::migrate(&pool, schema, config).await?;
        let db = Db::new(pool::connect_first(&pool, config).await?);
        Ok(PostgresSide {
            db,
            is_complete: false,
        })
    }

    /// Whether it is a database that servers accept, which is only read.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    async fn read(
        db: Db,
        schema: Schema,
        config: &PostgresConfig,
    ) -> Result<PostgresSide, OpenError> {
        let missing = migrations::find_missing(&db, schema, config).await?;
        let missing = missing.ok_or_else(|| migrations::no_tables(schema, config))?;
        if missing > 0 {
            let known = schema.version();
            return Err(OpenError::Refused(format!(
                "{config} has schema version {}, this command needs version {known}; start and stop a server once with this version of the program, which migrates it",
                known - missing as i64
            )));
        }
        let begun = db.execute_batch(SNAPSHOT).await;
        begun.map_err(|error| failed(config, to_engine_error(error)))?;
        Ok(PostgresSide {
            db,
            is_complete: true,
        })
    }

    /// Runs statements in a transaction of their own.
    async fn execute(&self, statements: &[String]) -> Result<(), EngineError> {
        let executed = self.db.execute_batch(&statements.join("; ")).await;
        executed.map_err(to_engine_error)
    }
}

impl Side for PostgresSide {
    async fn tables(&self) -> Result<Vec<Table>, EngineError> {
        tables::read(&self.db).await
    }

    async fn read_rows<E: From<EngineError>>(
        &self,
        table: &Table,
        each: impl AsyncFnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        rows::read(&self.db, table, each).await
    }

    async fn last_id(&self, table: &Table) -> Result<Option<i64>, EngineError> {
        tables::last_id(&self.db, table).await
    }

    async fn begin(&self, tables: &[Table]) -> Result<(), EngineError> {
        let names: Vec<String> = tables.iter().map(|it| quote(&it.name)).collect();
        let mut statements = vec![format!("TRUNCATE {}", names.join(", "))];
        let off = |name: &String| format!("ALTER TABLE {name} DISABLE TRIGGER USER");
        statements.extend(names.iter().map(off));
        self.execute(&statements).await
    }

    async fn insert(&self, table: &Table, rows: &[Row]) -> Result<(), EngineError> {
        rows::insert(&self.db, table, rows).await
    }

    async fn set_last_id(&self, table: &Table, last: Option<i64>) -> Result<(), EngineError> {
        tables::set_last_id(&self.db, table, last).await
    }

    async fn finish(self, tables: &[Table]) -> Result<(), EngineError> {
        let names: Vec<String> = tables.iter().map(|it| quote(&it.name)).collect();
        // The server would plan the first requests without statistics.
        let mut statements = vec![format!("ANALYZE {}", names.join(", "))];
        let on = |name: &String| format!("ALTER TABLE {name} ENABLE TRIGGER USER");
        statements.extend(names.iter().map(on));
        statements.push(format!("DROP TABLE {UNFINISHED_COPY}"));
        self.execute(&statements).await
    }
}

fn failed(config: &PostgresConfig, source: EngineError) -> OpenError {
    OpenError::statement(&config.to_string(), source)
}

/// A name in SQL.
fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
