//! Checks what is at a path before anything is opened for writing, so that a file of another application is never
//! changed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::sqlite::error::OpenError;
use crate::sqlite::schema::Schema;

/// What was found at the path of a database: nothing, an empty file, or a database of the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileState {
    /// Nothing; a file can be created.
    Missing,
    /// An empty file.
    Empty,
    /// A SQLite database without a table, left behind when its creation was interrupted.
    Blank,
    /// A database of the application.
    Database {
        /// Its schema version.
        version: i64,
    },
}

/// The fields of the header of a SQLite file by which a database of the application is recognized.
struct Header {
    application_id: i32,
    version: i64,
    has_schema: bool,
}

/// Resolves the directory and symbolic links of a path, so that each database has one name, and one lock file.
pub(crate) fn resolve_path(path: &Path) -> Result<PathBuf, OpenError> {
    if let Ok(resolved) = path.canonicalize() {
        return Ok(resolved);
    }
    // A link to a missing file is followed. The system reports a cycle of links as an error of `metadata`.
    if let Ok(target) = path.read_link() {
        let target = path.parent().unwrap_or(Path::new("")).join(target);
        return match path.metadata() {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(OpenError::no_access(path, error))
            }
            _ => resolve_path(&target),
        };
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        return Err(OpenError::refused(
            path,
            format_args!(
                "cannot be a database, as {} is not a directory; create it or name another",
                parent.display()
            ),
        ));
    }
    let directory = parent
        .canonicalize()
        .map_err(|source| OpenError::no_access(path, source))?;
    let name = path
        .file_name()
        .ok_or_else(|| OpenError::no_access(path, ErrorKind::InvalidInput.into()))?;
    Ok(directory.join(name))
}

/// Checks that `path`, whose directory exists, can be opened or created as a database of `schema`.
///
/// It reads the header of the file itself, as SQLite would create files beside it. Only if there is a write-ahead
/// log, it asks SQLite, over a read-only connection.
pub(crate) fn inspect_file(path: &Path, schema: Schema) -> Result<FileState, OpenError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(FileState::Missing),
        Err(error) => return Err(OpenError::no_access(path, error)),
    };
    if metadata.is_dir() {
        return Err(OpenError::is_directory(path));
    }
    if !metadata.is_file() {
        return Err(OpenError::not_a_database(path));
    }
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|error| OpenError::no_access(path, error))?;
    if metadata.len() == 0 {
        return Ok(FileState::Empty);
    }
    let header = read_header(file).map_err(|error| OpenError::no_access(path, error))?;
    let Some(header) = header else {
        return Err(OpenError::not_a_database(path));
    };
    let has_log = fs::metadata(append_suffix(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let header = if has_log { query_header(path)? } else { header };
    check_header(path, &header, schema)
}

/// Fails if there is a log with content beside `path`, where there is no database: one that was there has been moved.
pub(crate) fn refuse_log_without_database(path: &Path) -> Result<(), OpenError> {
    let has_content =
        |log: &PathBuf| fs::metadata(log).is_ok_and(|it| it.is_file() && it.len() > 0);
    let mut logs = ["-wal", "-journal"]
        .map(|suffix| append_suffix(path, suffix))
        .into_iter();
    match logs.find(has_content) {
        None => Ok(()),
        Some(log) => Err(OpenError::refused(
            &log,
            format_args!(
                "belongs to a database that was at {} and may hold its last changes; move it beside that database, under the name of that database, or remove it",
                path.display()
            ),
        )),
    }
}

/// Lets SQLite undo a transaction that a power cut interrupted while the database was being created, before there is a
/// write-ahead log. Until then the header of the file means nothing. Without such a journal nothing is opened.
pub(crate) fn roll_back_journal(path: &Path) {
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() > 0);
    if is_file(path) && is_file(&append_suffix(path, "-journal")) {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // If it fails, so does opening the database, which reports why.
        let _ = Connection::open_with_flags(path, flags)
            .and_then(|db| db.query_row("PRAGMA schema_version", [], |_| Ok(())));
    }
}

/// Appends `suffix` to the file name of `path`: the path of a file beside a database, such as its lock file.
pub(crate) fn append_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn check_header(path: &Path, header: &Header, schema: Schema) -> Result<FileState, OpenError> {
    let Header {
        application_id,
        version: found,
        has_schema,
    } = *header;
    let known = schema.version();
    if (application_id, found, has_schema) == (0, 0, false) {
        Ok(FileState::Blank)
    } else if application_id != schema.application_id {
        Err(OpenError::refused(
            path,
            format_args!(
                "is the database of another application (application_id {application_id:#010x}); the file was not changed, name another file"
            ),
        ))
    } else if found > known {
        Err(OpenError::refused(
            path,
            format_args!(
                "has schema version {found}, this program supports versions up to {known}; the file was not changed, run a newer version"
            ),
        ))
    } else if found < 1 {
        // The first migration sets the application id and the version in one transaction.
        Err(OpenError::refused(
            path,
            format_args!(
                "has schema version {found}, which no version of this program writes; the file was not changed, name another file"
            ),
        ))
    } else {
        Ok(FileState::Database { version: found })
    }
}

/// Reads the header of the database file (SQLite file format, section 1.3); `None` if it has none.
fn read_header(file: File) -> io::Result<Option<Header>> {
    let mut header = Vec::with_capacity(100);
    file.take(100).read_to_end(&mut header)?;
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return Ok(None);
    }
    let number = |at: usize| {
        i32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    Ok(Some(Header {
        application_id: number(68),
        version: i64::from(number(60)),
        has_schema: number(40) != 0,
    }))
}

fn query_header(path: &Path) -> Result<Header, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let header = Connection::open_with_flags(path, flags).and_then(|db| {
        let number = |sql| db.query_row(sql, [], |row| row.get(0));
        Ok(Header {
            application_id: db.query_row("PRAGMA application_id", [], |row| row.get(0))?,
            version: number("PRAGMA user_version")?,
            has_schema: number("SELECT count(*) FROM sqlite_schema")? > 0,
        })
    });
    header.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::not_a_database(path),
        _ => OpenError::database(path, error),
    })
}
