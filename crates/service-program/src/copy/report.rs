//! The result of a copy, as JSON and as lines for people.

use std::fmt;

use serde::Serialize;

use super::transfer::{CopiedTable, Outcome};

/// The number of digits of a checksum that people see.
const SHOWN_DIGITS: usize = 16;

/// What the command prints.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) outcome: Outcome,
    pub(super) tables: Vec<CopiedTable>,
    pub(super) notes: Vec<String>,
    #[serde(skip)]
    pub(super) program: &'static str,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report {
            from, to, program, ..
        } = self;
        match self.outcome {
            Outcome::Copied => writeln!(f, "{from} is copied to {to}.")?,
            Outcome::WasComplete => {
                writeln!(f, "{from} was copied to {to} before; nothing was changed.")?
            }
        }
        writeln!(f, "Both have the same rows:\n")?;
        let names = self.tables.iter().map(|table| table.name.len());
        let width = names.max().unwrap_or(0).max(5);
        writeln!(
            f,
            "{:<width$}  {:>10}  {:>10}  SHA-256",
            "TABLE", "ROWS", "NEXT ID"
        )?;
        for table in &self.tables {
            let next_id = table
                .next_id
                .map_or_else(|| "-".to_owned(), |id| id.to_string());
            let digits = &table.sha256[..SHOWN_DIGITS];
            writeln!(
                f,
                "{:<width$}  {:>10}  {next_id:>10}  {digits}",
                table.name, table.rows
            )?;
        }
        for note in &self.notes {
            writeln!(f, "\n{note}")?;
        }
        writeln!(
            f,
            "\nThe source was not changed. Start no server on it again: `{program} serve --database` with the copy instead."
        )
    }
}
