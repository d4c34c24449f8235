//! A write on its way through the writer: what is to be run, and who waits for the answer.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;
use thiserror::Error;
use tokio::sync::oneshot;

use crate::store::error::StoreError;

/// A write, whatever it returns. It is run once, then told what became of it.
pub(crate) trait Job: Send {
    /// Runs the work and keeps its result back.
    fn run(&mut self, connection: &Connection) -> Verdict;

    /// The commit is done: the caller gets the result.
    fn committed(self: Box<Self>);

    /// The transaction was lost: the caller gets `error`.
    fn undone(self: Box<Self>, error: StoreError);

    /// The transaction was lost at this job: the caller gets the work's own failure, or `error` if it reported none.
    fn broke_the_batch(self: Box<Self>, error: StoreError);
}

/// What is to happen to what a job wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It succeeded.
    Keep,
    /// It failed.
    Undo,
}

/// A panic in a job, which is a defect.
#[derive(Debug, Error)]
#[error("a write panicked: {0}")]
struct Panicked(String);

/// The only kind of job: a closure and the channel to its caller.
pub(crate) struct Write<W, T, E> {
    work: Option<W>,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<W, T, E> Write<W, T, E> {
    /// A job that runs `work` and answers over `reply`.
    pub(crate) fn new(work: W, reply: oneshot::Sender<Result<T, E>>) -> Write<W, T, E> {
        Write {
            work: Some(work),
            result: None,
            reply,
        }
    }
}

impl<W, T, E> Job for Write<W, T, E>
where
    W: FnOnce(&Connection) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, connection: &Connection) -> Verdict {
        let Some(work) = self.work.take() else {
            return Verdict::Undo;
        };
        // Nothing of the closure outlives the panic, and what it wrote is undone.
        let result = catch_unwind(AssertUnwindSafe(|| work(connection)))
            .unwrap_or_else(|panic| Err(StoreError::internal(Panicked(message(&*panic))).into()));
        let verdict = match result {
            Ok(_) => Verdict::Keep,
            Err(_) => Verdict::Undo,
        };
        self.result = Some(result);
        verdict
    }

    fn committed(self: Box<Self>) {
        if let Some(result) = self.result {
            // A caller that went away does not want the answer.
            let _ = self.reply.send(result);
        }
    }

    fn undone(self: Box<Self>, error: StoreError) {
        let _ = self.reply.send(Err(error.into()));
    }

    fn broke_the_batch(self: Box<Self>, error: StoreError) {
        let own = self.result.and_then(Result::err);
        let _ = self.reply.send(Err(own.unwrap_or_else(|| error.into())));
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "without a message".to_owned(),
    }
}
