//! Looks at what is at a path before anything is opened for writing, so that a file that is not ours stays as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::store::error::OpenError;

/// `application_id` of a petstore's database: "psto". The first migration sets it.
pub(super) const APPLICATION_ID: i32 = 0x7073_746f;

/// What is at a path where a database may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing; a file can be created.
    Absent,
    /// An empty file.
    Empty,
    /// A SQLite database in which nothing was ever put, such as is left when creating one is cut short.
    Blank,
    /// A petstore's database.
    Ours {
        /// Its schema version.
        version: i64,
    },
}

/// The marks in the header of a SQLite database.
struct Marks {
    application_id: i32,
    version: i64,
    has_schema: bool,
}

/// The path with its directory resolved, so that all who name the database name it, and the lock beside it, alike.
pub(super) fn locate(path: &Path) -> Result<PathBuf, OpenError> {
    if let Ok(resolved) = path.canonicalize() {
        return Ok(resolved);
    }
    // A link to what is yet to be created stands for it; `canonicalize` above has
    // refused a circle of links, which ends here at the depth the system allows.
    if let Ok(target) = path.read_link() {
        let target = path.parent().unwrap_or(Path::new("")).join(target);
        return match path.metadata() {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(no_access(path, error)),
            _ => locate(&target),
        };
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let no_parent = || OpenError::NoParent {
        path: path.to_owned(),
        parent: parent.to_owned(),
    };
    if !parent.is_dir() {
        return Err(no_parent());
    }
    let directory = parent
        .canonicalize()
        .map_err(|source| no_access(path, source))?;
    let name = path
        .file_name()
        .ok_or_else(|| no_access(path, ErrorKind::InvalidInput.into()))?;
    Ok(directory.join(name))
}

/// Looks at `path`, whose directory exists, and accepts what can be opened or created there as a database of ours
/// with a schema version up to `known`.
///
/// It reads the file itself while it can, as SQLite would leave files beside it. Only if there is a write-ahead log
/// to take into account, SQLite is asked, without leave to write.
pub(super) fn probe(path: &Path, known: i64) -> Result<Found, OpenError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Absent),
        Err(error) => return Err(no_access(path, error)),
    };
    if metadata.is_dir() {
        return Err(OpenError::IsDirectory {
            path: path.to_owned(),
        });
    }
    if !metadata.is_file() {
        return Err(OpenError::NotADatabase {
            path: path.to_owned(),
        });
    }
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|error| no_access(path, error))?;
    if metadata.len() == 0 {
        return Ok(Found::Empty);
    }
    let header = read_header(file).map_err(|error| no_access(path, error))?;
    let Some(header) = header else {
        return Err(OpenError::NotADatabase {
            path: path.to_owned(),
        });
    };
    let logged = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let marks = if logged { ask_sqlite(path)? } else { header };
    judge(path, &marks, known)
}

/// The path of a file that belongs to the database at `path`: its name, with `suffix` added.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn judge(path: &Path, marks: &Marks, known: i64) -> Result<Found, OpenError> {
    let path = path.to_owned();
    match *marks {
        Marks {
            application_id: 0,
            version: 0,
            has_schema: false,
        } => Ok(Found::Blank),
        Marks {
            application_id: APPLICATION_ID,
            version: found,
            ..
        } if found > known => Err(OpenError::TooNew { path, found, known }),
        // The first step of the schema sets the mark and the version at once.
        Marks {
            application_id: APPLICATION_ID,
            version: found,
            ..
        } if found < 1 => Err(OpenError::NoSuchVersion { path, found }),
        Marks {
            application_id: APPLICATION_ID,
            version,
            ..
        } => Ok(Found::Ours { version }),
        Marks { application_id, .. } => Err(OpenError::Foreign {
            path,
            application_id,
        }),
    }
}

/// Reads the header of the database file (SQLite file format, section 1.3), if the file has one.
fn read_header(file: File) -> io::Result<Option<Marks>> {
    let mut header = Vec::with_capacity(100);
    file.take(100).read_to_end(&mut header)?;
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return Ok(None);
    }
    let number = |at: usize| {
        i32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    Ok(Some(Marks {
        application_id: number(68),
        version: i64::from(number(60)),
        has_schema: number(40) != 0,
    }))
}

fn ask_sqlite(path: &Path) -> Result<Marks, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let marks = Connection::open_with_flags(path, flags).and_then(|db| {
        let number = |sql| db.query_row(sql, [], |row| row.get(0));
        Ok(Marks {
            application_id: db.query_row("PRAGMA application_id", [], |row| row.get(0))?,
            version: number("PRAGMA user_version")?,
            has_schema: number("SELECT count(*) FROM sqlite_schema")? > 0,
        })
    });
    marks.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::NotADatabase {
            path: path.to_owned(),
        },
        _ => OpenError::Database {
            path: path.to_owned(),
            source: Arc::new(error),
        },
    })
}

fn no_access(path: &Path, source: io::Error) -> OpenError {
    OpenError::NoAccess {
        path: path.to_owned(),
        source,
    }
}
