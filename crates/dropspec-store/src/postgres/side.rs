//! A database as one side of a copy to or from another engine, in one transaction of one connection. A target is empty until the
//! copy is committed, so one that was interrupted begins anew.

use std::time::Duration;

use futures::{TryStreamExt, pin_mut};
use tokio_postgres::types::ToSql;

use crate::EngineError;
use crate::postgres::config::PostgresConfig;
use crate::postgres::db::{Db, at_most_one};
use crate::postgres::error::OpenError;
use crate::postgres::schema::Schema;
use crate::postgres::sql_error::to_engine_error;
use crate::postgres::{migrations, pool};
use crate::transfer::{APPLIED_MIGRATIONS, Column, Kind, Row, Side, Table, Value, quote};

/// The settings of the connection of a copy: no limits of time, and numbers with all of their digits.
const SESSION: &str = "SET extra_float_digits = 3; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// The other connections to the database, without those of the server itself.
const OTHERS: &str = "SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND usesysid IS NOT NULL AND pid <> pg_backend_pid()";

/// How often a copy looks for other connections before it gives up, and the pause after each look.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// The columns of all tables of the schema in which the application creates its own; without those of extensions and parts of
/// other tables. A table is created after those that it references.
const COLUMNS: &str =
    "SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL), coalesce(a.attnum = ANY (i.indkey), false)
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND c.relname <> $1
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY c.oid, a.attname";

/// A database from or to which rows are copied.
pub struct PostgresSide {
    db: Db,
}

impl PostgresSide {
    /// Opens a database for reading, in one snapshot. Nobody can write to its tables meanwhile.
    ///
    /// # Errors
    ///
    /// If it is in use, or has not the tables of the application in the version of this program.
    pub async fn open_source(
        schema: Schema,
        config: &PostgresConfig,
    ) -> Result<PostgresSide, OpenError> {
        let side = PostgresSide::connect(config).await?;
        let missing = migrations::count_missing(&side.db, schema, config).await?;
        let missing = missing.ok_or_else(|| migrations::no_tables(schema, config))?;
        if missing > 0 {
            let known = schema.version();
            return Err(OpenError::Refused(format!(
                "{config} has schema version {}, this command needs version {known}; start and stop a server once with this version of the program, which migrates it",
                known - missing as i64
            )));
        }
        let tables = side.tables().await.map_err(failed(config))?;
        let begin = format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE {} IN SHARE MODE",
            name_all(&tables)
        );
        side.execute(&begin).await.map_err(failed(config))?;
        Ok(side)
    }

    /// Creates the tables of the application in an empty database, in a transaction that [`PostgresSide::finish`] commits.
    ///
    /// # Errors
    ///
    /// If it is in use, or has tables.
    pub async fn open_target(
        schema: Schema,
        config: &PostgresConfig,
    ) -> Result<PostgresSide, OpenError> {
        let side = PostgresSide::connect(config).await?;
        let found = side
            .db
            .query(COLUMNS, &[&""])
            .await
            .map_err(failed(config))?;
        if let Some(row) = found.first() {
            let table: String = row.get(0).map_err(failed(config))?;
            return Err(OpenError::Refused(format!(
                "{config} is not empty: it has the table {table:?}; name a new database, for example by `createdb`"
            )));
        }
        if !migrations::apply(&side.db, schema, config).await? {
            return Err(OpenError::Refused(format!(
                "{config} is in use: a server has just created its tables; stop it, and name a new database"
            )));
        }
        let tables = side.tables().await.map_err(failed(config))?;
        let clear = format!(
            "SET LOCAL statement_timeout = 0; TRUNCATE {}",
            name_all(&tables)
        );
        side.execute(&clear).await.map_err(failed(config))?;
        side.set_triggers(&tables, "DISABLE")
            .await
            .map_err(failed(config))?;
        Ok(side)
    }

    /// Commits a complete copy.
    ///
    /// # Errors
    ///
    /// If it is not committed, or it is not known whether it is.
    pub async fn finish(self) -> Result<(), EngineError> {
        let tables = self.tables().await?;
        self.set_triggers(&tables, "ENABLE").await?;
        // The server would plan the first requests without statistics.
        self.execute(&format!("ANALYZE {}", name_all(&tables)))
            .await?;
        migrations::commit(&self.db).await
    }

    async fn connect(config: &PostgresConfig) -> Result<PostgresSide, OpenError> {
        let pool = pool::create(config)?;
        let db = Db::new(pool::connect_first(&pool, config).await?);
        let side = PostgresSide { db };
        side.execute(SESSION).await.map_err(failed(config))?;
        // The connections of a process that has just ended may still be there.
        for _ in 0..LOOKS {
            let others = side.db.query(OTHERS, &[]).await.map_err(failed(config))?;
            if others.is_empty() {
                return Ok(side);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(OpenError::Refused(format!(
            "{config} is in use by a server, a command or another copy; stop all of them first, and any pool of connections between"
        )))
    }

    /// Runs statements without parameters.
    async fn execute(&self, statements: &str) -> Result<(), EngineError> {
        let executed = self.db.execute_batch(statements).await;
        executed.map_err(to_engine_error)
    }

    async fn set_triggers(&self, tables: &[Table], switch: &str) -> Result<(), EngineError> {
        let alter = |it: &Table| format!("ALTER TABLE {} {switch} TRIGGER USER", it.quoted());
        let statements: Vec<String> = tables.iter().map(alter).collect();
        self.execute(&statements.join("; ")).await
    }

    /// The sequence that gives the ids of a table, in SQL, and the column of them.
    async fn find_sequence(&self, table: &Table) -> Result<Option<(String, String)>, EngineError> {
        let mut keys = table.columns.iter().filter(|it| it.is_key);
        let (Some(id), None) = (keys.next(), keys.next()) else {
            return Ok(None);
        };
        let select = "SELECT pg_get_serial_sequence($1, $2)";
        let row = self.db.query(select, &[&table.quoted(), &id.name]).await?;
        let sequence: Option<String> = at_most_one(row)?.map_or(Ok(None), |row| row.get(0))?;
        Ok(sequence.map(|sequence| (sequence, quote(&id.name))))
    }
}

impl Side for PostgresSide {
    async fn tables(&self) -> Result<Vec<Table>, EngineError> {
        let rows = self.db.query(COLUMNS, &[&APPLIED_MIGRATIONS]).await?;
        let columns = rows
            .iter()
            .map(|row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        Table::group_columns(columns.collect::<Result<Vec<_>, EngineError>>()?)
    }

    async fn read_rows(
        &self,
        table: &Table,
        mut each: impl AsyncFnMut(Row) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        // Other values than bytes travel as texts, which the server converts from and to the types of their columns.
        let columns = table.columns.iter().map(|it| match it.kind {
            Kind::Bytes => quote(&it.name),
            kind => format!("{}::{}::text", quote(&it.name), type_of(kind)),
        });
        let columns: Vec<String> = columns.collect();
        let sql = format!("SELECT {} FROM {}", columns.join(", "), table.quoted());
        let rows = self.db.query_stream(&sql).await?;
        pin_mut!(rows);
        while let Some(row) = rows.try_next().await.map_err(to_engine_error)? {
            let values = table.columns.iter().enumerate();
            let values = values.map(|(index, column)| to_value(&row, index, column));
            each(values.collect::<Result<Row, EngineError>>()?).await?;
        }
        Ok(())
    }

    /// Inserts all rows by one statement, each column as an array.
    async fn insert(&self, table: &Table, rows: &[Row]) -> Result<(), EngineError> {
        let columns = table.columns.iter().enumerate();
        let arrays = columns
            .clone()
            .map(|(index, column)| format!("${}::text[]::{}[]", index + 1, type_of(column.kind)));
        let sql = format!(
            "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest({})",
            table.quoted(),
            table.column_list(),
            arrays.collect::<Vec<_>>().join(", ")
        );
        let arrays: Vec<Vec<Option<String>>> = columns
            .map(|(index, _)| rows.iter().map(|row| text_of(&row[index])).collect())
            .collect();
        let parameters: Vec<&(dyn ToSql + Sync)> =
            arrays.iter().map(|it| it as &(dyn ToSql + Sync)).collect();
        self.db.query(&sql, &parameters).await.map(drop)
    }

    async fn last_id(&self, table: &Table) -> Result<i64, EngineError> {
        let Some((sequence, id)) = self.find_sequence(table).await? else {
            return Ok(0);
        };
        let select = format!(
            "SELECT greatest((SELECT max({id})::bigint FROM {}),
                             (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM {sequence}))",
            table.quoted()
        );
        at_most_one(self.db.query(&select, &[]).await?)?.map_or(Ok(0), |row| row.get(0))
    }

    async fn set_last_id(&self, table: &Table, last: i64) -> Result<(), EngineError> {
        let Some((sequence, _)) = self.find_sequence(table).await? else {
            return Ok(());
        };
        let last = last.max(self.last_id(table).await?);
        // A sequence has no value below 1, but can be set to give it.
        let set = "SELECT setval($1::text::regclass, $2, $3)";
        let parameters: [&(dyn ToSql + Sync); 3] = [&sequence, &last.max(1), &(last > 0)];
        self.db.query(set, &parameters).await.map(drop)
    }
}

fn failed(config: &PostgresConfig) -> impl Fn(EngineError) -> OpenError {
    |source| OpenError::statement(&config.to_string(), source)
}

fn name_all(tables: &[Table]) -> String {
    let names: Vec<String> = tables.iter().map(Table::quoted).collect();
    names.join(", ")
}

/// The type in which a column is read and written. The server converts it to that of the column.
fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "int8",
        Kind::Boolean => "bool",
        Kind::Real => "float8",
        Kind::Text => "text",
        Kind::Bytes => "bytea",
    }
}

fn to_value(
    row: &tokio_postgres::Row,
    index: usize,
    column: &Column,
) -> Result<Value, EngineError> {
    if column.kind == Kind::Bytes {
        let bytes: Option<Vec<u8>> = row.try_get(index).map_err(EngineError::internal)?;
        return Ok(bytes.map_or(Value::Null, Value::Bytes));
    }
    let text: Option<&str> = row.try_get(index).map_err(EngineError::internal)?;
    let Some(text) = text else {
        return Ok(Value::Null);
    };
    Ok(match column.kind {
        Kind::Integer => Value::Integer(text.parse().map_err(EngineError::internal)?),
        Kind::Boolean => Value::Integer(i64::from(text == "true")),
        Kind::Real => Value::Real(text.parse().map_err(EngineError::internal)?),
        Kind::Text | Kind::Bytes => Value::Text(text.to_owned()),
    })
}

/// The value as a text that the server reads; `None` for NULL.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Text(text) => Some(text.clone()),
        Value::Bytes(_) => Some(format!("\\x{value}")),
        Value::Integer(_) | Value::Real(_) => Some(value.to_string()),
    }
}
