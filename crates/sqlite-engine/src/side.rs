//! A file as one side of a copy to or from another engine.
//!
//! A target is written beside its name, to `….copying`, and gets its name when it is complete. Until then the server refuses
//! to create another database there.

mod rows;
mod tables;

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engine_types::EngineError;
use engine_types::transfer::{Progress, Row, Side, Table, UNFINISHED_COPY};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::access;
use crate::copy::{locate_database, remove_if_present, sync_directory};
use crate::error::{BackupError, OpenError};
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
    progress: Progress,
    _lock: Lock,
}

/// The mark of an unfinished copy.
struct Mark {
    source: String,
    has_begun: bool,
}

impl SqliteSide {
    /// Opens the database at `path` for reading, in one snapshot.
    ///
    /// # Errors
    ///
    /// If a server uses it, or it is not a database with the schema version of this program.
    pub fn open_source(schema: Schema, path: &Path) -> Result<SqliteSide, BackupError> {
        resume_interrupted_restore(schema, &probe::resolve_path(path)?)?;
        let path = locate_database(schema, path)?;
        let lock = Lock::take(&path)?;
        SqliteSide::read(schema, path, lock)
    }

    /// Opens or creates the unfinished copy from `source` that gets the name `path`. If a database has that name, it is opened
    /// for reading, as it may be the copy that was finished before.
    ///
    /// # Errors
    ///
    /// If `path` is something else, a server uses it, or it is to be a copy from another source.
    pub fn open_target(
        schema: Schema,
        path: &Path,
        source: &str,
    ) -> Result<SqliteSide, BackupError> {
        let path = probe::resolve_path(path)?;
        match probe::inspect_file(&path, schema)? {
            FileState::Database { .. } => {
                let lock = Lock::take(&path)?;
                return SqliteSide::read(schema, path, lock);
            }
            FileState::Empty | FileState::Blank => return Err(BackupError::Exists { path }),
            FileState::Missing => probe::refuse_log_without_database(&path)?,
        }
        let lock = Lock::take(&path)?;
        let opened = open_unfinished(schema, &path, source);
        if opened.is_err()
            && let Some(created) = lock.created_file()
        {
            remove_if_present(created);
        }
        let (connection, progress) = opened?;
        Ok(SqliteSide {
            connection,
            path,
            progress,
            _lock: lock,
        })
    }

    /// What the database held when it was opened.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The connection, for what concerns SQLite only.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    fn read(schema: Schema, path: PathBuf, lock: Lock) -> Result<SqliteSide, BackupError> {
        let failed = |error| OpenError::database(&path, error);
        if let FileState::Database { version: found } = probe::inspect_file(&path, schema)?
            && found < schema.version()
        {
            let known = schema.version();
            return Err(OpenError::TooOld { path, found, known }.into());
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags).map_err(failed)?;
        // A temporary table that hides one of the database has no parents.
        connection
            .execute_batch("PRAGMA foreign_keys = OFF; BEGIN")
            .map_err(failed)?;
        refuse_mark(&connection, &path)?;
        migrations::check(schema, &connection, &path)?;
        Ok(SqliteSide {
            connection,
            path,
            progress: Progress::Complete,
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
        let begun = format!("UPDATE {UNFINISHED_COPY} SET has_begun = TRUE");
        transaction.execute(&begun, [])?;
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
        connection.execute_batch(&format!("DROP TABLE {UNFINISHED_COPY}"))?;
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
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mark = Connection::open_with_flags(&unfinished, flags).and_then(|it| read_mark(&it));
    let source = mark.ok().flatten().map(|mark| mark.source);
    Err(OpenError::UnfinishedCopy {
        path: unfinished,
        source_name: source.unwrap_or_else(|| "another database".to_owned()),
    })
}

/// Fails if the database is an unfinished copy itself.
pub(crate) fn refuse_mark(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    match read_mark(connection).map_err(|error| OpenError::database(path, error))? {
        None => Ok(()),
        Some(mark) => Err(OpenError::UnfinishedCopy {
            path: path.to_owned(),
            source_name: mark.source,
        }),
    }
}

/// Opens the unfinished copy of the database at `path`, or creates a new one.
fn open_unfinished(
    schema: Schema,
    path: &Path,
    source: &str,
) -> Result<(Connection, Progress), BackupError> {
    let unfinished = append_suffix(path, COPYING);
    match fs::symlink_metadata(&unfinished) {
        Ok(found) if !found.is_file() => {
            return Err(BackupError::NotAPlainFile { path: unfinished });
        }
        Ok(_) => {
            if let Ok((connection, mark)) = resume(schema, &unfinished) {
                return match mark.source == source {
                    true if mark.has_begun => Ok((connection, Progress::Begun)),
                    true => Ok((connection, Progress::New)),
                    false => Err(BackupError::OtherCopy {
                        path: unfinished,
                        source_name: mark.source,
                    }),
                };
            }
        }
        Err(_) => {}
    }
    // What is there was not created to its end, or by another version of the program.
    for suffix in FILES {
        remove_if_present(&append_suffix(&unfinished, suffix));
    }
    let created = create(schema, &unfinished, source);
    let connection = created.map_err(|error| OpenError::database(&unfinished, error))?;
    Ok((connection, Progress::New))
}

/// Opens an unfinished copy with the schema version of this program.
fn resume(
    schema: Schema,
    path: &Path,
) -> Result<(Connection, Mark), Box<dyn std::error::Error + Send + Sync>> {
    let connection = connect(path)?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let mark = read_mark(&connection)?.ok_or("it has no mark")?;
    migrations::check(schema, &connection, path)?;
    if version == schema.version() {
        Ok((connection, mark))
    } else {
        Err("it has another schema version".into())
    }
}

/// Creates the tables and the mark of an unfinished copy.
fn create(
    schema: Schema,
    path: &Path,
    source: &str,
) -> Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    access::create_database_file(path)?;
    let mut connection = connect(path)?;
    schema.migrate(&mut connection)?;
    migrations::remember(schema, &mut connection)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(&format!(
        "CREATE TABLE {UNFINISHED_COPY} (source TEXT NOT NULL, has_begun INTEGER NOT NULL) STRICT"
    ))?;
    let insert = format!("INSERT INTO {UNFINISHED_COPY} VALUES (?1, FALSE)");
    transaction.execute(&insert, [source])?;
    transaction.commit()?;
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

fn read_mark(connection: &Connection) -> rusqlite::Result<Option<Mark>> {
    if !connection.table_exists(Some("main"), UNFINISHED_COPY)? {
        return Ok(None);
    }
    let select = format!("SELECT source, has_begun FROM {UNFINISHED_COPY}");
    let mark = connection.query_row(&select, [], |row| {
        Ok(Mark {
            source: row.get(0)?,
            has_begun: row.get(1)?,
        })
    });
    mark.optional()
}

/// Gives a complete copy its name, on the disk, unless another process has created a file there.
fn publish(unfinished: &Path, path: &Path) -> Result<(), BackupError> {
    let failed = |source| BackupError::File {
        path: path.to_owned(),
        source,
    };
    let synced = File::open(unfinished).and_then(|file| file.sync_all());
    synced.map_err(failed)?;
    match fs::hard_link(unfinished, path) {
        Ok(()) => remove_if_present(unfinished),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(BackupError::Exists {
                path: path.to_owned(),
            });
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
