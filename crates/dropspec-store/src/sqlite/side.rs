//! A file as one side of a copy to or from another engine. A target is written under a temporary name, and gets its own when it
//! is complete. A copy that was interrupted begins anew.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params_from_iter};

use crate::EngineError;
use crate::sqlite::copy::{TemporaryCopy, locate_database};
use crate::sqlite::error::OpenError;
use crate::sqlite::lock::Lock;
use crate::sqlite::migrations;
use crate::sqlite::probe::{self, FileState};
use crate::sqlite::restore::resume_interrupted_restore;
use crate::sqlite::schema::Schema;
use crate::transfer::{APPLIED_MIGRATIONS, Row, Side, Table, Value};

/// A database file from or to which rows are copied. It is locked, so no server uses it.
#[derive(Debug)]
pub struct SqliteSide {
    // Dropped in this order: closing a descriptor of the file would release the locks of the connection.
    connection: Connection,
    /// The file of a target, and the name that it gets.
    target: Option<(TemporaryCopy, PathBuf)>,
    _lock: Lock,
}

impl SqliteSide {
    /// Opens the database at `path` for reading, in one snapshot.
    ///
    /// # Errors
    ///
    /// If a server uses it, or it is not a database with the schema version of this program.
    pub fn open_source(schema: Schema, path: &Path) -> Result<SqliteSide, OpenError> {
        resume_interrupted_restore(schema, &probe::resolve_path(path)?)?;
        let path = locate_database(schema, path)?;
        let lock = Lock::take(&path)?;
        if let FileState::Database { version: found } = probe::inspect_file(&path, schema)?
            && found < schema.version()
        {
            return Err(OpenError::refused(
                &path,
                format_args!(
                    "has schema version {found}, this command needs version {}; start and stop its server once with this version of the program, which migrates it",
                    schema.version()
                ),
            ));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags);
        let opened = opened.and_then(|db| db.execute_batch("BEGIN").map(|()| db));
        let connection = opened.map_err(|error| OpenError::database(&path, error))?;
        migrations::check(schema, &connection, &path)?;
        Ok(SqliteSide {
            connection,
            target: None,
            _lock: lock,
        })
    }

    /// Creates a database that gets the name `path` when it is complete, with empty tables.
    ///
    /// # Errors
    ///
    /// If something is at `path`, or a server uses it.
    pub fn open_target(schema: Schema, path: &Path) -> Result<SqliteSide, OpenError> {
        let path = probe::resolve_path(path)?;
        if probe::inspect_file(&path, schema)? != FileState::Missing {
            return Err(OpenError::exists(&path));
        }
        probe::refuse_log_without_database(&path)?;
        let lock = Lock::take(&path)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let copy = TemporaryCopy::empty(folder, &path)?;
        let connection = create_tables(schema, copy.path())
            .map_err(|error| OpenError::database(copy.path(), error))?;
        Ok(SqliteSide {
            connection,
            target: Some((copy, path)),
            _lock: lock,
        })
    }

    /// Gives a complete copy its name.
    ///
    /// # Errors
    ///
    /// If a row refers to one that does not exist, or the file cannot be written.
    pub fn finish(self) -> Result<(), EngineError> {
        let select = "SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1";
        let found = self.connection.query_row(select, [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        });
        if let Some((table, parent)) = found.optional()? {
            return Err(EngineError::internal(format!(
                "a row of {table} refers to a row of {parent} that does not exist"
            )));
        }
        self.connection.execute_batch("COMMIT")?;
        drop(self.connection);
        let Some((copy, path)) = self.target else {
            return Ok(());
        };
        copy.publish_new(&path).map_err(EngineError::internal)
    }
}

/// Creates the tables without rows, in a transaction that writes rows as they are: without triggers, and in any order of tables.
fn create_tables(
    schema: Schema,
    path: &Path,
) -> Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    // The file is of no use until it is complete and synced.
    connection.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(()))?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF")?;
    schema.migrate(&mut connection)?;
    migrations::remember(schema, &mut connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.execute_batch("BEGIN")?;
    for table in read_tables(&connection)? {
        connection.execute(&format!("DELETE FROM {}", table.quoted()), [])?;
    }
    Ok(connection)
}

fn read_tables(db: &Connection) -> Result<Vec<Table>, EngineError> {
    // Generated columns are hidden: 2 and 3.
    let mut select = db.prepare(
        "SELECT t.name, c.name, c.type, c.pk > 0 FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
         WHERE t.type = 'table' AND t.name NOT GLOB 'sqlite_*' AND t.name <> ?1 AND c.hidden = 0 ORDER BY t.rowid, c.name",
    )?;
    let columns = select.query_map([APPLIED_MIGRATIONS], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    Table::group_columns(columns.collect::<rusqlite::Result<Vec<_>>>()?)
}

impl Side for SqliteSide {
    async fn tables(&self) -> Result<Vec<Table>, EngineError> {
        read_tables(&self.connection)
    }

    async fn read_rows(
        &self,
        table: &Table,
        mut each: impl AsyncFnMut(Row) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let sql = format!("SELECT {} FROM {}", table.column_list(), table.quoted());
        let mut select = self.connection.prepare(&sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let values = (0..table.columns.len()).map(|column| Ok(to_value(row.get_ref(column)?)));
            each(values.collect::<rusqlite::Result<Row>>()?).await?;
        }
        Ok(())
    }

    async fn insert(&self, table: &Table, rows: &[Row]) -> Result<(), EngineError> {
        let sql = format!(
            "INSERT INTO {} ({}) VALUES ({})",
            table.quoted(),
            table.column_list(),
            vec!["?"; table.columns.len()].join(", ")
        );
        let mut insert = self.connection.prepare_cached(&sql)?;
        for row in rows {
            insert.execute(params_from_iter(row.iter().map(Parameter)))?;
        }
        Ok(())
    }

    async fn last_id(&self, table: &Table) -> Result<i64, EngineError> {
        let select = "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = ?1";
        let last = self
            .connection
            .query_row(select, [&table.name], |row| row.get(0));
        Ok(last?)
    }

    async fn set_last_id(&self, table: &Table, last: i64) -> Result<(), EngineError> {
        let last = last.max(self.last_id(table).await?);
        let delete = "DELETE FROM sqlite_sequence WHERE name = ?1";
        self.connection.execute(delete, [&table.name])?;
        // The catalog shows only in the statement that created a table whether it gives each id only once.
        let insert = "INSERT INTO sqlite_sequence (name, seq)
            SELECT name, ?2 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql LIKE '%AUTOINCREMENT%'";
        self.connection.execute(insert, (&table.name, last))?;
        Ok(())
    }
}

/// A value as a parameter, without a copy of it.
struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn to_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => match str::from_utf8(text) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Bytes(text.to_owned()),
        },
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
    }
}
