//! Backs up the database beside a running server.

use std::path::Path;

use crate::sqlite::copy::{TemporaryCopy, locate_database};
use crate::sqlite::error::OpenError;
use crate::sqlite::probe;
use crate::sqlite::restore::resume_interrupted_restore;
use crate::sqlite::schema::Schema;

/// Copies the database at `database`, which a server may be using, to the new file `copy`.
///
/// # Errors
///
/// When there is no copy at the end; then there is no file at `copy` either.
pub fn back_up(schema: Schema, database: &Path, copy: &Path) -> Result<(), OpenError> {
    resume_interrupted_restore(schema, &probe::resolve_path(database)?)?;
    let database = locate_database(schema, database)?;
    // A link would decide where the copy goes, even if its target does not exist.
    if copy.is_symlink() {
        return Err(OpenError::exists(copy));
    }
    let copy = probe::resolve_path(copy)?;
    if copy.exists() {
        return Err(OpenError::exists(&copy));
    }
    TemporaryCopy::create(&database, &database, &copy)?.publish_new(&copy)
}
