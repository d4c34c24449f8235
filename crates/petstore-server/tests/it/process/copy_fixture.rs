//! The command `copy` and databases for it.

use std::path::Path;
use std::process::{Command, Output};

use rusqlite::Connection;
use serde_json::Value;
use test_support::{ServerProcess, Storage, petstore};

/// The command, in a directory.
pub fn copy_command(directory: &Path, from: &str, to: &str) -> Command {
    let mut command = petstore();
    command.current_dir(directory);
    command.args(["copy", "--json", "--from", from, "--to", to]);
    command
}

/// Runs the command.
pub fn copy(directory: &Path, from: &str, to: &str) -> Output {
    copy_command(directory, from, to).output().unwrap()
}

/// Runs the command, expects success, and returns its report.
pub fn copied(directory: &Path, from: &str, to: &str) -> Value {
    let output = copy(directory, from, to);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{from} to {to}: {stderr}");
    assert_eq!(stderr, "");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Adds pets to the file of a stopped server, each with this name, in its first category.
pub fn fill_directly(file: &Path, pets: u32, name: &str) {
    let database = Connection::open(file).unwrap();
    let insert = "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?1)
        INSERT INTO pets (name, category_id, status, stock) SELECT ?2 || number, 1, 'available', number FROM numbers";
    database.execute(insert, (pets, name)).unwrap();
}

/// A stopped database, as a server leaves it.
pub fn stopped_database() -> Storage {
    let server = ServerProcess::start_on_file();
    server.create_category("Cat");
    server.stop()
}
