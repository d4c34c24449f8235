//! A file as one side of a copy to or from another engine.
//!
//! A target is written beside its name, to `….copying`, and gets its name when it is complete. Until then the server refuses
//! to create another database there. A copy that was interrupted begins anew.

mod rows;
mod tables;

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engine_types::EngineError;
use engine_types::transfer::{Row, Side, Table};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::access;
use crate::copy::{locate_database, remove_if_present, sync_directory};
use crate::error::OpenError;
use crate::lock::Lock;
use crate::migrations;
use crate::probe::{self, FileState, append_suffix};
use crate::restore::resume_interrupted_restore;
use crate::schema::Schema;

/// File name suffix of an unfinished copy.
const COPYING: &str = ".copying";

/// File name suffixes of what SQLite writes beside an unfinished copy.
const FILES: [&str; 4] = ["-wal", "-shm", "-journal", ""];

/// A database file from or to which rows are copied. It is locked, so no server uses it.
#[derive(Debug)]
pub struct SqliteSide {
    // Dropped in this order: closing a descriptor of the file would release the locks of the connection.
    connection: Connection,
    /// The name that the database has or gets.
    path: PathBuf,
    is_complete: bool,
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
        SqliteSide::read(schema, path, lock)
    }

    /// Creates the unfinished copy that gets the name `path`, in the place of one that was interrupted. If a database has that
    /// name, it is opened for reading, as it may be the copy that was finished before.
    ///
    /// # Errors
    ///
    /// If `path` is something else, or a server uses it.
    pub fn open_target(schema: Schema, path: &Path) -> Result<SqliteSide, OpenError> {
        let path = probe::resolve_path(path)?;
        match probe::inspect_file(&path, schema)? {
            FileState::Database { .. } => {
                let lock = Lock::take(&path)?;
                return SqliteSide::read(schema, path, lock);
            }
            FileState::Empty | FileState::Blank => return Err(OpenError::exists(&path)),
            FileState::Missing => probe::refuse_log_without_database(&path)?,
        }
        let lock = Lock::take(&path)?;
        let opened = create_unfinished(schema, &path);
        if opened.is_err()
            && let Some(created) = lock.created_file()
        {
            remove_if_present(created);
        }
        Ok(SqliteSide {
            connection: opened?,
            path,
            is_complete: false,
            _lock: lock,
        })
    }

    /// Whether it is a database that servers accept, which is only read.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The connection, for what concerns SQLite only.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    fn read(schema: Schema, path: PathBuf, lock: Lock) -> Result<SqliteSide, OpenError> {
        let failed = |error| OpenError::database(&path, error);
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
        let connection = Connection::open_with_flags(&path, flags).map_err(failed)?;
        // A temporary table that hides one of the database has no parents.
        connection
            .execute_batch("PRAGMA foreign_keys = OFF; BEGIN")
            .map_err(failed)?;
        refuse_name_of_unfinished(&path)?;
        migrations::check(schema, &connection, &path)?;
        Ok(SqliteSide {
            connection,
            path,
            is_complete: true,
            _lock: lock,
        })
    }
}

impl Side for SqliteSide {
    async fn tables(&self) -> Result<Vec<Table>, EngineError> {
        Ok(tables::read(&self.connection)?)
    }

    async fn read_rows<E: From<EngineError>>(
        &self,
        table: &Table,
        each: impl AsyncFnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        rows::read(&self.connection, table, each).await
    }

    async fn last_id(&self, table: &Table) -> Result<Option<i64>, EngineError> {
        Ok(tables::last_id(&self.connection, table)?)
    }

    async fn begin(&self, tables: &[Table]) -> Result<(), EngineError> {
        let transaction = self.connection.unchecked_transaction()?;
        for table in tables {
            transaction.execute(&format!("DELETE FROM {}", quote(&table.name)), [])?;
            tables::forget_last_id(&transaction, table)?;
        }
        Ok(transaction.commit()?)
    }

    async fn insert(&self, table: &Table, rows: &[Row]) -> Result<(), EngineError> {
        Ok(rows::insert(&self.connection, table, rows)?)
    }

    async fn set_last_id(&self, table: &Table, last: Option<i64>) -> Result<(), EngineError> {
        Ok(tables::set_last_id(&self.connection, table, last)?)
    }

    async fn finish(self, _: &[Table]) -> Result<(), EngineError> {
        let SqliteSide {
            connection,
            path,
            _lock: lock,
            ..
        } = self;
        rows::check_references(&connection)?;
        // A single file without a log beside it, until a server opens it.
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        drop(connection);
        let unfinished = append_suffix(&path, COPYING);
        publish(&unfinished, &path).map_err(EngineError::internal)?;
        drop(lock);
        Ok(())
    }
}

/// Fails if there is no database at `path` yet, as a copy to it is unfinished.
pub(crate) fn refuse_unfinished(path: &Path) -> Result<(), OpenError> {
    let unfinished = append_suffix(path, COPYING);
    if path.exists() || !unfinished.exists() {
        return Ok(());
    }
    Err(OpenError::unfinished_copy(&unfinished))
}

/// Fails if a path is that of an unfinished copy.
pub(crate) fn refuse_name_of_unfinished(path: &Path) -> Result<(), OpenError> {
    if path
        .as_os_str()
        .as_encoded_bytes()
        .ends_with(COPYING.as_bytes())
    {
        return Err(OpenError::unfinished_copy(path));
    }
    Ok(())
}

/// Creates the tables of the unfinished copy of the database at `path`.
fn create_unfinished(schema: Schema, path: &Path) -> Result<Connection, OpenError> {
    let unfinished = append_suffix(path, COPYING);
    // A link would decide where the copy is written to.
    if fs::symlink_metadata(&unfinished).is_ok_and(|found| !found.is_file()) {
        return Err(OpenError::not_a_plain_file(&unfinished));
    }
    for suffix in FILES {
        remove_if_present(&append_suffix(&unfinished, suffix));
    }
    let created = access::create_database_file(&unfinished)
        .map_err(Into::into)
        .and_then(|()| create_tables(schema, &unfinished));
    created.map_err(|error| OpenError::database(&unfinished, error))
}

fn create_tables(
    schema: Schema,
    path: &Path,
) -> Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    let mut connection = connect(path)?;
    schema.migrate(&mut connection)?;
    migrations::remember(schema, &mut connection)?;
    Ok(connection)
}

/// Opens a connection that writes rows as they are: without triggers, and in any order of tables.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // A power cut may undo the last batches, but not a part of one.
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    Ok(connection)
}

/// Gives a complete copy its name, on the disk, unless another process has created a file there.
fn publish(unfinished: &Path, path: &Path) -> Result<(), OpenError> {
    let failed = |error| OpenError::write(path, error);
    let synced = File::open(unfinished).and_then(|file| file.sync_all());
    synced.map_err(failed)?;
    match fs::hard_link(unfinished, path) {
        Ok(()) => remove_if_present(unfinished),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(OpenError::exists(path));
        }
        // A file system without hard links.
        Err(_) => fs::rename(unfinished, path).map_err(failed)?,
    }
    sync_directory(path)
}

/// A name in SQL.
fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
