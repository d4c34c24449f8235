//! Lines that show the progress of a copy to an operator who waits: one every few seconds.

use std::fmt;
use std::io::Write;
use std::time::Duration;

/// The time between two lines.
const INTERVAL: Duration = Duration::from_secs(3);

/// The rows between two readings of the clock.
const ROWS_UNCHECKED: u64 = 1_000;

/// What is done with the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Whether both engines can store the source's rows.
    Check,
    /// The target gets the source's rows, after those that it has.
    Copy,
    /// Both sides are read again.
    Compare,
}

/// Writes the lines to `out`. `clock` is the time since the command started.
pub(super) struct ProgressLines<W, C> {
    out: W,
    clock: C,
    shown: Duration,
}

impl<W: Write, C: Fn() -> Duration> ProgressLines<W, C> {
    pub(super) fn new(out: W, clock: C) -> ProgressLines<W, C> {
        ProgressLines {
            out,
            shown: clock(),
            clock,
        }
    }

    /// Notes that so many rows of a table are done.
    pub(super) fn note(&mut self, step: Step, table: &str, rows: u64) {
        if !rows.is_multiple_of(ROWS_UNCHECKED) {
            return;
        }
        let now = (self.clock)();
        if now.saturating_sub(self.shown) >= INTERVAL {
            self.shown = now;
            // Whether it is shown must not decide whether the copy succeeds.
            let _ = writeln!(self.out, "{step} {table}: {rows} rows so far");
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Check => "checking",
            Step::Copy => "copying",
            Step::Compare => "comparing",
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::cell::Cell;

    use super::*;

    #[test]
    fn line_is_written_every_few_seconds() {
        let (time, mut out) = (Cell::new(Duration::ZERO), Vec::new());
        let mut lines = ProgressLines::new(&mut out, || time.get());
        for (seconds, step, rows) in [
            (2, Step::Check, 1_000),
            (3, Step::Check, 2_500),
            (4, Step::Check, 3_000),
            (6, Step::Copy, 1_000),
            (7, Step::Copy, 2_000),
            (60, Step::Compare, 5_000),
        ] {
            time.set(Duration::from_secs(seconds));
            lines.note(step, "pets", rows);
        }
        let expected = "checking pets: 3000 rows so far\ncopying pets: 2000 rows so far\ncomparing pets: 5000 rows so far\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
