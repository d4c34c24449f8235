//! The one writer: a thread that runs all queued jobs in one transaction and commits them together (group commit).
//!
//! A job that fails is undone alone: most fail before they have changed anything, and if one has, the transaction is rolled
//! back, and its other jobs run again without it. A caller gets the result of its job only after the commit, or an error
//! once the time for a write is over. `benches/parts.rs` measures the gain of shared commits.

mod checkpoint;
mod thread;

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::Connection;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use self::thread::{Ended, WriterThread};
use crate::EngineError;
use crate::sqlite::config::EngineConfig;
use crate::sqlite::health::{Health, OpenFiles};
use crate::sqlite::job::{Claim, Job, Write};
use crate::sqlite::lock::Lock;
use crate::sqlite::standing_read::StandingRead;
use crate::sqlite::stats::{Counters, WriterStats};

/// The handle to the writer's thread. Dropping it waits for the queued jobs, as long as a write may take.
#[derive(Debug)]
pub(crate) struct Writer {
    /// `None` only during drop.
    queue: Option<mpsc::Sender<Message>>,
    thread: Mutex<Thread>,
    write_timeout: Duration,
    counters: Arc<Counters>,
    health: Arc<Health>,
}

/// What the writer's thread owns: the connection for writing, its files, and the lock of the database; and the read
/// transaction that it ends.
#[derive(Debug)]
pub(crate) struct WriterFiles {
    pub(crate) standing_read: Arc<StandingRead>,
    pub(crate) connection: Connection,
    pub(crate) files: Arc<OpenFiles>,
    /// `None` beside the server. It is released after the connection is closed.
    pub(crate) lock: Option<Lock>,
}

/// The state of the writer's thread as its handle sees it.
#[derive(Debug)]
enum Thread {
    Running(Receiver<Ended>),
    /// The connection is kept open, so that it is the last one to be closed.
    Ended(#[expect(dead_code, reason = "dropped with the handle")] Option<WriterFiles>),
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
    #[error("the write did not begin within {}", format_seconds(.0))]
    NotBegun(Duration),
    #[error("the write began, but was not committed within {}", format_seconds(.0))]
    NotCommitted(Duration),
}

/// A message to the writer's thread.
enum Message {
    /// Run a job.
    Run(Box<dyn Job>),
    /// Check whether the files are in place.
    CheckFiles,
    /// Close the queue.
    Close,
}

impl Writer {
    /// Starts the writer's thread, which owns `files`.
    pub(crate) fn start(
        files: WriterFiles,
        health: Arc<Health>,
        config: &EngineConfig,
    ) -> std::io::Result<Writer> {
        let (queue, waiting) = mpsc::channel(config.queue_capacity.max(1));
        let counters = Arc::new(Counters::default());
        let thread = WriterThread::new(files, Arc::clone(&health), Arc::clone(&counters), config);
        let (end, ended) = std::sync::mpsc::channel();
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || {
                // The handle may have given up on the thread.
                let _ = end.send(thread.run(waiting));
            })?;
        Ok(Writer {
            queue: Some(queue),
            thread: Mutex::new(Thread::Running(ended)),
            write_timeout: config.write_timeout,
            counters,
            health,
        })
    }

    /// Queues `work` as a job, and returns its result after the commit. See [`Engine::write`](crate::sqlite::Engine::write).
    pub(crate) async fn submit<T, E>(
        &self,
        work: impl Fn(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
    {
        let deadline = Instant::now() + self.write_timeout;
        let claim = Claim::default();
        let (reply, mut result) = oneshot::channel();
        let job = Message::Run(Box::new(Write::new(work, reply, claim.clone())));
        match timeout_at(deadline, self.send(job)).await {
            Ok(sent) => sent?,
            Err(_) => return Err(self.not_begun().into()),
        }
        match timeout_at(deadline, &mut result).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) if claim.cancel() => Err(EngineError::internal(WriterError::Ended).into()),
            Ok(Err(_)) => Err(self.outcome_unknown(WriterError::Ended).into()),
            Err(_) if claim.cancel() => Err(self.not_begun().into()),
            Err(_) => result.try_recv().unwrap_or_else(|_| {
                let cause = WriterError::NotCommitted(self.write_timeout);
                Err(self.outcome_unknown(cause).into())
            }),
        }
    }

    /// Lets the thread check whether its files are in place, unless the queue is full: then it does so soon anyway.
    pub(crate) fn check_files(&self) {
        if let Some(queue) = &self.queue {
            let _ = queue.try_send(Message::CheckFiles);
        }
    }

    /// Closes the queue, and waits until its jobs have run and the log is checkpointed. See
    /// [`Engine::close`](crate::sqlite::Engine::close).
    pub(crate) async fn close(&self) -> Result<(), EngineError> {
        // An error means that the queue is closed already.
        let _ = self.send(Message::Close).await;
        let Thread::Running(ended) = self.replace_thread(Thread::Ended(None)) else {
            return Ok(());
        };
        match tokio::task::spawn_blocking(move || ended.recv()).await {
            Ok(Ok(Ended { files, result })) => {
                self.replace_thread(Thread::Ended(Some(files)));
                result
            }
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
        let closed = || match self.health.fault() {
            Some(fault) => fault.into(),
            None => EngineError::unavailable(WriterError::Closed),
        };
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send(message).await.map_err(|_| closed())
    }

    fn not_begun(&self) -> EngineError {
        EngineError::unavailable(WriterError::NotBegun(self.write_timeout))
    }

    fn outcome_unknown(&self, cause: WriterError) -> EngineError {
        self.counters.count_outcome_unknown(1);
        EngineError::outcome_unknown(cause)
    }

    fn replace_thread(&self, thread: Thread) -> Thread {
        let mut current = self.thread.lock();
        std::mem::replace(&mut *current, thread)
    }
}

impl Drop for Writer {
    /// Waits for the thread, so that the database is closed when the engine is dropped. A thread that hangs, for example
    /// in an fsync, is left alone: it keeps the lock of the database until the process ends.
    fn drop(&mut self) {
        self.queue = None;
        if let Thread::Running(ended) = self.replace_thread(Thread::Ended(None)) {
            // The result cannot be returned here. Acknowledged writes are on the disk in any case.
            let _ = ended.recv_timeout(self.write_timeout);
        }
    }
}

fn format_seconds(duration: &Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests;
