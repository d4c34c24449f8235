//! Columns of text, which fit a terminal.

use std::io::{self, Write};

/// The space between two columns.
const GAP: usize = 2;

/// A column that can be cut is not made narrower than this while another one can be left out.
const CUT: usize = 16;

/// The narrowest column that was cut.
const LEAST: usize = 6;

/// A column with its head.
pub(super) struct Column {
    pub(super) head: &'static str,
    pub(super) cells: Vec<String>,
    pub(super) fit: Fit,
}

/// What becomes of a column on a terminal that is too narrow for all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It stays as it is.
    Stays,
    /// Its cells are cut.
    Cut,
    /// It is left out, the one with the largest number first.
    LeftOut(u8),
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.chars().count());
        // What people write is shorter; a wider column cannot be formatted.
        cells.max().unwrap_or(0).max(self.head.len()).min(1000)
    }

    fn least_width(&self) -> usize {
        match self.fit {
            Fit::Cut => self.width().min(CUT),
            Fit::Stays | Fit::LeftOut(_) => self.width(),
        }
    }
}

/// Writes columns of the same length, at most `columns` wide if it is given.
pub(super) fn write_table(
    mut table: Vec<Column>,
    columns: Option<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    let columns = columns.unwrap_or(usize::MAX);
    let total = |widths: &[usize]| widths.iter().map(|it| it + GAP).sum::<usize>() - GAP;
    let least = |table: &[Column]| table.iter().map(Column::least_width).collect::<Vec<_>>();
    while total(&least(&table)) > columns
        && let Some(index) = (0..table.len()).max_by_key(|index| table[*index].fit)
        && matches!(table[index].fit, Fit::LeftOut(_))
    {
        table.remove(index);
    }
    let mut widths: Vec<usize> = table.iter().map(Column::width).collect();
    while total(&widths) > columns
        && let Some(widest) = (0..table.len())
            .filter(|index| table[*index].fit == Fit::Cut && widths[*index] > LEAST)
            .max_by_key(|index| widths[*index])
    {
        widths[widest] -= 1;
    }
    let rows = table.first().map_or(0, |column| column.cells.len());
    for row in 0..=rows {
        let cells = table.iter().zip(&widths).map(|(column, width)| {
            let cell = match row.checked_sub(1) {
                None => column.head,
                Some(row) => &column.cells[row],
            };
            format!("{:<width$}", cut(cell, *width))
        });
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The text without characters that steer a terminal.
pub(super) fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// The text, or as much of it as fits; without characters that steer a terminal.
fn cut(text: &str, width: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= width {
        return text;
    }
    let start: String = text.chars().take(width.saturating_sub(1)).collect();
    start + "…"
}
