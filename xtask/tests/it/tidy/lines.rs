//! `lines.toml`: how many hand-written lines each crate may have.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::sources::root;

/// Lines of source and of tests, by crate or folder.
#[derive(Debug, Default, Deserialize)]
pub struct Lines {
    source: BTreeMap<String, usize>,
    tests: BTreeMap<String, usize>,
    /// Files that are longer than others may be. The list only shrinks.
    #[serde(default)]
    pub long_files: BTreeMap<String, usize>,
}

impl Lines {
    /// Reads the bounds.
    pub fn read() -> Self {
        let text = std::fs::read_to_string(root().join("lines.toml")).expect("lines.toml");
        toml::from_str(&text).expect("two tables of numbers")
    }

    /// Adds the lines of a file.
    pub fn add(&mut self, place: &str, source: usize, tests: usize) {
        *self.source.entry(place.to_owned()).or_default() += source;
        *self.tests.entry(place.to_owned()).or_default() += tests;
    }

    /// What has more lines than these bounds allow.
    pub fn exceeded_by(&self, counts: &Lines) -> Vec<String> {
        let tables = [
            ("lines of source", &self.source, &counts.source),
            ("lines of tests", &self.tests, &counts.tests),
        ];
        let mut excess = Vec::new();
        for (what, bounds, counts) in tables {
            for (place, count) in counts {
                let bound = bounds.get(place).copied().unwrap_or_default();
                if *count > bound {
                    excess.push(format!("{place}: {count} {what}, allowed {bound}"));
                }
            }
        }
        excess
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, table) in [("source", &self.source), ("tests", &self.tests)] {
            let total: usize = table.values().sum();
            writeln!(f, "\n# {total} in all\n[{name}]")?;
            for (place, count) in table.iter().filter(|(_, count)| **count > 0) {
                writeln!(f, "\"{place}\" = {count}")?;
            }
        }
        Ok(())
    }
}
