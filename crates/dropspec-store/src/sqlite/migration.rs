//! What the migrations of an existing database change: its schema version. A copy of the file is kept from before.

use std::path::{Path, PathBuf};

use crate::sqlite::copy::TemporaryCopy;
use crate::sqlite::error::OpenError;
use crate::sqlite::probe::{self, FileState, append_suffix};
use crate::sqlite::schema::Schema;

/// The migrations that were applied to an existing database when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The schema version before.
    pub from: i64,
    /// The schema version after.
    pub to: i64,
    /// The copy of the database from before.
    pub copy: PathBuf,
}

/// Reads the schema version of the database at `path`; `None` if there is none yet. Nothing is changed, and a server may run.
///
/// # Errors
///
/// If the file cannot be read, or is no database of the application, or of a newer version.
pub fn read_version(schema: Schema, path: &Path) -> Result<Option<i64>, OpenError> {
    let path = probe::resolve_path(path)?;
    Ok(match probe::inspect_file(&path, schema)? {
        FileState::Database { version } => Some(version),
        FileState::Missing | FileState::Empty | FileState::Blank => None,
    })
}

/// Copies the locked database at `path`, whose schema version is `from`, before it is migrated. A copy that an earlier attempt has
/// left is replaced.
pub(crate) fn keep_copy(schema: Schema, path: &Path, from: i64) -> Result<Migration, OpenError> {
    let to = schema.version();
    let copy = append_suffix(path, &format!(".before-version-{to}"));
    TemporaryCopy::create(path, path, &copy)?.rename_to(&copy)?;
    Ok(Migration { from, to, copy })
}
