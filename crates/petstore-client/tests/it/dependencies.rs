//! Whoever depends on the client gets nothing of the server.
#![allow(clippy::unwrap_used)]

use std::process::Command;

/// Crates that the server is made of, and those of the generator.
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
fn the_client_brings_nothing_of_the_server() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--package", "petstore-client", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&tree.stderr);
    assert!(tree.status.success(), "{told}");
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
