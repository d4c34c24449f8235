//! The one writer: a thread that runs all queued jobs in one transaction and commits them together (group commit).
//!
//! Each job runs in its own savepoint, so that a failure rolls back that job alone. Its caller gets the result only
//! after the commit.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

use crate::config::EngineConfig;
use crate::error::EngineError;
use crate::job::{Job, JobOutcome, Write};
use crate::stats::{Counters, WriterStats};

/// The handle to the writer's thread. Dropping it waits for all queued jobs.
#[derive(Debug)]
pub(crate) struct Writer {
    /// `None` only during drop.
    queue: Option<mpsc::Sender<Message>>,
    /// `None` once the thread has been joined.
    thread: Mutex<Option<JoinHandle<rusqlite::Result<()>>>>,
    counters: Arc<Counters>,
}

/// The cause of a failed job that comes from the writer and not from the job's own work.
#[derive(Debug, Error)]
enum WriterError {
    #[error("the database is closed")]
    Closed,
    #[error("the writer ended before it replied")]
    Ended,
    #[error("the database rolled back this write together with others of its transaction")]
    RolledBack,
}

/// A message to the writer's thread: run a job, or close the queue.
enum Message {
    Run(Box<dyn Job>),
    Close,
}

impl Writer {
    /// Starts the writer's thread, which owns the `connection` for writing.
    pub(crate) fn start(connection: Connection, config: &EngineConfig) -> std::io::Result<Writer> {
        let (queue, waiting) = mpsc::channel(config.queue_capacity.max(1));
        let counters = Arc::new(Counters::default());
        let thread = WriterThread {
            connection,
            max_batch: config.max_batch.max(1),
            counters: Arc::clone(&counters),
        };
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || thread.run(waiting))?;
        Ok(Writer {
            queue: Some(queue),
            thread: Mutex::new(Some(thread)),
            counters,
        })
    }

    /// Queues `work` as a job, and returns its result after the commit. See [`Engine::write`](crate::Engine::write).
    pub(crate) async fn submit<T, E>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
    {
        let (reply, result) = oneshot::channel();
        self.send(Message::Run(Box::new(Write::new(work, reply))))
            .await?;
        match result.await {
            Ok(result) => result,
            Err(_) => Err(EngineError::internal(WriterError::Ended).into()),
        }
    }

    /// Closes the queue, and waits until its jobs have run and the log is checkpointed. See
    /// [`Engine::close`](crate::Engine::close).
    pub(crate) async fn close(&self) -> Result<(), EngineError> {
        // An error means that the queue is closed already.
        let _ = self.send(Message::Close).await;
        let Some(thread) = self.take_thread() else {
            return Ok(());
        };
        match tokio::task::spawn_blocking(move || thread.join()).await {
            Ok(Ok(ended)) => Ok(ended?),
            Ok(Err(_)) | Err(_) => Err(EngineError::internal(WriterError::Ended)),
        }
    }

    /// Returns the writer's counters, and how many messages are queued now.
    pub(crate) fn stats(&self) -> WriterStats {
        let queued = self
            .queue
            .as_ref()
            .map_or(0, |queue| queue.max_capacity() - queue.capacity());
        self.counters.read(queued)
    }

    async fn send(&self, message: Message) -> Result<(), EngineError> {
        let closed = || EngineError::unavailable(WriterError::Closed);
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send(message).await.map_err(|_| closed())
    }

    fn take_thread(&self) -> Option<JoinHandle<rusqlite::Result<()>>> {
        self.thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

impl Drop for Writer {
    /// Waits for the thread, so that the database is closed when the engine is dropped.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.take_thread() {
            // The result cannot be returned here. Acknowledged writes are on the disk in any case.
            let _ = thread.join();
        }
    }
}

/// What the writer's thread owns: the connection for writing, the maximum size of a batch, and the counters.
struct WriterThread {
    connection: Connection,
    max_batch: usize,
    counters: Arc<Counters>,
}

impl WriterThread {
    /// Runs jobs until the queue is closed and empty, then checkpoints the log.
    fn run(self, mut queue: mpsc::Receiver<Message>) -> rusqlite::Result<()> {
        while let Some(first) = queue.blocking_recv() {
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Message::Run(job) => batch.push(job),
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
        }
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    /// Runs the jobs of a batch in one transaction, and replies to each. If the transaction fails, the jobs that have not
    /// run yet run in another one.
    fn run_batch(&self, batch: Vec<Box<dyn Job>>) {
        let mut waiting = batch.into_iter();
        while waiting.len() > 0 {
            let mut ran = Vec::with_capacity(waiting.len());
            match self.run_transaction(&mut waiting, &mut ran) {
                Ok(()) => {
                    self.counters.count_commit(ran.len());
                    ran.into_iter().for_each(Job::reply_committed);
                }
                Err(error) => {
                    self.counters.count_rollback();
                    ran.into_iter()
                        .for_each(|job| job.reply_rolled_back(error.clone()));
                }
            }
        }
    }

    /// Moves jobs from `waiting` to `ran`, runs them in one transaction, and commits it. On failure the changes of all
    /// jobs in `ran` are lost, and none may reply with its result, not even with its own error: it has read a state
    /// that was rolled back. Jobs in `waiting` run in another transaction.
    fn run_transaction(
        &self,
        waiting: &mut impl Iterator<Item = Box<dyn Job>>,
        ran: &mut Vec<Box<dyn Job>>,
    ) -> Result<(), EngineError> {
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            ran.extend(waiting);
            return Err(error.into());
        }
        for mut job in waiting {
            match self.run_in_savepoint(&mut *job) {
                Ok(()) => ran.push(job),
                Err(error) => {
                    self.roll_back();
                    job.reply_failed(error.clone());
                    return Err(error);
                }
            }
        }
        self.execute("COMMIT").map_err(|error| {
            self.roll_back();
            error.into()
        })
    }

    /// Runs one job in a savepoint, which is rolled back if the job fails. An error means that the whole transaction
    /// failed.
    fn run_in_savepoint(&self, job: &mut dyn Job) -> Result<(), EngineError> {
        self.execute("SAVEPOINT job")?;
        let outcome = job.run(&self.connection);
        // On some errors, such as a full disk, SQLite rolls back the transaction and not only the savepoint.
        // Then the earlier jobs of the transaction must fail, too.
        if self.connection.is_autocommit() {
            return Err(EngineError::unavailable(WriterError::RolledBack));
        }
        if outcome == JobOutcome::Failed {
            self.execute("ROLLBACK TO job")?;
        }
        self.execute("RELEASE job")?;
        Ok(())
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            // If this fails, the next BEGIN fails as well, and with it the waiting jobs.
            let _ = self.execute("ROLLBACK");
        }
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }
}

#[cfg(test)]
mod tests;
