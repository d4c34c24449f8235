//! Programs of the system that some tests need. A person's machine may lack them; CI must not.

use std::io::Write;
use std::process::{Command, Stdio};

/// Either says that a skipped test is a failed one; `.ci/run` sets the latter, as it installs all that is needed.
const STRICT: [&str; 2] = ["CI", "NO_SKIPPED_TESTS"];

/// Whether a program is missing, so that the test has to be skipped.
///
/// # Panics
///
/// See [`skip`].
pub fn missing(programs: &[&str], test: &str) -> bool {
    let absent = programs.iter().find(|program| {
        let asked = Command::new(program)
            .arg("-v")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        asked.is_err()
    });
    if let Some(program) = absent {
        skip(test, &format!("{program} is not installed"));
    }
    absent.is_some()
}

/// Says in one line that a test is skipped, even where the output of tests is captured.
///
/// # Panics
///
/// In CI, where nothing is to be skipped.
pub fn skip(test: &str, reason: &str) {
    let strict = STRICT.iter().any(|it| std::env::var_os(it).is_some());
    assert!(!strict, "{reason}, and here no test is to be skipped");
    // Not `eprintln!`, which the test runner keeps to itself.
    let _ = writeln!(std::io::stderr(), "skipped: {test} ({reason})");
}
