//! The shape of the repository: how many lines are written by hand, how long files are, and who imports whom.

mod imports;
mod layers;
mod lines;
mod sources;

use std::collections::BTreeMap;

use self::sources::{Kind, Source, sources};

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
         its title why it grows. The counts are now:\n{counts}\nToo many"
    );
    expect_none(&rule, &excess);
}

#[test]
fn no_source_file_is_long() {
    let long = |source: &Source| source.kind == Kind::Source && source.lines() > MOST_LINES;
    let found = sources()
        .into_iter()
        .filter(|source| source.is_rust() && long(source))
        .map(|source| format!("{}: {} lines", source.path, source.lines()));
    expect_none(
        &format!("files of more than {MOST_LINES} lines; divide them by their jobs"),
        &found.collect::<Vec<_>>(),
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
