//! The lines that wait for the output, and the thread that writes them in batches.
//!
//! The thread is woken by the first line after a pause, gathers further ones for some milliseconds, and writes all of
//! them at once. So a line under load costs no system call. Warnings and errors are written at once.

use std::cell::Cell;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{io, mem, thread};

use parking_lot::{Condvar, Mutex};
use prometheus_client::metrics::counter::Counter;
use slog::Level;

use super::line::{Line, LineFormat, Stamp};
use super::tail::{LineStart, Tail};
use crate::logging::server_name::ServerName;

/// The lines that may wait, in bytes. Twice as many are in memory, as other ones may be being written.
const CAPACITY: usize = 2 << 20;

/// The part of [`CAPACITY`] that only warnings and errors may use.
const RESERVE: usize = 64 << 10;

/// How long lines are gathered before they are written.
const GATHER_TIME: Duration = Duration::from_millis(10);

/// So many bytes are written before [`GATHER_TIME`] is over.
const BATCH: usize = CAPACITY / 4;

/// The pause between two attempts to write to an output that failed.
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// The number of attempts while someone waits for the last lines.
const LAST_ATTEMPTS: u32 = 20;

/// A bounded queue of lines, and its thread. When it has been dropped, all lines are written.
pub(super) struct Queue {
    shared: Arc<Shared>,
}

struct Shared {
    format: LineFormat,
    dropped: Counter,
    tail: Tail,
    state: Mutex<State>,
    /// Wakes the thread.
    wake: Condvar,
    /// Wakes those who wait until lines are written.
    written: Condvar,
}

#[derive(Default)]
struct State {
    lines: Vec<u8>,
    /// The beginning of each line.
    starts: Vec<LineStart>,
    stamp: Stamp,
    /// The number of lines that were dropped and not reported.
    unreported: u64,
    /// Whether the lines are to be written at once.
    urgent: bool,
    batches_taken: u64,
    batches_written: u64,
    /// The number of callers that wait until lines are written.
    waiting: u32,
    closed: bool,
}

thread_local! {
    /// The buffer in which a thread formats its lines, so that it is allocated once.
    static LINE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Queue {
    /// Starts the thread, which writes to this output. The lines name the server, if it has a name. `dropped` counts the lines for which there is no room.
    pub(super) fn start(
        format: LineFormat,
        output: impl Write + Send + 'static,
        server: Option<&ServerName>,
        dropped: Counter,
    ) -> io::Result<Queue> {
        let shared = Arc::new(Shared {
            format,
            dropped,
            tail: Tail::default(),
            state: Mutex::new(State {
                stamp: Stamp::new(format, server),
                ..State::default()
            }),
            wake: Condvar::new(),
            written: Condvar::new(),
        });
        let writer = Arc::clone(&shared);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || writer.write_until_closed(output))?;
        Ok(Queue { shared })
    }

    pub(super) fn format(&self) -> LineFormat {
        self.shared.format
    }

    /// The last lines.
    pub(super) fn tail(&self) -> &Tail {
        &self.shared.tail
    }

    /// Adds a line of this severity. `write` writes it without its time.
    pub(super) fn push(&self, level: Level, write: impl FnOnce(&mut Vec<u8>)) {
        // It is taken, as a value may log while it is formatted. A thread that ends has none.
        let mut line = LINE.try_with(Cell::take).unwrap_or_default();
        line.clear();
        write(&mut line);
        self.shared.push(&line, level.is_at_least(Level::Warning));
        let _ = LINE.try_with(|it| it.set(line));
    }

    /// Waits until all lines are written. If the output fails, a few attempts are made; if it blocks, this blocks.
    pub(super) fn flush(&self) {
        let mut state = self.shared.state.lock();
        let last = state.batches_taken + u64::from(!state.lines.is_empty());
        state.waiting += 1;
        state.urgent = true;
        self.shared.wake.notify_one();
        let written = &self.shared.written;
        written.wait_while(&mut state, |state| state.batches_written < last);
        state.waiting -= 1;
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.state.lock().closed = true;
        self.flush();
    }
}

impl Shared {
    fn push(&self, line: &[u8], urgent: bool) {
        let mut state = self.state.lock();
        let capacity = if urgent { CAPACITY } else { CAPACITY - RESERVE };
        if state.lines.len() + line.len() > capacity {
            state.unreported += 1;
            drop(state);
            self.dropped.inc();
            return;
        }
        // The first line wakes the thread, which gathers more, and the one that completes a batch.
        let (is_first, was_complete) = (state.lines.is_empty(), state.is_batch_complete());
        // Under the lock, so that the lines are in the order of their times.
        state.begin_line(self.format);
        state.lines.extend_from_slice(line);
        state.urgent |= urgent;
        if is_first || (state.is_batch_complete() && !was_complete) {
            drop(state);
            self.wake.notify_one();
        }
    }

    fn write_until_closed(&self, mut output: impl Write) {
        let (mut batch, mut starts) = (Vec::new(), Vec::new());
        while self.take_batch(&mut batch, &mut starts) {
            self.tail.add(&batch, &starts);
            self.write(&mut output, &batch);
            batch.clear();
            starts.clear();
            let mut state = self.state.lock();
            state.batches_written = state.batches_taken;
            if state.waiting > 0 {
                self.written.notify_all();
            }
        }
    }

    /// Waits for lines, and exchanges them for the empty `batch`, and their beginnings for the empty `starts`. Returns false
    /// if there will be no more lines.
    fn take_batch(&self, batch: &mut Vec<u8>, starts: &mut Vec<LineStart>) -> bool {
        let mut state = self.state.lock();
        let is_idle = |state: &mut State| state.lines.is_empty() && !state.closed;
        self.wake.wait_while(&mut state, is_idle);
        if state.lines.is_empty() {
            return false;
        }
        let gathers = |state: &mut State| !state.is_batch_complete();
        self.wake.wait_while_for(&mut state, gathers, GATHER_TIME);
        state.urgent = false;
        state.batches_taken += 1;
        let unreported = mem::take(&mut state.unreported);
        if unreported > 0 {
            // The lines that had no room came after those of the batch.
            self.report_dropped(unreported, &mut state);
        }
        mem::swap(&mut state.lines, batch);
        mem::swap(&mut state.starts, starts);
        true
    }

    fn report_dropped(&self, lines: u64, state: &mut State) {
        state.begin_line(self.format);
        let message = format_args!("log lines were dropped, because standard error is too slow");
        let mut line = Line::begin(self.format, &mut state.lines, Level::Warning, &message);
        line.number("lines", lines);
        line.end();
    }

    /// Writes a batch. While the output fails, for example because its disk is full, the batch is kept and written again,
    /// as a line would be incomplete otherwise; further lines wait in the queue or are dropped.
    fn write(&self, output: &mut impl Write, batch: &[u8]) {
        let mut rest = batch;
        let mut attempts = 0;
        while !rest.is_empty() {
            match output.write(rest) {
                Ok(written) if written > 0 => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => {
                    let state = self.state.lock();
                    let is_last = state.closed || state.waiting > 0;
                    drop(state);
                    attempts += u32::from(is_last);
                    if attempts > LAST_ATTEMPTS {
                        let lines = rest.iter().filter(|byte| **byte == b'\n');
                        self.dropped.inc_by(lines.count() as u64);
                        return;
                    }
                    thread::sleep(RETRY_PAUSE);
                }
            }
        }
        // Standard error has no buffer; another output may.
        let _ = output.flush();
    }
}

impl State {
    /// Begins a line with the time.
    fn begin_line(&mut self, format: LineFormat) {
        let (time, before) = (time_of_day(), self.lines.len());
        self.stamp.write(format, time, &mut self.lines);
        self.starts.push(LineStart {
            time,
            stamp: self.lines.len() - before,
        });
    }

    /// Whether the lines are to be written without waiting for more.
    fn is_batch_complete(&self) -> bool {
        self.urgent || self.closed || self.lines.len() >= BATCH
    }
}

/// The time since 1970.
fn time_of_day() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default()
}
