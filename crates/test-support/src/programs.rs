//! Programs that some tests need, such as nginx. Without one, its test is skipped; in CI it fails.

use std::io::Write;
use std::process::{Command, Stdio};

/// With either variable set, a skipped test fails. `.ci/run` sets the latter, as it installs every program.
const STRICT: [&str; 2] = ["CI", "NO_SKIPPED_TESTS"];

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

/// Reports in one line that a test is skipped, even where the output of tests is captured.
///
/// # Panics
///
/// In CI, where no test may be skipped.
pub fn skip(test: &str, reason: &str) {
    let strict = STRICT.iter().any(|it| std::env::var_os(it).is_some());
    assert!(!strict, "{reason}, and no test may be skipped here");
    // Not `eprintln!`, which the test runner captures.
    let _ = writeln!(std::io::stderr(), "skipped: {test} ({reason})");
}
