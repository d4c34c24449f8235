//! The servers of the replayed exchanges, and both sides of the streams, are what is generated from their documents.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

#[test]
fn interfaces_of_the_tests_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    for version in ["replay/before", "replay/after", "streams"] {
        let mut generate = Command::new(env!("CARGO_BIN_EXE_dropspec"));
        generate.args(["generate", "--check"]);
        let output = generate.current_dir(folder.join(version)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "run `dropspec generate` in tests/{version}: {said}"
        );
    }
}
