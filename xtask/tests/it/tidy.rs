//! The shape of the repository: how many lines are written by hand, how long files are, and who imports whom.

mod imports;
mod layers;
mod lines;
mod links;
mod sources;

use std::collections::BTreeMap;

use self::sources::{Kind, Source, files, root, sources};

/// A longer file has more than one job.
const MOST_LINES: usize = 300;

/// Fails with a list of what breaks a rule.
fn expect_none(rule: &str, found: &[String]) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

#[test]
fn hand_written_lines_of_each_crate_are_within_their_bounds() {
    let mut counts = lines::Lines::default();
    for source in sources() {
        let (place, tests) = (source.place(), source.test_lines());
        counts.add(&place, source.lines() - tests, tests);
    }
    let excess = lines::Lines::read().exceeded_by(&counts);
    let rule = format!(
        "lines.toml allows fewer hand-written lines. Delete what is double, or change the file in this commit and say in \
         its title why it grows. After `cargo fmt` its tables are:\n{counts}\nToo many"
    );
    expect_none(&rule, &excess);
}

#[test]
fn no_source_file_is_long() {
    let known = lines::Lines::read().long_files;
    let bound = |path: &str| known.get(path).copied().unwrap_or(MOST_LINES);
    let rust = sources()
        .into_iter()
        .filter(|source| source.is_rust() && source.kind == Kind::Source);
    let lengths: BTreeMap<String, usize> = rust
        .map(|source| {
            let lines = source.lines();
            (source.path, lines)
        })
        .collect();
    let long = lengths.iter().filter(|(path, lines)| **lines > bound(path));
    let long = long.map(|(path, lines)| format!("{path}: {lines} lines, allowed {}", bound(path)));
    let short = |path: &String| lengths.get(path).is_none_or(|lines| *lines <= MOST_LINES);
    let outdated = known.keys().filter(|path| short(path));
    let outdated =
        outdated.map(|path| format!("{path}: take it out of `long_files` in lines.toml"));
    expect_none(
        &format!("files of more than {MOST_LINES} lines; divide them by their jobs"),
        &long.chain(outdated).collect::<Vec<_>>(),
    );
}

#[test]
fn every_module_says_what_it_is_for() {
    let found = sources()
        .into_iter()
        .filter(|source| source.is_rust() && !source.is_template() && !source.has_module_docs())
        .map(|source| source.path);
    expect_none(
        "files that do not open with `//!`",
        &found.collect::<Vec<_>>(),
    );
}

#[test]
fn modules_of_a_crate_do_not_import_each_other_in_cycles() {
    let mut crates: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for source in sources() {
        let is_module = source.is_rust() && source.path.contains("/src/");
        if is_module && source.kind == Kind::Source && !source.is_template() {
            crates.entry(source.place()).or_default().push(source);
        }
    }
    let cycles = crates
        .iter()
        .flat_map(|(place, sources)| imports::cycles(place, sources));
    expect_none(
        "modules that import each other; move what both need into a module of its own",
        &cycles.collect::<Vec<_>>(),
    );
}

#[test]
fn no_crate_names_a_crate_above_it() {
    expect_none(
        "crates that name one which ARCHITECTURE.md lists above them",
        &layers::upward_names(&sources()),
    );
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    // The pages that new workspaces get have links of their own, and links in another folder are the same pages.
    let is_page = |path: &String| {
        let is_link = root().join(path).is_symlink();
        path.ends_with(".md") && !path.contains("/templates/") && !is_link
    };
    let pages: Vec<String> = files().into_iter().filter(is_page).collect();
    let book = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let is_missing = |page: &str| page != "SUMMARY.md" && !book.contains(&format!("({page})"));
    let documentation = pages.iter().filter_map(|path| path.strip_prefix("docs/"));
    let missing = documentation.filter(|page| is_missing(page));
    let missing: Vec<String> = missing.map(str::to_owned).collect();
    expect_none("pages that docs/SUMMARY.md does not name", &missing);
    expect_none("links that lead nowhere", &links::broken(&root(), &pages));
}
