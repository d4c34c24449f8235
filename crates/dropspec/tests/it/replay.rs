//! The servers of the replayed exchanges are what is generated from their documents.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

#[test]
fn both_versions_of_the_replayed_interface_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/replay");
    for version in ["before", "after"] {
        let mut generate = Command::new(env!("CARGO_BIN_EXE_dropspec"));
        generate.args(["generate", "--check"]);
        let output = generate.current_dir(folder.join(version)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "run `dropspec generate` in tests/replay/{version}: {said}"
        );
    }
}
