//! The one writer: a thread that takes all writes waiting, and puts them on the disk with one commit.
//!
//! It knows transactions, not tables. A job is whatever is to happen as a whole: it runs in a savepoint of its own,
//! so that its failure undoes it alone, and its caller hears of it only when the commit it was part of is done.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

use crate::store::config::StoreConfig;
use crate::store::error::StoreError;
use crate::store::job::{Job, Verdict, Write};
use crate::store::stats::{Counters, WriterStats};

/// The writer as its callers hold it. Dropped, it finishes what is queued first.
#[derive(Debug)]
pub(crate) struct Writer {
    /// `None` only while it is being dropped.
    queue: Option<mpsc::Sender<Message>>,
    /// `None` once the thread has been waited for.
    thread: Mutex<Option<JoinHandle<rusqlite::Result<()>>>>,
    counters: Arc<Counters>,
}

/// Why the writer itself gave no answer.
#[derive(Debug, Error)]
enum WriterError {
    #[error("the store is closed")]
    Closed,
    #[error("the writer ended before it answered")]
    Gone,
    #[error("a write after or before this one made the database undo them together")]
    BatchUndone,
}

enum Message {
    Run(Box<dyn Job>),
    Close,
}

impl Writer {
    /// Starts the thread, which writes over `connection` from now on.
    pub(crate) fn start(connection: Connection, config: &StoreConfig) -> std::io::Result<Writer> {
        let (queue, waiting) = mpsc::channel(config.queue_capacity.max(1));
        let counters = Arc::new(Counters::default());
        let work = Work {
            connection,
            max_batch: config.max_batch.max(1),
            counters: Arc::clone(&counters),
        };
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || work.until_closed(waiting))?;
        Ok(Writer {
            queue: Some(queue),
            thread: Mutex::new(Some(thread)),
            counters,
        })
    }

    /// Runs `work` in a savepoint of a transaction that it may share with others, and answers once that is committed.
    ///
    /// When `work` fails, or panics, it alone is undone. It must return at its first database error, and neither
    /// commit nor roll back. While the queue is full this waits; if the caller goes away, what was queued still runs.
    ///
    /// # Errors
    ///
    /// That of `work`, in which case nothing of it is kept. [`StoreError::Unavailable`] if the writer is closed, or
    /// the transaction could not be begun or committed for a passing cause; [`StoreError::Internal`] for any other,
    /// or if `work` panicked.
    pub(crate) async fn submit<T, E>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.send(Message::Run(Box::new(Write::new(work, reply))))
            .await?;
        match answer.await {
            Ok(result) => result,
            Err(_) => Err(StoreError::internal(WriterError::Gone).into()),
        }
    }

    /// Lets nobody new in, waits until all that was queued is written, and folds the log back into the database.
    /// A second call finds nothing to do.
    ///
    /// # Errors
    ///
    /// When the log could not be folded back. All that was acknowledged is safe in it nevertheless.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        // A queue that is closed already is what is wanted.
        let _ = self.send(Message::Close).await;
        let Some(thread) = self.take_thread() else {
            return Ok(());
        };
        match tokio::task::spawn_blocking(move || thread.join()).await {
            Ok(Ok(ended)) => Ok(ended?),
            Ok(Err(_)) | Err(_) => Err(StoreError::internal(WriterError::Gone)),
        }
    }

    /// How busy the writer is and was.
    pub(crate) fn stats(&self) -> WriterStats {
        let queued = self
            .queue
            .as_ref()
            .map_or(0, |queue| queue.max_capacity() - queue.capacity());
        self.counters.read(queued)
    }

    async fn send(&self, message: Message) -> Result<(), StoreError> {
        let closed = || StoreError::unavailable(WriterError::Closed);
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
    /// Waits for the thread, so that the database is closed when the store is gone.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.take_thread() {
            // Nobody is left to hear how it ended; what was acknowledged is on the disk.
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct Work {
    connection: Connection,
    max_batch: usize,
    counters: Arc<Counters>,
}

impl Work {
    fn until_closed(self, mut queue: mpsc::Receiver<Message>) -> rusqlite::Result<()> {
        while let Some(first) = queue.blocking_recv() {
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Message::Run(job) => batch.push(job),
                    // What is in the queue is still taken; nothing is added to it.
                    Message::Close => queue.close(),
                }
                next = if batch.len() < self.max_batch {
                    queue.try_recv().ok()
                } else {
                    None
                };
            }
            self.write(batch);
        }
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    /// Runs and answers every job of `batch`, in as many transactions as it takes: one, unless something goes wrong.
    fn write(&self, batch: Vec<Box<dyn Job>>) {
        let mut waiting = batch.into_iter();
        while waiting.len() > 0 {
            let mut ran = Vec::with_capacity(waiting.len());
            match self.transaction(&mut waiting, &mut ran) {
                Ok(()) => {
                    self.counters.committed(ran.len());
                    ran.into_iter().for_each(Job::committed);
                }
                Err(error) => {
                    self.counters.undone();
                    ran.into_iter().for_each(|job| job.undone(error.clone()));
                }
            }
        }
    }

    /// Moves jobs from `waiting` to `ran` and runs them, then commits. On failure nothing of those in `ran` is kept,
    /// and none of them may be told its result, be it a refusal: it was found on a state that never came to be.
    /// They cannot run again, but those still waiting can have another transaction.
    fn transaction(
        &self,
        waiting: &mut impl Iterator<Item = Box<dyn Job>>,
        ran: &mut Vec<Box<dyn Job>>,
    ) -> Result<(), StoreError> {
        if let Err(error) = self.statement("BEGIN IMMEDIATE") {
            ran.extend(waiting);
            return Err(error.into());
        }
        for mut job in waiting {
            match self.in_savepoint(&mut *job) {
                Ok(()) => ran.push(job),
                Err(error) => {
                    self.roll_back();
                    job.broke_the_batch(error.clone());
                    return Err(error);
                }
            }
        }
        self.statement("COMMIT").map_err(|error| {
            self.roll_back();
            error.into()
        })
    }

    /// Runs one job. An error means that the whole transaction is lost.
    fn in_savepoint(&self, job: &mut dyn Job) -> Result<(), StoreError> {
        self.statement("SAVEPOINT job")?;
        let verdict = job.run(&self.connection);
        // Some failures, a full disk among them, make SQLite roll back the transaction and not only the savepoint.
        // Whoever ran in it before must not be told that it was kept.
        if self.connection.is_autocommit() {
            return Err(StoreError::unavailable(WriterError::BatchUndone));
        }
        if let Verdict::Undo = verdict {
            self.statement("ROLLBACK TO job")?;
        }
        self.statement("RELEASE job")?;
        Ok(())
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            // Should this fail, so will the next BEGIN, and with it whatever waits.
            let _ = self.statement("ROLLBACK");
        }
    }

    fn statement(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }
}

#[cfg(test)]
mod tests;
