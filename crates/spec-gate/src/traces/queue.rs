//! The spans that wait to be exported. Their number is limited, so that a collector that is away costs no request anything but
//! its span.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use opentelemetry_sdk::trace::SpanData;
use tokio::sync::Notify;

use crate::metrics::{Metrics, SpanOutcome};

/// The largest number of spans that wait. Further ones are dropped.
const MAX_WAITING: usize = 2048;

/// The largest number of spans that are exported at once.
const MAX_BATCH: usize = 512;

/// A bounded queue between requests and the task that exports their spans.
#[derive(Debug)]
pub(super) struct SpanQueue {
    waiting: Mutex<Vec<SpanData>>,
    /// Wakes the task before its delay has passed.
    wake: Notify,
    closing: AtomicBool,
    metrics: Metrics,
}

impl SpanQueue {
    /// An empty queue, which counts what it drops.
    pub(super) fn new(metrics: Metrics) -> SpanQueue {
        SpanQueue {
            waiting: Mutex::default(),
            wake: Notify::new(),
            closing: AtomicBool::new(false),
            metrics,
        }
    }

    /// Adds a span, or drops it if too many wait.
    pub(super) fn push(&self, span: SpanData) {
        let mut waiting = self.lock();
        if waiting.len() == MAX_WAITING {
            drop(waiting);
            self.metrics.count_spans(SpanOutcome::Dropped, 1);
            return;
        }
        waiting.push(span);
        let is_batch = waiting.len() == MAX_BATCH;
        drop(waiting);
        if is_batch {
            self.wake.notify_one();
        }
    }

    /// Waits until a batch is full, `delay` has passed, or the queue is closed. Returns whether it is closed.
    pub(super) async fn wait(&self, delay: Duration) -> bool {
        if !self.is_closing() {
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = self.wake.notified() => {}
            }
        }
        self.is_closing()
    }

    /// Takes the spans of a batch, the oldest first; none if none wait.
    pub(super) fn take_batch(&self) -> Vec<SpanData> {
        let mut waiting = self.lock();
        let count = waiting.len().min(MAX_BATCH);
        waiting.drain(..count).collect()
    }

    /// Ends the waits of [`SpanQueue::wait`].
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<SpanData>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
