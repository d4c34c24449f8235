//! How wide a table may be, and how its cells are cut.

use std::io;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How wide a table may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// As wide as its cells: for files and programs.
    #[default]
    Unlimited,
    /// At most so many columns of a terminal, in which longer lines would wrap.
    Columns(usize),
}

impl Width {
    /// That of standard output: limited if it is a terminal.
    pub fn of_stdout() -> Width {
        match terminal_size::terminal_size_of(io::stdout()) {
            Some((terminal_size::Width(columns), _)) if columns > 0 => {
                Width::Columns(columns.into())
            }
            _ => Width::Unlimited,
        }
    }

    /// Whether a line of so many columns fits.
    pub(crate) fn fits(self, columns: usize) -> bool {
        match self {
            Width::Unlimited => true,
            Width::Columns(most) => columns <= most,
        }
    }
}

/// A cell of exactly this width: filled with spaces, or cut, which `…` shows.
pub(crate) fn fit(cell: &str, width: usize) -> String {
    let own = cell.width();
    if own <= width {
        return format!("{cell}{}", " ".repeat(width - own));
    }
    let mut text = String::new();
    let mut left = width.saturating_sub(1);
    for c in cell.chars() {
        let columns = c.width().unwrap_or(0);
        if columns > left {
            break;
        }
        left -= columns;
        text.push(c);
    }
    // A wide character that is left out leaves half of its place.
    format!("{text}…{}", " ".repeat(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_filled_or_cut_by_their_width_on_the_screen() {
        for (cell, width, expected) in [
            ("abc", 5, "abc  "),
            ("abcdef", 4, "abc…"),
            ("猫猫猫", 4, "猫… "),
            ("猫", 2, "猫"),
            ("Re\u{301}ne\u{301}e", 4, "Re\u{301}n…"),
        ] {
            assert_eq!(fit(cell, width), expected);
            assert_eq!(fit(cell, width).width(), width);
        }
    }
}
