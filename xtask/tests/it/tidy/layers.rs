//! The order of the crates in ARCHITECTURE.md: a crate names only those that are listed below it.

use super::sources::{Kind, Source, root};

/// The crates in the order of the table, by their folders.
fn listed() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let cells = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let folders: Vec<String> = cells
        .flat_map(|line| line.split(" | ").next().unwrap_or_default().split(", "))
        .map(|cell| cell.trim_matches(['`', ' ', '|']).to_owned())
        .filter(|cell| {
            cell.strip_prefix("crates/")
                .is_some_and(|it| !it.contains('/'))
        })
        .collect();
    assert!(folders.len() > 5, "the table of the parts lists the crates");
    folders
}

/// The places in source files and manifests where a crate names one above it.
pub fn upward_names(sources: &[Source]) -> Vec<String> {
    let order = listed();
    let mut found = Vec::new();
    for (position, folder) in order.iter().enumerate() {
        let above: Vec<(String, String)> = order[..position].iter().map(|it| names(it)).collect();
        let own = sources
            .iter()
            .filter(|it| it.kind == Kind::Source && it.place() == *folder && it.is_rust());
        let manifest = root().join(folder).join("Cargo.toml");
        let manifest = std::fs::read_to_string(&manifest).expect("a crate has a manifest");
        let manifest = manifest
            .split("[dev-dependencies]")
            .next()
            .unwrap_or_default();
        let texts = own.map(|it| (it.path.as_str(), it.without_tests()));
        for (path, text) in texts.chain([("Cargo.toml", manifest)]) {
            for (name, ident) in &above {
                // Without a hyphen it is also the name of a program, which messages may mention.
                let is_named = if name.contains('-') {
                    contains_word(text, name) || contains_word(text, ident)
                } else {
                    text.contains(&format!("{name}::")) || text.contains(&format!("{name}."))
                };
                if is_named {
                    found.push(format!("{folder}: {path} names {name}"));
                }
            }
        }
    }
    for source in sources {
        let place = source.place();
        if place.starts_with("crates/") && !order.contains(&place) {
            found.push(format!("{place}: the table does not list it"));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The name of a crate in manifests, and in Rust.
fn names(folder: &str) -> (String, String) {
    let name = folder.trim_start_matches("crates/").to_owned();
    let ident = name.replace('-', "_");
    (name, ident)
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let after = text[at + word.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}
