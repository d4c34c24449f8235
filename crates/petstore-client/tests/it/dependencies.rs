//! The dependencies of the client.
#![allow(clippy::unwrap_used)]

use std::process::Command;

/// Crates of the server and of the generator.
const FOREIGN: [&str; 9] = [
    "dropshot",
    "jsonschema",
    "petstore-api",
    "petstore-server",
    "progenitor-impl",
    "r2d2",
    "rusqlite",
    "spec-codegen",
    "spec-runtime",
];

#[test]
fn depends_on_no_crate_of_the_server() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--package", "petstore-client", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&tree.stderr);
    assert!(tree.status.success(), "{stderr}");
    let tree = String::from_utf8(tree.stdout).unwrap();
    let names: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(
        names.contains(&"progenitor-client"),
        "this is the client's tree"
    );
    for name in FOREIGN {
        assert!(
            !names.contains(&name),
            "{name} is a dependency of the client"
        );
    }
}
