//! Tests of `files`.

#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn failed_rename_names_replaced_and_unchanged_files_and_removes_temporary_ones() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let staged = ["a.rs", "b.rs", "c.rs"].map(|name| (path(&format!("{name}.new")), path(name)));
    for (temporary, path) in &staged {
        fs::write(temporary, "new").unwrap();
        fs::write(path, "old").unwrap();
    }
    let rename = |from: &Path, to: &Path| {
        if to.ends_with("b.rs") {
            Err(std::io::ErrorKind::StorageFull.into())
        } else {
            fs::rename(from, to)
        }
    };

    let error = replace_all(staged.to_vec(), rename)
        .unwrap_err()
        .to_string();

    let expected = format!(
        "cannot replace {b} (already replaced: {a}; unchanged: {b}, {c}; generate again once the cause is gone)",
        a = path("a.rs").display(),
        b = path("b.rs").display(),
        c = path("c.rs").display(),
    );
    assert_eq!(error, expected);
    let text = |name| fs::read_to_string(path(name)).unwrap();
    assert_eq!(
        [text("a.rs"), text("b.rs"), text("c.rs")],
        ["new", "old", "old"]
    );
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
}
