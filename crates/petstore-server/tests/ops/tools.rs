//! Programs of the system that some tests need. A person's machine may lack them; CI must not.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether a program is missing, so that the test has to be skipped. It says so in one line, even where the output
/// of tests is captured.
///
/// # Panics
///
/// When it is missing under CI, where a skipped test is a failed one.
pub fn missing(programs: &[&str], test: &str) -> bool {
    let absent = programs.iter().find(|program| {
        let asked = Command::new(program)
            .arg("-v")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        asked.is_err()
    });
    let Some(program) = absent else { return false };
    assert!(
        std::env::var_os("CI").is_none(),
        "{program} is not installed, and CI skips no test"
    );
    // Not eprintln, which the test harness captures.
    // Not `eprintln!`, which the test runner keeps to itself.
    let _ = writeln!(
        std::io::stderr(),
        "skipped: {test} ({program} is not installed)"
    );
    true
}
