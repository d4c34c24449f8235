//! Programs that some tests need, such as nginx. Without one, its test is skipped; in CI it fails.

use std::process::{Command, Stdio};

pub use test_postgres::skip;

/// Whether a program is missing; then the test is reported as skipped and must return.
///
/// # Panics
///
/// See [`skip`].
pub fn are_missing(programs: &[&str], test: &str) -> bool {
    let missing = programs.iter().find(|program| {
        let version = Command::new(program)
            .arg("-v")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        version.is_err()
    });
    if let Some(program) = missing {
        skip(test, &format!("{program} is not installed"));
    }
    missing.is_some()
}
