//! The command `copy` and databases for it.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use test_support::{ServerProcess, Storage, run_petstore};

/// Runs the command in a directory.
pub fn copy(directory: &Path, from: &str, to: &str) -> Output {
    let arguments = ["copy", "--json", "--from", from, "--to", to];
    run_petstore(directory, &arguments)
}

/// Runs the command, expects success, and returns its report.
pub fn copied(directory: &Path, from: &str, to: &str) -> Value {
    let output = copy(directory, from, to);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{from} to {to}: {stderr}");
    assert_eq!(stderr, "");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A stopped database, as a server leaves it.
pub fn stopped_database() -> Storage {
    let server = ServerProcess::start_on_file();
    server.create_category("Cat");
    server.stop()
}
