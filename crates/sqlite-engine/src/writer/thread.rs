//! The writer's thread: runs batches of jobs, commits, checkpoints the log, and stops after a failure of the disk.

use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

use engine_types::EngineError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::mpsc;

use super::{Message, WriterError, WriterFiles};
use crate::config::EngineConfig;
use crate::fault::Fault;
use crate::health::Health;
use crate::job::{Job, JobOutcome};
use crate::stats::Counters;

/// Number of pages in the log from which on the writer waits for readers, so that the log starts anew: 64 MiB. Without
/// this, the log grows as long as some reader always uses it.
const LONG_LOG_PAGES: i64 = 16_000;

/// How long the last checkpoint waits for other processes. If they do not end, the log stays, with what is not copied.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// What the writer's thread owns: its files, the counters, and its limits.
pub(super) struct WriterThread {
    files: WriterFiles,
    health: Arc<Health>,
    counters: Arc<Counters>,
    max_batch: usize,
    checkpoint_pages: u32,
    /// Length of the log, in pages, at which the writer waits for readers.
    long_log: i64,
}

/// What the thread leaves: its files, and whether the log was copied into the database.
pub(super) struct Ended {
    pub(super) files: WriterFiles,
    pub(super) result: Result<(), EngineError>,
}

/// What is rolled back if a job fails after it has changed rows.
#[derive(Debug, Clone, Copy)]
enum Undo {
    /// The transaction, whose jobs then run again. This costs nothing while no job fails like this.
    Transaction,
    /// The savepoint of the job. It costs a third of an order: two statements, and a copy of each page that changes.
    Savepoint,
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

/// The result of a checkpoint (`PRAGMA wal_checkpoint`).
struct Checkpoint {
    /// Whether another connection prevented its end.
    is_blocked: bool,
    /// Pages in the log.
    pages: i64,
    /// Pages of them that are in the database file, too.
    copied: i64,
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
    /// run yet run in another one. If only a job failed that has to be undone, all of them run again, in savepoints.
    fn run_batch(&self, mut batch: Vec<Box<dyn Job>>) {
        // Callers that gave up must not make others wait for a lock.
        batch.retain(|job| !job.is_cancelled());
        let mut waiting = batch.into_iter();
        let mut undo = Undo::Transaction;
        loop {
            if let Some(fault) = self.check_files() {
                waiting.for_each(|job| job.reply_error(fault.clone().into()));
                return;
            }
            if waiting.len() == 0 {
                return;
            }
            let mut ran = Vec::with_capacity(waiting.len());
            match self.run_transaction(&mut waiting, &mut ran, undo) {
                Ok(()) => {
                    self.counters.count_commit(ran.len());
                    ran.into_iter().for_each(Job::reply_committed);
                }
                Err(Failure::Job) => {
                    ran.extend(waiting);
                    waiting = ran.into_iter();
                    undo = Undo::Savepoint;
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

    /// Moves jobs from `waiting` to `ran`, runs them in one transaction, and commits it. On failure none of the jobs in
    /// `ran` may reply with its result, not even with its own error: it has read a state that was rolled back, or that
    /// may be lost. Jobs in `waiting` run in another transaction.
    fn run_transaction(
        &self,
        waiting: &mut impl Iterator<Item = Box<dyn Job>>,
        ran: &mut Vec<Box<dyn Job>>,
        undo: Undo,
    ) -> Result<(), Failure> {
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            ran.extend(waiting);
            return Err(Failure::from(error));
        }
        for mut job in waiting {
            if !job.begin() {
                continue;
            }
            let result = match undo {
                Undo::Transaction => self.run_job(&mut *job),
                Undo::Savepoint => self.run_in_savepoint(&mut *job),
            };
            match result {
                Ok(()) => ran.push(job),
                Err(failure) => {
                    self.roll_back();
                    match &failure {
                        Failure::Job => ran.push(job),
                        Failure::Transaction(error) => job.reply_failed(error.clone()),
                    }
                    return Err(failure);
                }
            }
        }
        Ok(self.commit()?)
    }

    /// Runs one job. It is not undone if it fails: most failed jobs have changed nothing.
    fn run_job(&self, job: &mut dyn Job) -> Result<(), Failure> {
        let changes = || self.files.connection.total_changes();
        let before = changes();
        match self.run_work(job)? {
            JobOutcome::Failed if changes() != before => Err(Failure::Job),
            JobOutcome::Failed | JobOutcome::Succeeded => Ok(()),
        }
    }

    /// Runs one job in a savepoint, which is rolled back if the job fails.
    fn run_in_savepoint(&self, job: &mut dyn Job) -> Result<(), Failure> {
        self.execute("SAVEPOINT job")?;
        if self.run_work(job)? == JobOutcome::Failed {
            self.execute("ROLLBACK TO job")?;
        }
        self.execute("RELEASE job")?;
        Ok(())
    }

    fn run_work(&self, job: &mut dyn Job) -> Result<JobOutcome, Failure> {
        let outcome = job.run(&self.files.connection);
        // On some errors, such as a full disk, SQLite rolls back the whole transaction, and savepoints with it.
        // Then the earlier jobs of the transaction must fail, too.
        if self.files.connection.is_autocommit() {
            Err(EngineError::unavailable(WriterError::RolledBack).into())
        } else {
            Ok(outcome)
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
    fn stop(&self, operation: &'static str, error: rusqlite::Error) -> Fault {
        let fault = Fault::Stopped {
            operation,
            source: Arc::new(error),
        };
        self.health.set(Some(fault.clone()));
        fault
    }

    /// Returns the fault of the engine. Checks whether the files are in place; if the log is not, it is copied from the
    /// open file into the database where that is safe, and the engine writes no more.
    fn check_files(&self) -> Option<Fault> {
        let current = self.health.fault();
        if let Some(Fault::Stopped { .. } | Fault::LogGone { .. }) = current {
            return current;
        }
        let mut found = self.files.files.find_fault();
        if let Some(Fault::LogGone { is_saved, .. }) = &mut found
            && self.files.files.can_save_log()
            && let Ok(result) = self.checkpoint("FULL")
        {
            *is_saved = !result.is_blocked && result.copied == result.pages;
        }
        // Each change is reported, so nothing is set again.
        if found.as_ref().map(discriminant) != current.as_ref().map(discriminant) {
            self.health.set(found.clone());
        }
        found
    }

    /// Copies the log into the database file when it is long. SQLite's automatic checkpoint is off, as it ignores errors
    /// (`sqlite3WalDefaultHook`). A failed fsync must not be repeated: the kernel may have dropped the pages, so the next
    /// one succeeds without them, and the log that still has them starts anew.
    fn limit_log(&mut self) {
        if self.health.fault().is_some() {
            return;
        }
        let Some(log) = self.try_checkpoint("NOOP") else {
            return;
        };
        if log.pages < LONG_LOG_PAGES {
            self.long_log = LONG_LOG_PAGES;
        }
        if log.pages >= self.long_log {
            let result = self.try_checkpoint("RESTART");
            if result.is_some_and(|it| it.is_blocked) {
                // A reader does not end. The writer does not wait for it after every batch.
                self.long_log = log.pages * 2;
            }
        } else if log.pages - log.copied >= self.checkpoint_pages.into() {
            self.try_checkpoint("PASSIVE");
        }
    }

    /// Runs a checkpoint, and stops the engine if it fails. `None` if it failed, or could not be done now.
    fn try_checkpoint(&self, mode: &str) -> Option<Checkpoint> {
        match self.checkpoint(mode) {
            Ok(result) => Some(result),
            // Nothing is marked as copied (`walCheckpoint` sets `nBackfill` last), so the next one copies it again.
            Err(error) if is_temporary(&error) => None,
            Err(error) => {
                self.stop("a checkpoint", error);
                None
            }
        }
    }

    fn checkpoint(&self, mode: &str) -> rusqlite::Result<Checkpoint> {
        let _paused = (mode != "NOOP").then(|| self.files.standing_read.pause());
        let sql = format!("PRAGMA wal_checkpoint({mode})");
        let mut statement = self.files.connection.prepare_cached(&sql)?;
        statement.query_row([], |row| {
            Ok(Checkpoint {
                is_blocked: row.get(0)?,
                pages: row.get(1)?,
                copied: row.get(2)?,
            })
        })
    }

    /// Copies the log into the database and empties it. If that fails or is not safe, the connection does not try it again
    /// when it is closed, which would ignore errors (`sqlite3WalClose`). An error if acknowledged writes are not in the
    /// file at the path of the database.
    fn end(&self) -> Result<(), EngineError> {
        self.files.standing_read.close();
        let fault = self.check_files();
        let is_log_gone = matches!(fault, Some(Fault::LogGone { .. }));
        let result = match fault {
            None => self.empty_log(),
            Some(Fault::LogGone { is_saved: true, .. }) => Ok(()),
            // The file may be moved back.
            Some(fault @ Fault::DatabaseGone { .. }) => self.empty_log().and(Err(fault.into())),
            Some(fault @ (Fault::Stopped { .. } | Fault::LogGone { .. })) => Err(fault.into()),
        };
        if result.is_err() || is_log_gone {
            // This cannot fail: it sets a flag of the connection.
            let _ = self
                .files
                .connection
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
        result
    }

    fn empty_log(&self) -> Result<(), EngineError> {
        // Beside a server it would wait for the server's standing read in vain.
        let timeout = self
            .files
            .lock
            .as_ref()
            .map_or(Duration::ZERO, |_| CLOSE_TIMEOUT);
        self.files.connection.busy_timeout(timeout)?;
        self.checkpoint("TRUNCATE")?;
        Ok(())
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

/// Whether a checkpoint failed for a cause that leaves the files as they were: a lock, or a full disk.
fn is_temporary(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull};
    let code = error.sqlite_error_code();
    matches!(code, Some(DatabaseBusy | DatabaseLocked | DiskFull))
}
