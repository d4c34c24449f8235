//! Which modules may use SQL, HTTP and the clock, checked in the source of the server and of its kit. That the limiter knows
//! neither SQL nor HTTP, its dependencies show.

use std::fs;
use std::path::Path;

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A crate, words that show what a module uses, and the modules that may use it.
const MAY_USE: [(&str, &[&str], &[&str]); 10] = [
    // The rules do not depend on the database.
    ("petstore-server", &["rusqlite"], &["store"]),
    // The limiter and authentication compile without a database.
    (
        "dropspec-gate",
        &["rusqlite", "dropspec_store::sqlite"],
        &["api_keys", "database"],
    ),
    ("petstore-server", &["http::", "dropshot::"], &["api"]),
    (
        "dropspec-gate",
        &["http::", "dropshot::"],
        &[
            "auth",
            "cors",
            "error",
            "gate",
            "metrics",
            "reference",
            "traces",
        ],
    ),
    // The commands of the operator read the clock; all other modules get the time as an argument.
    ("petstore-server", &["::now()"], &[]),
    (
        "dropspec-gate",
        &["::now()"],
        &["api_keys", "gate", "logging"],
    ),
    (
        "dropspec-gate",
        &["Utc::now()", "SystemTime::now()"],
        &["logging"],
    ),
    ("dropspec-rate-limit", &["http::", "dropshot::"], &[]),
    (
        "dropspec-rate-limit",
        &["rusqlite", "dropspec_store::sqlite"],
        &[],
    ),
    // The limiter only measures how long it waits for the ledger, and keys on a server how old they are.
    (
        "dropspec-rate-limit",
        &["Utc::now()", "SystemTime::now()"],
        &["clock"],
    ),
];

/// Every source file below `folder`, as the name of its module in `source` and its text.
fn read_sources(source: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(read_sources(source, &path));
        } else {
            let name = path.strip_prefix(source).unwrap().display().to_string();
            let module = name.split(['/', '.']).next().unwrap().to_owned();
            found.push((module, fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

#[test]
fn sql_http_and_clock_are_used_only_by_the_listed_modules() {
    for (package, words, modules) in MAY_USE {
        let source = Path::new(CRATES).join(package).join("src");
        let mut using: Vec<String> = read_sources(&source, &source)
            .into_iter()
            .filter(|(_, text)| words.iter().any(|word| text.contains(word)))
            .map(|(module, _)| module)
            .collect();
        using.sort_unstable();
        using.dedup();
        assert_eq!(using, modules, "{package}: {words:?}");
    }
}
