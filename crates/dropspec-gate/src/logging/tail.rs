//! The last lines of the log, for the page of the operator.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;

/// The number of lines that are kept.
const MAX_LINES: usize = 200;

/// The number of bytes of a line that are kept.
const MAX_LINE: usize = 1000;

/// The beginning of a line: its time and the name of the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStart {
    /// The time since 1970.
    pub time: Duration,
    /// The number of bytes.
    pub stamp: usize,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TailLine {
    /// The time since 1970.
    pub time: Duration,
    /// The line without its time and the name of the server.
    pub text: String,
}

/// The last lines, in the order in which they were written.
#[derive(Debug, Default)]
pub(super) struct Tail(Mutex<Lines>);

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<TailLine>,
    /// How many lines there were in all.
    count: u64,
}

impl Tail {
    /// Adds whole lines, each with its end, and their beginnings. The thread of the log calls it, so that no request waits
    /// for it.
    pub(super) fn add(&self, batch: &[u8], starts: &[LineStart]) {
        let skipped = starts.len().saturating_sub(MAX_LINES);
        let lines = batch.split(|byte| *byte == b'\n').zip(starts);
        let lines = lines.skip(skipped).map(|(line, start)| {
            let rest = line.get(start.stamp..).unwrap_or_default();
            // What separates the beginning from the rest; the rest of an object in JSON begins anew.
            let (open, rest) = match rest {
                [b',', rest @ ..] => ("{", rest),
                [b' ', rest @ ..] => ("", rest),
                rest => ("", rest),
            };
            let rest = &rest[..rest.len().min(MAX_LINE)];
            TailLine {
                time: start.time,
                text: format!("{open}{}", String::from_utf8_lossy(rest)),
            }
        });
        let lines: Vec<TailLine> = lines.collect();
        let mut state = self.0.lock();
        state.count += starts.len() as u64;
        state.lines.extend(lines);
        let surplus = state.lines.len().saturating_sub(MAX_LINES);
        state.lines.drain(..surplus);
    }

    /// The lines after the first `seen` that are still kept, and how many there were in all.
    pub(super) fn lines_after(&self, seen: u64) -> (Vec<TailLine>, u64) {
        let state = self.0.lock();
        let missing = state.count.saturating_sub(seen);
        let missing = usize::try_from(missing).unwrap_or(usize::MAX);
        let skipped = state.lines.len().saturating_sub(missing);
        let lines = state.lines.iter().skip(skipped).cloned();
        (lines.collect(), state.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds lines that begin with `T1`.
    fn add(tail: &Tail, batch: &str) {
        let start = LineStart {
            time: Duration::from_secs(1),
            stamp: 2,
        };
        let starts = vec![start; batch.lines().count()];
        tail.add(batch.as_bytes(), &starts);
    }

    fn texts(tail: &Tail, seen: u64) -> (Vec<String>, u64) {
        let (lines, count) = tail.lines_after(seen);
        let texts = lines.into_iter().map(|line| {
            assert_eq!(line.time, Duration::from_secs(1));
            line.text
        });
        (texts.collect(), count)
    }

    #[test]
    fn lines_are_kept_in_order_up_to_their_number_and_length() {
        let tail = Tail::default();
        add(&tail, "T1 one\nT1,\"two\":2}\n");
        let (one, two) = ("one".to_owned(), "{\"two\":2}".to_owned());
        assert_eq!(texts(&tail, 0), (vec![one, two.clone()], 2));
        assert_eq!(texts(&tail, 1), (vec![two], 2));
        assert_eq!(texts(&tail, 2), (vec![], 2));
        let many: String = (0..300).map(|number| format!("T1 {number}\n")).collect();
        add(&tail, &many);
        let (lines, count) = texts(&tail, 2);
        assert_eq!((lines.len(), count), (MAX_LINES, 302));
        assert_eq!(lines[0], "100");
        add(&tail, &format!("T1 {}\n", "x".repeat(5000)));
        assert_eq!(texts(&tail, 302).0, ["x".repeat(MAX_LINE)]);
    }
}
