//! Who knows what, read from the source of the server: which parts may use SQL, HTTP and the clock.

use std::fs;
use std::path::Path;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// Words that give a knowledge away, and the modules that may have it.
const MAY_KNOW: [(&[&str], &[&str]); 3] = [
    // Another backend can stand beside the store, with the same rules.
    (&["rusqlite"], &["store"]),
    // What decides (the rules, `auth`, `rate_limit`, `store`) is not among them.
    (
        &["http::", "dropshot::", "hyper::"],
        &[
            "api",
            "error",
            "gate",
            "metrics",
            "panel",
            "reference",
            "server",
            "tls",
        ],
    ),
    // Everybody else is told what time it is.
    (&["::now()"], &["cli", "clock", "gate"]),
];

/// Every source file, as `store/pets.rs`, with its text.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            let name = path.strip_prefix(SOURCE).unwrap().display().to_string();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

#[test]
fn only_these_modules_know_sql_http_and_the_time() {
    let sources = sources(Path::new(SOURCE));
    for (words, modules) in MAY_KNOW {
        let mut knowing: Vec<&str> = sources
            .iter()
            .filter(|(_, text)| words.iter().any(|word| text.contains(word)))
            .map(|(name, _)| name.split(['/', '.']).next().unwrap())
            .collect();
        knowing.sort_unstable();
        knowing.dedup();
        assert_eq!(knowing, modules, "{words:?}");
    }
}
