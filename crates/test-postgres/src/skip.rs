//! Tests that are skipped.

use std::io::Write;

/// With either variable set, a skipped test fails. `.ci/run` sets the latter, as it installs every program.
const STRICT: [&str; 2] = ["CI", "NO_SKIPPED_TESTS"];

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
