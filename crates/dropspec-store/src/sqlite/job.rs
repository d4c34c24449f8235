//! A job of the writer: a closure and the channel to the caller that waits for its result.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rusqlite::Connection;
use thiserror::Error;
use tokio::sync::oneshot;

use crate::EngineError;

/// A queued write of any result type. The writer calls [`Claim::begin`] and `run` once, or again after it rolled back the
/// transaction, then one of the `reply…` methods, which sends the result to the caller that waits for it.
pub(crate) trait Job: Send {
    /// Whether the job has begun or was cancelled.
    fn claim(&self) -> &Claim;

    /// Runs the work, stores its result in the job, and returns whether it succeeded. A failed job must be rolled back.
    fn run(&mut self, connection: &Connection) -> bool;

    /// Sends the job's result to its caller, after the commit or its own rollback.
    fn reply(self: Box<Self>);

    /// Sends `error` to the job's caller instead of its result, after the whole transaction failed.
    fn reply_error(self: Box<Self>, error: EngineError);

    /// Replies to the caller of the job at which the transaction failed: the job's own error, or `error` if it has none.
    fn reply_own_error(self: Box<Self>, error: EngineError);
}

/// Whether a job has begun or was cancelled, whichever came first. The job and its caller share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claim(Arc<AtomicU8>);

const QUEUED: u8 = 0;
const BEGUN: u8 = 1;
const CANCELLED: u8 = 2;

impl Claim {
    /// Cancels the job; false if it has begun.
    pub(crate) fn cancel(&self) -> bool {
        self.decide(CANCELLED)
    }

    /// Marks the job as begun, from when on it cannot be cancelled; false if it was cancelled.
    pub(crate) fn begin(&self) -> bool {
        self.decide(BEGUN) || !self.is_cancelled()
    }

    /// Whether the caller has given up on the job, which must not run then.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire) == CANCELLED
    }

    fn decide(&self, state: u8) -> bool {
        let Claim(shared) = self;
        shared
            .compare_exchange(QUEUED, state, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

/// The error of a job that panicked, with the message of the panic.
#[derive(Debug, Error)]
#[error("a write panicked: {0}")]
struct Panicked(String);

/// A [`Job`]: a closure to run, its result, and the channel to the caller. The only implementation of the trait.
pub(crate) struct Write<W, T, E> {
    work: W,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
    claim: Claim,
}

impl<W, T, E> Write<W, T, E> {
    /// Creates a job that runs `work` and sends its result over `reply`.
    pub(crate) fn new(
        work: W,
        reply: oneshot::Sender<Result<T, E>>,
        claim: Claim,
    ) -> Write<W, T, E> {
        Write {
            work,
            result: None,
            reply,
            claim,
        }
    }
}

impl<W, T, E> Job for Write<W, T, E>
where
    W: Fn(&Connection) -> Result<T, E> + Send,
    T: Send,
    E: From<EngineError> + Send,
{
    fn claim(&self) -> &Claim {
        &self.claim
    }

    fn run(&mut self, connection: &Connection) -> bool {
        // Unwind safe: the work keeps no state, and its changes are rolled back.
        let run = AssertUnwindSafe(|| (self.work)(connection));
        let result = catch_unwind(run).unwrap_or_else(|panic| {
            Err(EngineError::internal(Panicked(panic_message(&*panic))).into())
        });
        self.result.insert(result).is_ok()
    }

    fn reply(self: Box<Self>) {
        if let Some(result) = self.result {
            // The caller may have dropped the future.
            let _ = self.reply.send(result);
        }
    }

    fn reply_error(self: Box<Self>, error: EngineError) {
        let _ = self.reply.send(Err(error.into()));
    }

    fn reply_own_error(self: Box<Self>, error: EngineError) {
        let own = self.result.and_then(Result::err);
        let _ = self.reply.send(Err(own.unwrap_or_else(|| error.into())));
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "without a message".to_owned(),
    }
}
