//! The last lines of the log, for the page of the operator.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of lines that are kept.
const MAX_LINES: usize = 200;

/// The number of bytes of a line that are kept.
const MAX_LINE: usize = 1000;

/// The last lines, in the order in which they were written.
#[derive(Debug, Default)]
pub(super) struct Tail(Mutex<Lines>);

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<String>,
    /// How many lines there were in all.
    count: u64,
}

impl Tail {
    /// Adds whole lines, each with its end. The thread of the log calls it, so that no request waits for it.
    pub(super) fn add(&self, batch: &[u8]) {
        let count = batch.iter().filter(|byte| **byte == b'\n').count();
        let lines = batch.split(|byte| *byte == b'\n').take(count);
        let lines = lines.skip(count.saturating_sub(MAX_LINES)).map(|line| {
            let line = &line[..line.len().min(MAX_LINE)];
            String::from_utf8_lossy(line).into_owned()
        });
        let lines: Vec<String> = lines.collect();
        let mut state = self.lock();
        state.count += count as u64;
        state.lines.extend(lines);
        let surplus = state.lines.len().saturating_sub(MAX_LINES);
        state.lines.drain(..surplus);
    }

    /// The lines after the first `seen` that are still kept, and how many there were in all.
    pub(super) fn after(&self, seen: u64) -> (Vec<String>, u64) {
        let state = self.lock();
        let missing = state.count.saturating_sub(seen);
        let missing = usize::try_from(missing).unwrap_or(usize::MAX);
        let skipped = state.lines.len().saturating_sub(missing);
        let lines = state.lines.iter().skip(skipped).cloned();
        (lines.collect(), state.count)
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_in_order_up_to_their_number_and_length() {
        let tail = Tail::default();
        tail.add(b"one\ntwo\n");
        assert_eq!(tail.after(0), (vec!["one".to_owned(), "two".to_owned()], 2));
        assert_eq!(tail.after(1), (vec!["two".to_owned()], 2));
        assert_eq!(tail.after(2), (vec![], 2));
        let many: String = (0..300).map(|number| format!("{number}\n")).collect();
        tail.add(many.as_bytes());
        let (lines, count) = tail.after(2);
        assert_eq!((lines.len(), count), (MAX_LINES, 302));
        assert_eq!(lines[0], "100");
        tail.add(format!("{}\n", "x".repeat(5000)).as_bytes());
        assert_eq!(tail.after(302).0, ["x".repeat(MAX_LINE)]);
    }
}
