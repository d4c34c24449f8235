//! The writer's thread: runs batches of jobs, commits, and stops after a failure of the disk.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::{Connection, ErrorCode};
use tokio::sync::mpsc;

use super::{Message, WriterError, WriterFiles};
use crate::EngineError;
use crate::sqlite::config::EngineConfig;
use crate::sqlite::fault::Fault;
use crate::sqlite::health::Health;
use crate::sqlite::job::Job;
use crate::sqlite::stats::Counters;

/// Number of pages in the log from which on the writer waits for readers, so that the log starts anew: 64 MiB. Without
/// this, the log grows as long as some reader always uses it.
pub(super) const LONG_LOG_PAGES: i64 = 16_000;

/// What the writer's thread owns: its files, the counters, and its limits.
pub(super) struct WriterThread {
    pub(super) files: WriterFiles,
    pub(super) health: Arc<Health>,
    counters: Arc<Counters>,
    max_batch: usize,
    pub(super) checkpoint_pages: u32,
    /// Length of the log, in pages, at which the writer waits for readers.
    pub(super) long_log: i64,
}

/// What the thread leaves: its files, and whether the log was copied into the database.
pub(super) struct Ended {
    pub(super) files: WriterFiles,
    pub(super) result: Result<(), EngineError>,
}

/// Why a transaction was not committed.
enum Failure {
    /// Only because its last job failed after it had changed rows.
    Job,
    /// It failed as a whole, and so do its jobs.
    Transaction(EngineError),
}

impl<E: Into<EngineError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Transaction(error.into())
    }
}

impl WriterThread {
    pub(super) fn new(
        files: WriterFiles,
        health: Arc<Health>,
        counters: Arc<Counters>,
        config: &EngineConfig,
    ) -> WriterThread {
        WriterThread {
            files,
            health,
            counters,
            max_batch: config.max_batch.max(1),
            checkpoint_pages: config.checkpoint_pages,
            long_log: LONG_LOG_PAGES,
        }
    }

    /// Runs jobs until the queue is closed and empty, then checkpoints the log.
    pub(super) fn run(mut self, mut queue: mpsc::Receiver<Message>) -> Ended {
        while let Some(first) = queue.blocking_recv() {
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Message::Run(job) => batch.push(job),
                    // Before each batch, an empty one included.
                    Message::CheckFiles => {}
                    // Queued jobs still run; new ones are rejected.
                    Message::Close => queue.close(),
                }
                next = if batch.len() < self.max_batch {
                    queue.try_recv().ok()
                } else {
                    None
                };
            }
            self.run_batch(batch);
            self.limit_log();
            if self.health.fault().is_some_and(|it| it.stops_reads()) {
                queue.close();
            }
        }
        let result = self.end();
        Ended {
            files: self.files,
            result,
        }
    }

    /// Runs the jobs of a batch in one transaction, and replies to each. If the transaction fails, the jobs that have not
    /// run yet run in another one. If only a job failed that has changed rows, those before it run again in a transaction
    /// without it, and it begins the next one: the first job of a transaction is undone alone.
    fn run_batch(&self, mut batch: Vec<Box<dyn Job>>) {
        // Callers that gave up must not make others wait for a lock.
        batch.retain(|job| !job.claim().is_cancelled());
        let mut waiting = VecDeque::from(batch);
        let mut most = usize::MAX;
        loop {
            if let Some(fault) = self.check_files() {
                let waiting = waiting.into_iter();
                waiting.for_each(|job| job.reply_error(fault.clone().into()));
                return;
            }
            if waiting.is_empty() {
                return;
            }
            let mut ran = Vec::with_capacity(waiting.len());
            let result = self.run_transaction(&mut waiting, most, &mut ran);
            most = usize::MAX;
            match result {
                Ok(()) => {
                    self.counters.count_commit(ran.len());
                    ran.into_iter().for_each(Job::reply);
                }
                Err(Failure::Job) if ran.len() == 1 => ran.into_iter().for_each(Job::reply),
                Err(Failure::Job) => {
                    most = ran.len() - 1;
                    ran.extend(waiting);
                    waiting = VecDeque::from(ran);
                }
                Err(Failure::Transaction(error)) => {
                    match &error {
                        EngineError::OutcomeUnknown(_) => {
                            self.counters.count_outcome_unknown(ran.len());
                        }
                        _ => self.counters.count_rollback(),
                    }
                    ran.into_iter()
                        .for_each(|job| job.reply_error(error.clone()));
                }
            }
        }
    }

    /// Moves at most so many jobs from `waiting` to `ran`, runs them in one transaction, and commits it. On failure none of the
    /// jobs in `ran` may reply with its result, not even with its own error: it has read a state that was rolled back, or that
    /// may be lost. Jobs in `waiting` run in another transaction.
    fn run_transaction(
        &self,
        waiting: &mut VecDeque<Box<dyn Job>>,
        most: usize,
        ran: &mut Vec<Box<dyn Job>>,
    ) -> Result<(), Failure> {
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            ran.extend(waiting.drain(..));
            return Err(Failure::from(error));
        }
        while ran.len() < most
            && let Some(mut job) = waiting.pop_front()
        {
            if !job.claim().begin() {
                continue;
            }
            match self.run_job(&mut *job) {
                Ok(()) => ran.push(job),
                Err(failure) => {
                    self.roll_back();
                    match &failure {
                        Failure::Job => ran.push(job),
                        Failure::Transaction(error) => job.reply_own_error(error.clone()),
                    }
                    return Err(failure);
                }
            }
        }
        Ok(self.commit()?)
    }

    /// Runs one job. There is nothing to undo if it fails without a change, as most failed jobs do: savepoints would cost a
    /// third of a write.
    fn run_job(&self, job: &mut dyn Job) -> Result<(), Failure> {
        let connection = &self.files.connection;
        let before = connection.total_changes();
        let has_succeeded = job.run(connection);
        // On some errors, such as a full disk, SQLite rolls back the whole transaction. Then the earlier jobs of the
        // transaction must fail, too.
        if connection.is_autocommit() {
            Err(EngineError::unavailable(WriterError::RolledBack).into())
        } else if has_succeeded || connection.total_changes() == before {
            Ok(())
        } else {
            Err(Failure::Job)
        }
    }

    /// Commits the transaction. If it cannot be said whether that succeeded, the engine stops.
    fn commit(&self) -> Result<(), EngineError> {
        let result = self.execute("COMMIT");
        self.files.standing_read.end();
        match result {
            // The log may have been removed in the meantime, and with it the commit.
            Ok(()) => match self.check_files() {
                None => Ok(()),
                Some(fault) => Err(EngineError::outcome_unknown(fault)),
            },
            Err(error) if is_undone(&error) => {
                self.roll_back();
                Err(error.into())
            }
            Err(error) => Err(EngineError::outcome_unknown(self.stop("a commit", error))),
        }
    }

    /// Rolls back the transaction, unless SQLite has done so already. Nothing of it is in the files: the connection does
    /// not spill its cache.
    fn roll_back(&self) {
        if self.files.connection.is_autocommit() {
            return;
        }
        if let Err(error) = self.execute("ROLLBACK") {
            // The next transaction could commit what is left of this one.
            self.stop("a rollback", error);
        }
    }

    /// Stops the engine, unless it is stopped already, and returns its fault.
    pub(super) fn stop(&self, operation: &'static str, error: rusqlite::Error) -> Fault {
        let fault = Fault::Stopped {
            operation,
            source: Arc::new(error),
        };
        self.health.set_fault(fault.clone());
        fault
    }

    /// Returns the fault of the engine. Checks whether the files are in place; if one is not, the engine writes no more, and what
    /// only the open log has is copied into the database where that is safe.
    pub(super) fn check_files(&self) -> Option<Fault> {
        if let Some(fault) = self.health.fault() {
            return Some(fault);
        }
        let fault = self.files.files.find_fault()?;
        if self.files.files.can_save_log() {
            let _ = self.checkpoint("FULL");
        }
        self.health.set_fault(fault.clone());
        Some(fault)
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        let connection: &Connection = &self.files.connection;
        connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }
}

/// Whether a failed COMMIT has left nothing that could be found in the log after a crash. Any other error is unknown.
///
/// In the source of SQLite, `vdbeCommit` writes the log in `sqlite3PagerCommitPhaseOne` → `walFrames`: all frames in order,
/// the commit frame last, then an fsync, then the index (`walIndexAppend`).
///
/// - `SQLITE_BUSY` and `SQLITE_CONSTRAINT` come before: from `sqlite3VdbeCheckFkDeferred`, a commit hook, or a lock.
/// - `SQLITE_FULL` is only returned by a write (`unixWrite`, ENOSPC), so the commit frame is missing or cut off, and
///   `walDecodeFrame` rejects it. A failed fsync is `SQLITE_IOERR_FSYNC`, also for ENOSPC (`unixSync`). This assumes that a
///   file system that finds out late that it is full, such as one that copies on write, says so in the fsync, and not in a
///   write whose bytes it stores nevertheless.
/// - `SQLITE_IOERR` includes the fsync, after which the complete frames may reach the disk, and the index of the log, which
///   fails when the commit is on the disk already. `SQLITE_NOMEM` includes the latter, too.
fn is_undone(error: &rusqlite::Error) -> bool {
    use ErrorCode::{ConstraintViolation, DatabaseBusy, DiskFull};
    let code = error.sqlite_error_code();
    matches!(code, Some(DatabaseBusy | ConstraintViolation | DiskFull))
}
