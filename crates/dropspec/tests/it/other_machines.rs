//! What a new workspace says of other machines: its CI file and its README.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::checkout::SPEC;
use crate::made::{dropspec, text};

#[test]
fn toolchain_of_this_machine_is_told_apart_from_one_in_git() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.yaml"), SPEC).unwrap();
    let make = |name: &str, more: &[&str]| {
        let arguments = [&["new", name, "--spec", "a.yaml"], more].concat();
        let output = dropspec(folder.path(), &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let read = |file: &str| fs::read_to_string(folder.path().join(name).join(file)).unwrap();
        (read("README.md"), read(".github/workflows/ci.yml"))
    };
    let install = "- run: cargo install --locked --debug --git ";
    let section = "\n### On another machine\n";

    let (readme, ci) = make("near", &[]);
    assert!(
        ci.contains("\"On another machine\" in README.md") && !ci.contains(install),
        "{ci}"
    );
    let (_, steps) = readme.split_once(section).unwrap();
    let manifest = fs::read_to_string(folder.path().join("near/Cargo.toml")).unwrap();
    let (_, place) = steps.split_once("for each `").unwrap();
    let (place, _) = place.split_once('…').unwrap();
    assert!(manifest.contains(place), "{place} is in {manifest}");

    let url = "https://example.com/toolchain.git";
    let (readme, ci) = make("far", &["--toolchain", url]);
    assert!(!readme.contains(section), "{readme}");
    assert!(ci.contains(&format!("{install}{url} dropspec\n")), "{ci}");
}
