//! Tests of `error`.

use super::*;

#[test]
fn errors_of_a_start_name_a_full_disk_and_a_read_only_directory() {
    let message = |code| {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        let wrapped = rusqlite_migration::Error::RusqliteError {
            query: String::new(),
            err: error,
        };
        OpenError::database(Path::new("db"), wrapped).to_string()
    };
    let full =
        "db could not be opened as a database, because its disk is full; free space and try again";
    assert_eq!(message(ffi::SQLITE_FULL), full);
    assert_eq!(message(ffi::SQLITE_IOERR_SHMSIZE), full);
    assert_eq!(
        message(ffi::SQLITE_READONLY_DIRECTORY),
        "db could not be opened as a database, because files cannot be created beside it; make its directory writable"
    );
}
