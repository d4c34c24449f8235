//! Replaces the database by a backup while no server runs.
//!
//! Nothing is changed until a complete copy of the backup exists. The copy is then renamed to `….restoring`, from which
//! point the next process to open the database completes the restore if this one cannot.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::sqlite::access;
use crate::sqlite::copy::{TemporaryCopy, locate_database, remove_if_present, sync_directory};
use crate::sqlite::error::OpenError;
use crate::sqlite::lock::Lock;
use crate::sqlite::probe::{self, append_suffix};
use crate::sqlite::schema::Schema;

/// File name suffix of a complete copy of a backup that is to replace the database.
const RESTORING: &str = ".restoring";

/// File name suffix of the database that a restore has replaced. Restoring this file undoes the restore.
const PREVIOUS: &str = ".before-restore";

/// File name suffixes of the logs that SQLite writes beside a database. Logs must not be combined with another database.
const LOG_SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Replaces the database at `database`, which need not exist, by a copy of `backup`.
///
/// Returns the path under which the previous database is stored, if there was one.
///
/// # Errors
///
/// [`OpenError::InUse`] while a server uses the database. After an error the database is unchanged, or the restore
/// is completed by the next process that opens it.
pub fn restore(
    schema: Schema,
    backup: &Path,
    database: &Path,
) -> Result<Option<PathBuf>, OpenError> {
    let backup = locate_database(schema, backup)?;
    let database = probe::resolve_path(database)?;
    if backup == database {
        let reason = "is the database itself; name a backup to restore";
        return Err(OpenError::refused(&database, reason));
    }
    check_replaceable(&database)?;
    let _lock = Lock::take(&database)?;
    let was_interrupted = is_interrupted(&database);
    finish_restore(schema, &database)?;
    let existed = database.exists();
    let previous = append_suffix(&database, PREVIOUS);
    let restoring = append_suffix(&database, RESTORING);
    // The files that these names meant when the interrupted restore began are in place already.
    let is_done = was_interrupted && (backup == previous || backup == restoring);
    if !is_done {
        let model = if existed { &database } else { &backup };
        let copy = TemporaryCopy::create(&backup, model, &restoring)?;
        for log in LOG_SUFFIXES {
            remove_if_present(&append_suffix(&previous, log));
        }
        copy.rename_to(&restoring)?;
        finish_restore(schema, &database)?;
    }
    Ok(Some(previous).filter(|it| existed && it.exists()))
}

/// Locks the database at `path` and completes its restore, if a process was interrupted while restoring it.
///
/// # Errors
///
/// [`OpenError::InUse`] while another process does so.
pub(crate) fn resume_interrupted_restore(schema: Schema, path: &Path) -> Result<(), OpenError> {
    if is_interrupted(path) {
        let _lock = Lock::take(path)?;
        finish_restore(schema, path)?;
    }
    Ok(())
}

/// Completes an interrupted restore, if there is one, for a caller that has locked the database. It can be interrupted
/// and repeated at any point.
pub(crate) fn finish_restore(schema: Schema, database: &Path) -> Result<(), OpenError> {
    if !is_interrupted(database) {
        return Ok(());
    }
    let restoring = locate_database(schema, &append_suffix(database, RESTORING))?;
    let previous = append_suffix(database, PREVIOUS);
    if database.exists() {
        // An earlier version may have made it readable for others.
        access::restrict_files(database);
        for suffix in LOG_SUFFIXES.into_iter().chain([""]) {
            rename_if_present(
                &append_suffix(database, suffix),
                &append_suffix(&previous, suffix),
            )?;
        }
    } else {
        // The logs of a missing database must not be combined with the restored or the previous one.
        for log in LOG_SUFFIXES {
            remove_if_present(&append_suffix(database, log));
        }
    }
    rename_if_present(&restoring, database)?;
    sync_directory(database)
}

fn is_interrupted(database: &Path) -> bool {
    append_suffix(database, RESTORING).exists()
}

fn rename_if_present(from: &Path, to: &Path) -> Result<(), OpenError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        renamed => renamed.map_err(|error| OpenError::cannot_write(to, error)),
    }
}

/// Checks that `path` can be replaced: a file, which may be damaged, or nothing is there.
fn check_replaceable(path: &Path) -> Result<(), OpenError> {
    match path.metadata() {
        Ok(found) if found.is_dir() => Err(OpenError::is_directory(path)),
        Ok(found) if !found.is_file() => Err(OpenError::not_a_database(path)),
        _ => Ok(()),
    }
}
